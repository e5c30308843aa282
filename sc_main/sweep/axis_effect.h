// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sc_main/statistics.h"
#include "sc_main/sweep/sweep_table.h"

namespace switchyard::cli {

/// How a metric changes from one point to another: over seeds that both have done where there are two, else from the
/// intervals within the runs. None when one of the points has no result.
std::optional<Difference> point_difference(const TablePoint& a, const TablePoint& b, const std::string& metric);

/// What an axis does to a metric.
struct AxisEffect {
  enum class Kind : std::uint8_t { changes, indistinguishable, identical };
  std::string axis, metric;
  Kind kind = Kind::changes;
  double largest = 0;  ///< of all changes, as a share of the value that changes
};

/// Every axis with every metric. Points that differ in the axis alone are compared with the first of them; the axis
/// changes the metric when one of these comparisons is significant at the 5 % level for all of them together (Holm).
std::vector<AxisEffect> axis_effects(const SweepTable& table);

/// `axis kernel changes nothing in real: ...`, a line for each axis and metric without an effect.
std::string inert_axes_text(const SweepTable& table);
/// A line about runs whose measurement starts too early; empty when there are none.
std::string warm_up_text(const SweepTable& table);
nlohmann::ordered_json effects_json(const SweepTable& table);

}  // namespace switchyard::cli

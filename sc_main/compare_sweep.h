// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// Between which changes a variant lies over the values of a parameter.
struct Spread {
  std::size_t variant_index = 0;
  std::string metric;
  double least = 0, most = 0;             ///< shares of one
  std::size_t at_least = 0, at_most = 0;  ///< cases
  std::size_t values = 0;                 ///< that gave a change
};

/// For every variant and metric that has a change.
std::vector<Spread> spreads(const Comparison& comparison, const Sweep& sweep);

/// How well one value agrees with what was published.
struct ValueSupport {
  std::size_t case_index = 0;
  std::size_t figures = 0;               ///< predicted ones; no fitted ones, none that the file calls unexplained
  std::size_t holds = 0;                 ///< of `figures`
  std::optional<double> mean_square;     ///< of gap / published error over their numbers
  bool has_failed = false;               ///< a run that a figure needs gave nothing: not compared
  std::vector<std::string> failed_fits;  ///< parameters whose fit missed its target
  double rms() const;
};

/// What the published figures say about the values of a parameter.
struct Support {
  std::vector<ValueSupport> values;       ///< [value]
  std::optional<std::size_t> best;        ///< index of a value; nothing when no figure decides
  bool is_supported = false;              ///< the best one agrees, it is not only the nearest
  std::vector<std::size_t> not_excluded;  ///< others that cannot be told from the best
};

/// A value is excluded when its root mean square deviation is more than this many times that of the best value, or of
/// the published error where the best one is better than that. Errors of figures that come from one machine, one kernel
/// and one fit are not independent, so that they count as one: twice its error is the usual 95 %.
inline constexpr double kExcluded = 2;

Support support(const Comparison& comparison, const Sweep& sweep);

/// `rp5470: coherence granule: the published figures support 64 B (12 of 14 hold, ...`
std::string support_text(const Comparison& comparison, const Sweep& sweep);
/// `offsets, packed: base offset 0..48 B: real -11.8 % (at 0 B) to -4.1 % (at 48 B)`
std::string spread_text(const Comparison& comparison, const Sweep& sweep, const Spread& spread);

/// All that the experiment asks for (`spread`, `support`), one line each.
std::vector<std::string> sensitivity_notes(const Comparison& comparison);

/// The array `sensitivity` of `compare --json`: an entry for each `over`.
nlohmann::ordered_json sensitivity_json(const Comparison& comparison);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "platforms/run_outcome.h"

namespace switchyard::cli {

/// The chance that |T| is `t` or more, T having Student's distribution with `degrees` of freedom.
double student_t_tail(double t, double degrees);

/// What |T| exceeds with a chance of 5 %: 12.706 for one degree of freedom, 1.960 for very many.
double student_t_quantile(double degrees);

/// Mean of independent values and the half-width of its 95 % interval (Student's t). One value has no interval: 0.
platforms::Estimate mean_of(const std::vector<double>& values);

/// A change from `a` to `b`.
struct Difference {
  double mean = 0;                ///< of b minus a
  std::optional<double> ci95;     ///< half-width; none where nothing says how values spread
  std::optional<double> p_value;  ///< of "there is no difference"; none without an interval
  bool is_paired = false;

  /// Whether the difference is real at the 5 % level. Plain counts differ when they differ.
  bool is_significant() const { return p_value ? *p_value < 0.05 : mean != 0; }
};

/// From values that belong together one by one (the same seed): Student's t over their differences. Needs two pairs.
Difference paired_difference(const std::vector<double>& a, const std::vector<double>& b);

/// From two means that know their interval, each from so many values: Welch's t with Satterthwaite's degrees of
/// freedom. Without intervals only the difference itself is known.
Difference independent_difference(const platforms::Estimate& a, double values_a, const platforms::Estimate& b,
                                  double values_b);

/// P-values of a family of tests, each made as large as needed for a 5 % chance of one false alarm in all (Holm 1979).
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace switchyard::cli

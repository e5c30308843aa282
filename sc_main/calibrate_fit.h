// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace switchyard::cli {

/// How a fit ended.
enum class FitEnd : std::uint8_t {
  running,
  fitted,        ///< the target is met
  out_of_range,  ///< the bound is the best that the allowed range has
  no_effect,     ///< the parameter does not change the measurement
  not_converged  ///< out of runs, or no whole number comes near enough
};

/// Share of a target by which measurements may differ without telling anything: a tolerance wider than the usual one is
/// asked for because each measurement is off by nearly that much.
double fit_noise(double near);

/// Share of its range that a number has to move by for a slope that the noise does not hide; 0 for smooth measurements.
double fit_probe_share(double near);

/// Finds the whole number for which a measurement, nearly linear in it, meets a target: secant steps, the first of
/// which takes the measurement as proportional and so never overshoots a linear one.
/// A wider tolerance than kNear is for measurements that jump by nearly as much from one number to the next: then the
/// first step is long, slopes are taken only from points that differ by more, and the points near the target together
/// say where to go.
class Fit {
 public:
  static constexpr double kNear = 0.002;       ///< met: within this share of the target, when nothing else is said
  static constexpr std::size_t kMostRuns = 6;  ///< in one search

  Fit(std::uint64_t min, std::uint64_t max, double target, double near = kNear)
      : min_(min), max_(max), target_(target), near_(near) {}

  /// Begins a search at `value`. Earlier measurements are forgotten, because what they depend on has changed; what
  /// they say of the slope is kept.
  void start(std::uint64_t value);
  /// The value to measure next; nothing when the search has ended.
  std::optional<std::uint64_t> next() const { return next_; }
  /// The measurement for next().
  void feed(double measured);

  FitEnd end() const { return end_; }
  std::uint64_t value() const { return best().value; }
  double measured() const { return best().measured; }
  /// The number that a straight line through the nearest measurements wants; may lie outside the allowed range.
  double needed() const { return needed_; }
  std::size_t runs() const { return runs_; }

 private:
  struct Point {
    std::uint64_t value = 0;
    double measured = 0;
  };
  const Point& best() const { return points_.front(); }
  bool is_known(std::uint64_t value) const;
  /// Of a measurement; 0 when it is smooth.
  double noise() const { return fit_noise(near_) * std::abs(target_); }
  void learn_slope();
  /// Where the slope meets the target: from the best point, with noise from the mean of those that are as good.
  double wanted() const;
  std::optional<std::uint64_t> nearest_unknown(std::uint64_t value) const;
  void finish(FitEnd end);
  void aim();
  std::optional<std::uint64_t> probe() const;

  std::uint64_t min_, max_;
  double target_, near_;
  std::vector<Point> points_;  // nearest to the target first
  std::optional<double> slope_;
  std::optional<std::uint64_t> next_;
  FitEnd end_ = FitEnd::running;
  double needed_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sc_main/calibrate_fit.h"

namespace switchyard::cli {

/// Finds whole numbers for which several measurements, each nearly linear in all of them, meet their targets: the
/// slopes are measured once, one number at a time, then Newton steps with Broyden's correction of the slopes (C. G.
/// Broyden, Math. Comp. 19, 1965). A number that would have to leave its range stays at the bound, and its target with
/// it. Where the measurement failed the search goes half the way back. Noise, as with Fit, changes no slope, and points
/// that differ by no more together say where the targets are. The result is the best point that was measured.
class JointFit {
 public:
  using Values = std::vector<std::uint64_t>;  // [number]
  using Vector = std::vector<double>;
  static constexpr std::size_t kMostSteps = 8;

  struct Range {
    std::uint64_t min = 0, max = 0;
    double target = 0;
  };
  JointFit(std::vector<Range> ranges, Values start, double near = Fit::kNear);

  /// Where to measure all targets next; empty when the search has ended.
  const std::vector<Values>& next() const { return next_; }
  /// [point of next()][target]: what was measured there; no targets where the measurement failed. A start that fails
  /// ends the search.
  void feed(const std::vector<Vector>& measured);

  const Values& values() const { return points_.empty() ? start_ : points_[best_].values; }
  FitEnd end(std::size_t number) const { return ends_[number]; }
  /// The number that the slopes want; may lie outside the allowed range.
  double needed(std::size_t number) const { return needed_[number]; }

 private:
  using Flags = std::vector<bool>;  // [number], or [target] of the number at the same place
  struct Point {
    Values values;
    Vector measured;  // empty: failed
    bool has_failed() const { return measured.empty(); }
  };
  std::size_t size() const { return ranges_.size(); }
  std::size_t most_points() const { return 1 + size() + kMostSteps; }
  const Point& base() const { return points_[base_]; }
  double span(std::size_t number) const { return static_cast<double>(ranges_[number].max - ranges_[number].min); }
  /// Targets count in units of their own size.
  double scale(std::size_t target) const;
  /// From the target, in units of what counts as met.
  double distance(std::size_t target, double measured) const;
  /// The largest of the targets that are not left out.
  double distance(const Point& point, const Flags& left_out) const;
  bool is_known(const Values& values) const;
  bool is_at_bounds(const Values& values) const;
  std::size_t nearest(const Flags& left_out) const;
  Values first_probe(std::size_t number) const;
  static Values halfway(const Values& from, const Values& to);

  void begin();
  void learn_slopes(std::size_t first);
  void take_step();
  void correct_slopes(const Point& to);
  double expected_move(std::size_t target, const Values& from, const Values& to) const;
  Vector measured_at_base() const;
  void aim();
  void go(Values to);
  /// Sets the numbers that are not fixed so that their targets are met; false where the slopes do not tell.
  bool solve(const Vector& measured, Vector& wanted) const;
  /// Puts the number that is most outside its range to the bound and fixes it there; false when none is outside.
  bool fix_outside(Vector& wanted);
  std::optional<Values> unknown_beside(const Values& to) const;
  void finish();

  std::vector<Range> ranges_;
  double near_;
  Values start_;
  std::vector<Point> points_;        // in the order of their measurement
  std::size_t base_ = 0, best_ = 0;  // indices of points_
  std::vector<Vector> slopes_;       // [target][number]
  Flags cannot_move_, is_fixed_;     // is_fixed_: at a bound, or cannot move
  std::vector<std::size_t> probed_;  // numbers that next() has the probes of
  Vector needed_;
  std::vector<FitEnd> ends_;
  std::vector<Values> next_;
};

}  // namespace switchyard::cli

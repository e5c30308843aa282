// SPDX-License-Identifier: Apache-2.0
#include "sc_main/calibrate_joint.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

/// Solves `a x = b` by elimination with row pivots; nothing where `a` is singular.
std::optional<std::vector<double>> solve_linear(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(a[row][k]) > std::abs(a[pivot][k])) pivot = row;
    if (std::abs(a[pivot][k]) < 1e-12) return std::nullopt;  // in units of targets and ranges
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t row = k + 1; row < n; ++row) {
      const double factor = a[row][k] / a[k][k];
      for (std::size_t column = k; column < n; ++column) a[row][column] -= factor * a[k][column];
      b[row] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t column = k + 1; column < n; ++column) b[k] -= a[k][column] * b[column];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace

JointFit::JointFit(std::vector<Range> ranges, Values start, double near)
    : ranges_(std::move(ranges)),
      near_(near),
      start_(std::move(start)),
      slopes_(ranges_.size(), Vector(ranges_.size())),
      ends_(ranges_.size(), FitEnd::running) {
  for (std::size_t i = 0; i < size(); ++i) {
    start_[i] = std::clamp(start_[i], ranges_[i].min, ranges_[i].max);
    cannot_move_.push_back(ranges_[i].min == ranges_[i].max);
  }
  is_fixed_ = cannot_move_;
  needed_.assign(start_.begin(), start_.end());
  next_.push_back(start_);
}

double JointFit::scale(std::size_t target) const {
  return ranges_[target].target == 0 ? 1 : std::abs(ranges_[target].target);
}

double JointFit::distance(std::size_t target, double measured) const {
  return std::abs(measured - ranges_[target].target) / scale(target) / near_;
}

double JointFit::distance(const Point& point, const Flags& left_out) const {
  double result = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (!left_out[i]) result = std::max(result, distance(i, point.measured[i]));
  return result;
}

bool JointFit::is_known(const Values& values) const {
  return std::any_of(points_.begin(), points_.end(), [&](const Point& point) { return point.values == values; });
}

bool JointFit::is_at_bounds(const Values& values) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (is_fixed_[i] && values[i] != ranges_[i].min && values[i] != ranges_[i].max) return false;
  return true;
}

/// The first of the points with the smallest largest distance. The start has not failed.
std::size_t JointFit::nearest(const Flags& left_out) const {
  std::size_t result = 0;
  for (std::size_t i = 1; i < points_.size(); ++i)
    if (!points_[i].has_failed() && distance(points_[i], left_out) < distance(points_[result], left_out)) result = i;
  return result;
}

/// Far enough from the start for a slope: a quarter of the number, or a 64th of the range; more where there is noise.
JointFit::Values JointFit::first_probe(std::size_t number) const {
  const auto [min, max, target] = ranges_[number];
  const std::uint64_t value = start_[number];
  const auto least = static_cast<std::uint64_t>(fit_probe_share(near_) * span(number));
  const std::uint64_t step = std::max({value >= 4 ? value / 4 : (max - min) / 64, least, std::uint64_t{1}});
  Values point = start_;
  if (max - value >= step)
    point[number] = value + step;
  else
    point[number] = value - min >= step ? value - step : (max - value > value - min ? max : min);
  return point;
}

JointFit::Values JointFit::halfway(const Values& from, const Values& to) {
  Values result;
  for (std::size_t i = 0; i < from.size(); ++i)
    result.push_back(from[i] < to[i] ? from[i] + (to[i] - from[i]) / 2 : from[i] - (from[i] - to[i]) / 2);
  return result;
}

void JointFit::feed(const std::vector<Vector>& measured) {
  SWITCHYARD_ASSERT(measured.size() == next_.size(), "every point was measured");
  const std::size_t first = points_.size();
  for (std::size_t i = 0; i < measured.size(); ++i) points_.push_back({std::move(next_[i]), measured[i]});
  next_.clear();
  if (first == 0) return begin();
  if (!probed_.empty()) return learn_slopes(first);
  take_step();
}

void JointFit::begin() {
  if (base().has_failed()) {
    ends_.assign(size(), FitEnd::not_converged);
    return;
  }
  if (distance(base(), Flags(size())) > 1)
    for (std::size_t i = 0; i < size(); ++i) {
      if (cannot_move_[i]) continue;
      probed_.push_back(i);
      next_.push_back(first_probe(i));
    }
  if (next_.empty()) finish();
}

/// From the probes, which begin at `first`; a probe that failed is made again at half the distance.
void JointFit::learn_slopes(std::size_t first) {
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < probed_.size(); ++i) {
    const std::size_t number = probed_[i];
    const Point& probe = points_[first + i];
    if (probe.has_failed()) {
      Values nearer = halfway(start_, probe.values);
      if (nearer == start_ || points_.size() + next_.size() >= most_points()) continue;
      again.push_back(number);
      next_.push_back(std::move(nearer));
      continue;
    }
    const double moved = static_cast<double>(probe.values[number]) - static_cast<double>(start_[number]);
    for (std::size_t target = 0; target < size(); ++target)
      slopes_[target][number] = (probe.measured[target] - base().measured[target]) / moved;
  }
  probed_ = std::move(again);
  if (!probed_.empty()) return;
  base_ = nearest(cannot_move_);
  aim();
}

/// A step that leads far away teaches the slopes, but the next one begins at the best point.
void JointFit::take_step() {
  const Point& to = points_.back();
  if (to.has_failed()) return go(halfway(base().values, to.values));
  correct_slopes(to);
  base_ = points_.size() - 1;
  if (const std::size_t best = nearest(cannot_move_);
      distance(base(), cannot_move_) > 2 * distance(points_[best], cannot_move_) && distance(base(), is_fixed_) > 1)
    base_ = best;
  aim();
}

double JointFit::expected_move(std::size_t target, const Values& from, const Values& to) const {
  double move = 0;
  for (std::size_t k = 0; k < size(); ++k)
    move += slopes_[target][k] * (static_cast<double>(to[k]) - static_cast<double>(from[k]));
  return move;
}

/// The smallest change of the slopes that explains what the last step gave beyond the noise.
void JointFit::correct_slopes(const Point& to) {
  Vector step(size());  // in units of the ranges, so that no number counts more than the others
  double square = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    if (cannot_move_[k]) continue;
    step[k] = (static_cast<double>(to.values[k]) - static_cast<double>(base().values[k])) / span(k);
    square += step[k] * step[k];
  }
  if (square == 0) return;
  for (std::size_t target = 0; target < size(); ++target) {
    const double expected = base().measured[target] + expected_move(target, base().values, to.values);
    const double off = to.measured[target] - expected, noise = fit_noise(near_) * scale(target);
    const double beyond = std::copysign(std::max(std::abs(off) - noise, 0.0), off);
    for (std::size_t k = 0; k < size(); ++k)
      if (!cannot_move_[k]) slopes_[target][k] += beyond * step[k] / square / span(k);
  }
}

/// What the base would have given without noise: the mean of all points that should not differ by more than it.
JointFit::Vector JointFit::measured_at_base() const {
  if (fit_noise(near_) == 0) return base().measured;
  Vector sum(size());
  double count = 0;
  for (const Point& point : points_) {
    bool is_near = !point.has_failed();
    for (std::size_t i = 0; i < size() && is_near; ++i)
      is_near = std::abs(expected_move(i, point.values, base().values)) <= 2 * fit_noise(near_) * scale(i);
    if (!is_near) continue;
    for (std::size_t i = 0; i < size(); ++i)
      sum[i] += point.measured[i] + expected_move(i, point.values, base().values);
    ++count;
  }
  for (double& one : sum) one /= count;  // the base itself is one of them
  return sum;
}

void JointFit::aim() {
  if (distance(points_[nearest(Flags(size()))], Flags(size())) <= 1 || points_.size() >= most_points()) return finish();
  is_fixed_ = cannot_move_;
  const Vector measured = measured_at_base();
  Vector wanted(base().values.begin(), base().values.end());
  if (!solve(measured, wanted)) return finish();
  needed_ = wanted;
  while (fix_outside(wanted))
    if (!solve(measured, wanted)) return finish();
  Values to;
  for (const double value : wanted) to.push_back(static_cast<std::uint64_t>(std::llround(value)));
  bool is_there = distance(base(), is_fixed_) <= 1;  // all that can be met, with the others where they have to be
  for (std::size_t i = 0; i < size(); ++i) is_there &= !is_fixed_[i] || to[i] == base().values[i];
  if (is_there) return finish();
  go(std::move(to));
}

/// Measures `to`, or a point beside it that is not known yet.
void JointFit::go(Values to) {
  const auto failed_there = [&] {
    return std::any_of(points_.begin(), points_.end(),
                       [&](const Point& point) { return point.has_failed() && point.values == to; });
  };
  while (failed_there()) to = halfway(base().values, to);
  if (is_known(to)) {
    const std::optional<Values> beside = unknown_beside(to);
    if (!beside) return finish();
    to = *beside;
  }
  if (points_.size() >= most_points()) return finish();
  next_.push_back(std::move(to));
}

/// With noise, a neighbour is as good as the point itself.
std::optional<JointFit::Values> JointFit::unknown_beside(const Values& to) const {
  if (fit_noise(near_) == 0) return std::nullopt;
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_fixed_[i]) continue;
    Values other = to;
    if (to[i] < ranges_[i].max && (other[i] = to[i] + 1, !is_known(other))) return other;
    if (to[i] > ranges_[i].min && (other[i] = to[i] - 1, !is_known(other))) return other;
  }
  return std::nullopt;
}

bool JointFit::solve(const Vector& measured, Vector& wanted) const {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < size(); ++i)
    if (!is_fixed_[i]) free.push_back(i);
  std::vector<Vector> a;
  Vector b;
  for (const std::size_t target : free) {
    double gap = ranges_[target].target - measured[target];
    for (std::size_t k = 0; k < size(); ++k)
      if (is_fixed_[k]) gap -= slopes_[target][k] * (wanted[k] - static_cast<double>(base().values[k]));
    Vector& row = a.emplace_back();
    for (const std::size_t k : free) row.push_back(slopes_[target][k] * span(k) / scale(target));
    b.push_back(gap / scale(target));
  }
  const std::optional<Vector> moves = solve_linear(std::move(a), std::move(b));
  if (!moves) return false;
  for (std::size_t i = 0; i < free.size(); ++i)
    wanted[free[i]] = static_cast<double>(base().values[free[i]]) + (*moves)[i] * span(free[i]);
  return true;
}

bool JointFit::fix_outside(Vector& wanted) {
  double farthest = 0;
  std::size_t worst = size();
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_fixed_[i]) continue;
    const double low = static_cast<double>(ranges_[i].min), high = static_cast<double>(ranges_[i].max);
    const double outside = std::max(low - 0.5 - wanted[i], wanted[i] - high - 0.5) / span(i);
    if (outside <= farthest) continue;
    farthest = outside;
    worst = i;
  }
  if (worst == size()) {
    for (std::size_t i = 0; i < size(); ++i)
      wanted[i] = std::clamp(wanted[i], static_cast<double>(ranges_[i].min), static_cast<double>(ranges_[i].max));
    return false;
  }
  needed_[worst] = wanted[worst];
  wanted[worst] = static_cast<double>(wanted[worst] < static_cast<double>(ranges_[worst].min) ? ranges_[worst].min
                                                                                              : ranges_[worst].max);
  is_fixed_[worst] = true;
  return true;
}

/// The point that meets every target whose number is not at a bound, else the one with the smallest largest distance.
void JointFit::finish() {
  best_ = nearest(Flags(size()));
  const bool any_free = std::find(is_fixed_.begin(), is_fixed_.end(), false) != is_fixed_.end();
  std::optional<std::size_t> at_bounds;
  for (std::size_t i = 0; i < points_.size() && any_free; ++i) {
    const Point& point = points_[i];
    if (point.has_failed() || distance(point, is_fixed_) > 1 || !is_at_bounds(point.values)) continue;
    if (!at_bounds || distance(point, Flags(size())) < distance(points_[*at_bounds], Flags(size()))) at_bounds = i;
  }
  if (at_bounds && distance(points_[best_], Flags(size())) > 1) best_ = *at_bounds;
  const auto has_moved = [&](std::size_t number) {
    return std::any_of(points_.begin(), points_.end(), [&](const Point& point) {
      return !point.has_failed() && point.values[number] != start_[number];
    });
  };
  for (std::size_t i = 0; i < size(); ++i) {
    if (distance(i, points_[best_].measured[i]) <= 1)
      ends_[i] = FitEnd::fitted;
    else if (is_fixed_[i])
      ends_[i] = FitEnd::out_of_range;
    else
      ends_[i] = has_moved(i) && slopes_[i][i] == 0 ? FitEnd::no_effect : FitEnd::not_converged;
  }
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/calibrate_fit.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace switchyard::cli {

double fit_noise(double near) { return near > Fit::kNear ? 2 * near : 0; }

double fit_probe_share(double near) { return near > Fit::kNear ? std::min(10 * near, 0.2) : 0; }

void Fit::start(std::uint64_t value) {
  points_.clear();
  end_ = FitEnd::running;
  next_ = std::clamp(value, min_, max_);
}

bool Fit::is_known(std::uint64_t value) const {
  return std::any_of(points_.begin(), points_.end(), [&](const Point& p) { return p.value == value; });
}

void Fit::finish(FitEnd end) {
  end_ = end;
  next_.reset();
}

void Fit::feed(double measured) {
  SWITCHYARD_ASSERT(next_, "a measurement was asked for");
  ++runs_;
  points_.push_back({*next_, measured});
  std::stable_sort(points_.begin(), points_.end(), [&](const Point& a, const Point& b) {
    return std::abs(a.measured - target_) < std::abs(b.measured - target_);
  });
  needed_ = static_cast<double>(best().value);
  if (std::abs(best().measured - target_) <= near_ * std::abs(target_)) return finish(FitEnd::fitted);
  learn_slope();
  if (slope_ && *slope_ == 0) return finish(FitEnd::no_effect);
  if (points_.size() >= kMostRuns) return finish(FitEnd::not_converged);
  aim();
}

/// From the best point and the next best that tells it from the noise.
void Fit::learn_slope() {
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const double change = points_[0].measured - points_[i].measured;
    if (noise() > 0 && std::abs(change) <= noise()) continue;
    slope_ = change / (static_cast<double>(points_[0].value) - static_cast<double>(points_[i].value));
    return;
  }
}

double Fit::wanted() const {
  double sum = 0;
  std::size_t count = 0;
  for (const Point& point : points_) {
    if (count > 0 && std::abs(point.measured - target_) > 2 * noise()) continue;
    sum += static_cast<double>(point.value) + (target_ - point.measured) / *slope_;
    ++count;
    if (noise() == 0) break;
  }
  return sum / static_cast<double>(count);
}

std::optional<std::uint64_t> Fit::nearest_unknown(std::uint64_t value) const {
  for (std::uint64_t step = 1; step <= kMostRuns; ++step) {
    if (max_ - value >= step && !is_known(value + step)) return value + step;
    if (value - min_ >= step && !is_known(value - step)) return value - step;
  }
  return std::nullopt;
}

void Fit::aim() {
  if (!slope_) {
    next_ = probe();
    if (!next_) finish(FitEnd::out_of_range);
    return;
  }
  needed_ = wanted();
  const double low = static_cast<double>(min_), high = static_cast<double>(max_);
  const bool is_outside = needed_ < low - 0.5 || needed_ > high + 0.5;
  const auto aimed = static_cast<std::uint64_t>(std::llround(std::clamp(needed_, low, high)));
  next_ = is_known(aimed) && noise() > 0 && !is_outside ? nearest_unknown(aimed) : aimed;
  if (!next_ || is_known(*next_)) finish(is_outside ? FitEnd::out_of_range : FitEnd::not_converged);
}

std::optional<std::uint64_t> Fit::probe() const {
  const double value = static_cast<double>(best().value);
  const double low = static_cast<double>(min_), high = static_cast<double>(max_);
  double step = best().measured > 0 ? value * (target_ - best().measured) / best().measured : 0;
  if (std::abs(step) < 1) step = std::copysign(std::max(1.0, (high - low) / 16), target_ - best().measured);
  const double least = fit_probe_share(near_) * (high - low);
  if (std::abs(step) < least) step = std::copysign(least, step);
  const auto forward = static_cast<std::uint64_t>(std::llround(std::clamp(value + step, low, high)));
  if (!is_known(forward)) return forward;
  const auto back = static_cast<std::uint64_t>(std::llround(std::clamp(value - step, low, high)));  // for the slope
  if (!is_known(back)) return back;
  return std::nullopt;
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/calibrate_fit.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace switchyard::cli {

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
  if (std::abs(best().measured - target_) <= kNear * std::abs(target_)) return finish(FitEnd::fitted);
  if (points_.size() >= 2) {
    const double distance = static_cast<double>(points_[0].value) - static_cast<double>(points_[1].value);
    slope_ = (points_[0].measured - points_[1].measured) / distance;
  }
  if (slope_ && *slope_ == 0) return finish(FitEnd::no_effect);
  if (points_.size() >= kMostRuns) return finish(FitEnd::not_converged);
  aim();
}

void Fit::aim() {
  if (!slope_) {
    next_ = probe();
    if (!next_) finish(FitEnd::out_of_range);
    return;
  }
  needed_ = static_cast<double>(best().value) + (target_ - best().measured) / *slope_;
  const double low = static_cast<double>(min_), high = static_cast<double>(max_);
  const bool is_outside = needed_ < low - 0.5 || needed_ > high + 0.5;
  const auto aimed = static_cast<std::uint64_t>(std::llround(std::clamp(needed_, low, high)));
  if (is_known(aimed)) return finish(is_outside ? FitEnd::out_of_range : FitEnd::not_converged);
  next_ = aimed;
}

std::optional<std::uint64_t> Fit::probe() const {
  const double value = static_cast<double>(best().value);
  const double low = static_cast<double>(min_), high = static_cast<double>(max_);
  double step = best().measured > 0 ? value * (target_ - best().measured) / best().measured : 0;
  if (std::abs(step) < 1) step = std::copysign(std::max(1.0, (high - low) / 16), target_ - best().measured);
  const auto forward = static_cast<std::uint64_t>(std::llround(std::clamp(value + step, low, high)));
  if (!is_known(forward)) return forward;
  const auto back = static_cast<std::uint64_t>(std::llround(std::clamp(value - step, low, high)));  // for the slope
  if (!is_known(back)) return back;
  return std::nullopt;
}

}  // namespace switchyard::cli

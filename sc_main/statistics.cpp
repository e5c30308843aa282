// SPDX-License-Identifier: Apache-2.0
#include "sc_main/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

using platforms::Estimate;

/// Continued fraction of the incomplete beta function by Lentz's method (Press et al., Numerical Recipes, 6.4).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  constexpr int kMost = 10'000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return result;
}

/// Regularised incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// Half-width and p-value of a mean difference that has this standard error.
Difference tested(double mean, double standard_error, double degrees, bool is_paired) {
  Difference result{mean, standard_error * student_t_quantile(degrees), 1.0, is_paired};
  if (standard_error > 0)
    result.p_value = student_t_tail(std::abs(mean) / standard_error, degrees);
  else if (mean != 0)
    result.p_value = 0;
  return result;
}

double squared(double value) { return value * value; }

}  // namespace

double student_t_tail(double t, double degrees) {
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_t_quantile(double degrees) {
  constexpr double kTail = 0.05;
  double low = 1.9, high = 12.8;  // of infinitely many degrees and of one
  while (high - low > 1e-12 * high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (student_t_tail(middle, degrees) > kTail ? low : high) = middle;
  }
  return (low + high) / 2;
}

Estimate mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += squared(value - mean);
  if (values.size() < 2) return {mean, 0};
  return {mean, student_t_quantile(n - 1) * std::sqrt(squares / (n - 1) / n)};
}

Difference paired_difference(const std::vector<double>& a, const std::vector<double>& b) {
  SWITCHYARD_ASSERT(a.size() == b.size() && a.size() > 1, "the caller pairs the values");
  const auto n = static_cast<double>(a.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean += (b[i] - a[i]) / n;
  for (std::size_t i = 0; i < a.size(); ++i) squares += squared(b[i] - a[i] - mean);
  return tested(mean, std::sqrt(squares / (n - 1) / n), n - 1, true);
}

Difference independent_difference(const Estimate& a, double values_a, const Estimate& b, double values_b) {
  const double mean = b.mean - a.mean;
  if ((a.ci95 == 0 && b.ci95 == 0) || values_a < 2 || values_b < 2) return {mean, {}, {}, false};
  const double variance_a = squared(a.ci95 / student_t_quantile(values_a - 1));
  const double variance_b = squared(b.ci95 / student_t_quantile(values_b - 1));
  const double degrees =
      squared(variance_a + variance_b) / (squared(variance_a) / (values_a - 1) + squared(variance_b) / (values_b - 1));
  return tested(mean, std::sqrt(variance_a + variance_b), std::max(1.0, degrees), false);
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> result(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double factor = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[rank]]));
    result[order[rank]] = largest;
  }
  return result;
}

}  // namespace switchyard::cli

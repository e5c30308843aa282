// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_sweep.h"

#include <algorithm>
#include <cmath>

namespace switchyard::cli {
namespace {

bool holds(const Judgement& number) { return number.verdict == Verdict::holds || number.verdict == Verdict::no_effect; }

/// The gap in units of the published error; of the tolerance where no error was published.
std::optional<double> deviation(const Figure& figure, const Judgement& number) {
  std::optional<double> unit = number.is_change ? figure.change_error : figure.value_error;
  if (!unit || *unit == 0) unit = number.tolerance;
  if (!unit || *unit == 0 || !number.gap) return std::nullopt;
  return *number.gap / *unit;
}

void add_figure(const CompareRow& row, ValueSupport& value, std::vector<double>& squares) {
  bool is_predicted = false, all_hold = true;
  for (const Judgement& number : row.numbers) {
    if (number.kind != FigureKind::predicted) continue;
    is_predicted = true;
    all_hold &= holds(number);
    if (const auto one = deviation(*row.figure, number)) squares.push_back(*one * *one);
  }
  value.figures += is_predicted ? 1 : 0;
  value.holds += is_predicted && all_hold ? 1 : 0;
}

ValueSupport value_support(const Comparison& comparison, std::size_t case_index) {
  ValueSupport value;
  value.case_index = case_index;
  std::vector<double> squares;
  for (const CompareRow& row : comparison.rows()) {
    if (row.case_index != case_index || !row.figure || !row.figure->unexplained.empty()) continue;
    value.has_failed |= !row.error.empty();
    add_figure(row, value, squares);
  }
  double sum = 0;
  for (const double square : squares) sum += square;
  if (!squares.empty()) value.mean_square = sum / static_cast<double>(squares.size());
  const std::vector<Calibration>& calibrations = comparison.experiment().calibrations;
  for (std::size_t i = 0; i < calibrations.size(); ++i)
    if (calibrations[i].applies_to(case_index) && calibration_status(comparison.calibrations()[i]) != "fitted")
      value.failed_fits.push_back(calibrations[i].parameter);
  return value;
}

Spread spread_of(const Comparison& comparison, const Sweep& sweep, std::size_t variant, const std::string& metric) {
  Spread result;
  result.variant_index = variant;
  result.metric = metric;
  for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c) {
    const CompareRow* row = comparison.row(c, variant, metric);
    if (!row || !row->change) continue;
    const double change = row->change->mean;
    if (result.values == 0 || change < result.least) {
      result.least = change;
      result.at_least = c;
    }
    if (result.values == 0 || change > result.most) {
      result.most = change;
      result.at_most = c;
    }
    ++result.values;
  }
  return result;
}

}  // namespace

double ValueSupport::rms() const { return std::sqrt(mean_square.value_or(0)); }

std::vector<Spread> spreads(const Comparison& comparison, const Sweep& sweep) {
  std::vector<Spread> result;
  for (const std::size_t v : comparison.experiment().case_variants[sweep.first_case])
    for (const std::string& metric : comparison.experiment().metrics(sweep.first_case))
      if (Spread one = spread_of(comparison, sweep, v, metric); one.values > 0) result.push_back(std::move(one));
  return result;
}

Support support(const Comparison& comparison, const Sweep& sweep) {
  Support result;
  for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c)
    result.values.push_back(value_support(comparison, c));
  const std::vector<ValueSupport>& values = result.values;
  const auto compares = [&](std::size_t i) { return !values[i].has_failed && values[i].mean_square.has_value(); };
  for (std::size_t i = 0; i < values.size(); ++i)
    if (compares(i) && (!result.best || values[i].rms() < values[*result.best].rms())) result.best = i;
  if (!result.best) return result;
  const ValueSupport& best = values[*result.best];
  result.is_supported = best.rms() <= kExcluded || 2 * best.holds >= best.figures;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != *result.best && compares(i) && values[i].rms() <= kExcluded * std::max(best.rms(), 1.0))
      result.not_excluded.push_back(i);
  return result;
}

}  // namespace switchyard::cli

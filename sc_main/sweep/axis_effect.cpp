// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/axis_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "platforms/run_outcome.h"
#include "sc_main/sweep/point_run.h"

namespace switchyard::cli {
namespace {

constexpr double kLevel = 0.05;

/// Values of `a` and `b` for the seeds that both have done.
void pair_up(const TablePoint& a, const TablePoint& b, const std::string& metric, std::vector<double>& from,
             std::vector<double>& to) {
  std::map<std::uint64_t, double> first;
  for (const StoredRun& run : a.runs)
    if (const MetricValue* value = run.status == RunStatus::done ? run.find(metric) : nullptr)
      first[run.seed] = value->value;
  for (const StoredRun& run : b.runs) {
    const MetricValue* value = run.status == RunStatus::done ? run.find(metric) : nullptr;
    const auto found = first.find(run.seed);
    if (!value || found == first.end()) continue;
    from.push_back(found->second);
    to.push_back(value->value);
  }
}

/// What two points must share to differ in `axis` alone.
std::vector<std::optional<std::string>> other_values(const SweepTable& table, const TablePoint& point,
                                                     const std::string& axis) {
  std::vector<std::optional<std::string>> result;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].axis != axis) result.push_back(point.values[c]);
  return result;
}

bool has_axis(const SweepTable& table, const TablePoint& point, const std::string& axis) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].axis == axis && !point.values[c]) return false;
  return true;
}

/// Points that differ in `axis` alone, the first of each group with each of the others.
std::vector<std::pair<const TablePoint*, const TablePoint*>> pairs_along(const SweepTable& table,
                                                                         const std::string& axis) {
  std::map<std::vector<std::optional<std::string>>, const TablePoint*> first;
  std::vector<std::pair<const TablePoint*, const TablePoint*>> result;
  for (const TablePoint& point : table.points) {
    if (!has_axis(table, point, axis)) continue;
    const auto [found, is_new] = first.try_emplace(other_values(table, point, axis), &point);
    if (!is_new) result.emplace_back(found->second, &point);
  }
  return result;
}

std::optional<AxisEffect> effect_of(const SweepTable& table, const std::string& axis, const std::string& metric) {
  AxisEffect effect{axis, metric, AxisEffect::Kind::identical, 0};
  std::vector<double> p_values;
  bool has_pairs = false;
  for (const auto& [a, b] : pairs_along(table, axis)) {
    const auto difference = point_difference(*a, *b, metric);
    if (!difference) continue;
    has_pairs = true;
    const double base = std::abs(a->estimate(metric)->mean);
    if (base > 0) effect.largest = std::max(effect.largest, std::abs(difference->mean) / base);
    const bool is_same = a->samples(metric) == b->samples(metric);
    if (!is_same && effect.kind == AxisEffect::Kind::identical) effect.kind = AxisEffect::Kind::indistinguishable;
    if (difference->p_value)
      p_values.push_back(*difference->p_value);
    else if (difference->is_significant())
      effect.kind = AxisEffect::Kind::changes;
  }
  if (!has_pairs) return std::nullopt;
  for (const double p : holm(p_values))
    if (p < kLevel) effect.kind = AxisEffect::Kind::changes;
  return effect;
}

}  // namespace

std::optional<Difference> point_difference(const TablePoint& a, const TablePoint& b, const std::string& metric) {
  std::vector<double> from, to;
  pair_up(a, b, metric, from, to);
  if (from.size() > 1) return paired_difference(from, to);
  const auto before = a.estimate(metric), after = b.estimate(metric);
  if (!before || !after) return std::nullopt;
  const auto count = [&](const TablePoint& point) {
    const std::size_t seeds = point.samples(metric).size();
    return static_cast<double>(seeds > 1 ? seeds : std::size_t{platforms::kIntervalBatches});
  };
  return independent_difference(*before, count(a), *after, count(b));
}

std::vector<AxisEffect> axis_effects(const SweepTable& table) {
  std::vector<AxisEffect> result;
  std::vector<std::string> axes;
  for (const SweepTable::Column& column : table.columns)
    if (std::find(axes.begin(), axes.end(), column.axis) == axes.end()) axes.push_back(column.axis);
  for (const std::string& axis : axes)
    for (const std::string& metric : table.metrics)
      if (const auto effect = effect_of(table, axis, metric)) result.push_back(*effect);
  return result;
}

std::string warm_up_text(const SweepTable& table) {
  // MSER-5 leaves out a little of a settled series as well.
  constexpr double kNoticeable = 20;
  std::size_t runs = 0, worst_point = 0;
  double worst = 0;
  for (const TablePoint& point : table.points) {
    for (const StoredRun& run : point.runs) {
      const MetricValue* excess = run.find(kWarmUpExcess);
      if (!excess || excess->value < kNoticeable) continue;
      ++runs;
      if (excess->value <= worst) continue;
      worst = excess->value;
      worst_point = point.number;
    }
  }
  if (runs == 0) return "";
  return fmt::format(
      "warm-up: {} runs seem to be measured too early (MSER-5 leaves out {:.0f} % of the iterations of point "
      "{}); raise run.until.warm_up\n",
      runs, worst, worst_point);
}

nlohmann::ordered_json effects_json(const SweepTable& table) {
  static constexpr std::array<const char*, 3> kKinds{"changes", "indistinguishable", "identical"};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const AxisEffect& effect : axis_effects(table))
    list.push_back({{"axis", effect.axis},
                    {"metric", effect.metric},
                    {"effect", kKinds[static_cast<std::size_t>(effect.kind)]},
                    {"largest_change", effect.largest}});
  return list;
}

std::string inert_axes_text(const SweepTable& table) {
  std::string text;
  for (const AxisEffect& effect : axis_effects(table)) {
    if (effect.kind == AxisEffect::Kind::changes) continue;
    text += fmt::format("axis {} changes nothing in {}: ", effect.axis, effect.metric);
    text += effect.kind == AxisEffect::Kind::identical
                ? "all values are the same\n"
                : fmt::format("no difference is significant (the largest is {:.2g} %)\n", 100 * effect.largest);
  }
  return text;
}

}  // namespace switchyard::cli

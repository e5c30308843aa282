// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platforms/config/text.h"

namespace switchyard::cli {
namespace {

using platforms::allowed_names;
using platforms::ConfigNode;
using platforms::join_path;
using platforms::quoted;
using platforms::shown;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) names.push_back(item.name);
  return names;
}

/// Names become parts of file names.
bool is_plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

/// Metrics whose rest (a function, a statistic) only a run knows.
constexpr std::array<std::string_view, 3> kOpenMetrics{"share.", "per_loop.", "stat."};
constexpr std::array<std::string_view, 4> kFixedMetrics{"real", "user", "sys", "per_iteration_us"};

bool is_metric(std::string_view name) {
  if (std::find(kFixedMetrics.begin(), kFixedMetrics.end(), name) != kFixedMetrics.end()) return true;
  return std::any_of(kOpenMetrics.begin(), kOpenMetrics.end(),
                     [&](std::string_view open) { return name.starts_with(open) && name.size() > open.size(); });
}

}  // namespace

std::string unit_of_metric(std::string_view metric) {
  if (metric == "real" || metric == "user" || metric == "sys") return "s";
  if (metric == "per_iteration_us") return "us";
  return metric.starts_with("share.") ? "%" : "";
}

const ConfigNode* ExperimentText::item_node(std::string_view list, std::size_t index) const {
  const ConfigNode* items = tree_.root.find(list);
  return items && index < items->items.size() ? &items->items[index] : nullptr;
}

bool ExperimentText::has(std::string_view list, std::size_t index, std::string_view key) const {
  const ConfigNode* item = item_node(list, index);
  return item && item->kind == ConfigNode::Kind::map && item->find(key);
}

Spot ExperimentText::spot(std::string_view list, std::size_t index, std::string_view key) const {
  const ConfigNode* item = item_node(list, index);
  if (!item) return whole();
  const std::string path = join_path(join_path("", list), index);
  if (key.empty()) return {item->place, path};
  const ConfigNode* node = item->find(key);
  return {node ? node->place : item->place, join_path(path, key)};
}

Spot ExperimentText::spot(std::string_view list, std::size_t index, std::string_view key, std::size_t item) const {
  const Spot of_key = spot(list, index, key);
  const ConfigNode* owner = item_node(list, index);
  const ConfigNode* node = owner ? owner->find(key) : nullptr;
  if (!node || item >= node->items.size()) return of_key;
  return {node->items[item].place, join_path(of_key.path, item)};
}

void ExperimentCheck::run() {
  variants_ = names_of(params_.variants);
  cases_ = names_of(params_.cases);
  const Spot metrics = text_.whole();
  for (const std::string& metric : params_.metrics) check_metric({metrics.place, "metrics"}, metric);
  check_variants();
  check_cases();
  check_published();
  check_calibrated();
}

void ExperimentCheck::check_unique(std::string_view list, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto first = std::find(names.begin(), names.end(), names[i]) - names.begin();
    const Spot spot = text_.spot(list, i, "name");
    if (static_cast<std::size_t>(first) != i && !names[i].empty())
      error(spot, fmt::format("{} is already the name of {}[{}]", shown(names[i]), list, first));
    if ((names[i].empty() && text_.has(list, i, "name")) || !is_plain(names[i]))
      error(spot, fmt::format("expected a name of letters, digits, '-', '_' and '.', found {}", quoted(names[i])));
  }
}

void ExperimentCheck::check_name(const Spot& spot, std::string_view kind, const std::string& name,
                                 const std::vector<std::string>& known) {
  if (name.empty() || contains(known, name)) return;  // an empty name is missing, and already said so
  error(spot, fmt::format("unknown {} {}{}", kind, shown(name), allowed_names(name, known)));
}

void ExperimentCheck::check_metric(const Spot& spot, const std::string& metric) {
  if (metric.empty() || is_metric(metric)) return;
  std::vector<std::string> known(kFixedMetrics.begin(), kFixedMetrics.end());
  for (const char* form : {"share.FUNCTION", "per_loop.MODULE.STAT", "stat.MODULE.STAT"}) known.push_back(form);
  error(spot, fmt::format("unknown metric {}{}", shown(metric), allowed_names(metric, known)));
}

void ExperimentCheck::check_variants() {
  check_unique("variants", variants_);
  const auto baselines =
      std::count_if(params_.variants.begin(), params_.variants.end(), [](const auto& v) { return v.baseline; });
  if (params_.variants.empty()) {
    error({text_.whole().place, "variants"}, "at least one variant is needed");
  } else if (baselines != 1 && params_.variants.size() > 1) {
    error({text_.whole().place, "variants"},
          fmt::format("exactly one variant says baseline: true, found {}", baselines));
  }
}

void ExperimentCheck::check_cases() {
  check_unique("cases", cases_);
  if (cases_.empty()) error({text_.whole().place, "cases"}, "at least one case is needed");
  for (std::size_t i = 0; i < params_.cases.size(); ++i) {
    const CaseParams& one = params_.cases[i];
    for (std::size_t k = 0; k < one.variants.size(); ++k)
      check_name(text_.spot("cases", i, "variants", k), "variant", one.variants[k], variants_);
    for (std::size_t k = 0; k < one.metrics.size(); ++k)
      check_metric(text_.spot("cases", i, "metrics", k), one.metrics[k]);
    if (one.files.empty() && text_.has("cases", i, "files"))
      error(text_.spot("cases", i, "files"), "at least one file is needed");
  }
}

std::vector<std::string> ExperimentCheck::variants_of(const std::string& case_name) const {
  for (const CaseParams& one : params_.cases)
    if (one.name == case_name && !one.variants.empty()) return one.variants;
  return variants_;
}

void ExperimentCheck::check_published() {
  for (std::size_t i = 0; i < params_.published.size(); ++i) {
    const PublishedParams& figure = params_.published[i];
    check_figure(i);
    check_figure_numbers(i);
    for (std::size_t k = 0; k < i; ++k) {
      const PublishedParams& other = params_.published[k];
      if (figure.case_name == other.case_name && figure.variant == other.variant && figure.metric == other.metric &&
          !figure.case_name.empty())
        error(text_.spot("published", i), fmt::format("published[{}] already has this case, variant and metric", k));
    }
  }
}

void ExperimentCheck::check_figure(std::size_t index) {
  const PublishedParams& figure = params_.published[index];
  const auto spot = [&](std::string_view key) { return text_.spot("published", index, key); };
  check_name(spot("case"), "case", figure.case_name, cases_);
  check_name(spot("variant"), "variant", figure.variant, variants_of(figure.case_name));
  check_metric(spot("metric"), figure.metric);
  const std::string unit = unit_of_metric(figure.metric);
  if (!figure.unit.empty() && !unit.empty() && figure.unit != unit)
    error(spot("unit"), fmt::format("{} is in {}, found {}", figure.metric, unit, shown(figure.unit)));
  const bool is_baseline = std::any_of(params_.variants.begin(), params_.variants.end(), [&](const auto& variant) {
    return variant.baseline && variant.name == figure.variant;
  });
  if (is_baseline && text_.has("published", index, "change_percent"))
    error(spot("change_percent"), "a change is relative to the baseline; this is the baseline variant");
}

void ExperimentCheck::check_figure_numbers(std::size_t index) {
  const auto has = [&](std::string_view key) { return text_.has("published", index, key); };
  const auto spot = [&](std::string_view key) { return text_.spot("published", index, key); };
  const bool no_effect = params_.published[index].expect == Expect::no_effect;
  const bool has_change = has("change_percent") || no_effect;
  if (!has("value") && !has_change) error(spot(""), "a figure has a value, a change_percent, or expect: no-effect");
  for (const char* key : {"error", "error_percent", "tolerance", "tolerance_percent"})
    if (has(key) && !has("value")) error(spot(key), "speaks of `value`, which is not given");
  for (const char* key : {"error_points", "tolerance_points"})
    if (has(key) && !has_change) error(spot(key), "speaks of `change_percent`, which is not given");
  for (const auto& [a, b] : {std::pair("error", "error_percent"), std::pair("tolerance", "tolerance_percent")})
    if (has(a) && has(b)) error(spot(b), fmt::format("give {} or {}, not both", a, b));
  if (has_change && !has("tolerance_points") && !has("error_points"))
    error(spot(""), "say how near a predicted change must come: tolerance_points (or error_points)");
}

void ExperimentCheck::check_calibrated() {
  for (std::size_t i = 0; i < params_.calibrated.size(); ++i) {
    const CalibratedParams& entry = params_.calibrated[i];
    for (std::size_t k = 0; k < entry.cases.size(); ++k)
      check_name(text_.spot("calibrated", i, "cases", k), "case", entry.cases[k], cases_);
    if (entry.min > entry.max)
      error(text_.spot("calibrated", i, "min"), fmt::format("min {} is above max {}", entry.min, entry.max));
    check_target(i);
    for (std::size_t k = 0; k < i; ++k) {
      const CalibratedParams& other = params_.calibrated[k];
      const auto shared = std::find_if(entry.cases.begin(), entry.cases.end(),
                                       [&](const std::string& name) { return contains(other.cases, name); });
      if (other.parameter == entry.parameter && shared != entry.cases.end())
        error(text_.spot("calibrated", i), fmt::format("calibrated[{}] already fits this parameter in {}", k, *shared));
    }
  }
}

void ExperimentCheck::check_target(std::size_t index) {
  const CalibratedParams& entry = params_.calibrated[index];
  const TargetParams& target = entry.against;
  const Spot spot = text_.spot("calibrated", index, "against");
  check_name(spot, "case", target.case_name, cases_);
  check_name(spot, "variant", target.variant, variants_of(target.case_name));
  if (!contains(cases_, target.case_name) || !contains(variants_, target.variant)) return;
  if (!contains(entry.cases, target.case_name))
    error(spot, fmt::format("{} is not among `cases`, so the value would not reach it", target.case_name));
  bool has_figure = false;
  for (std::size_t i = 0; i < params_.published.size(); ++i) {
    const PublishedParams& figure = params_.published[i];
    has_figure |= figure.case_name == target.case_name && figure.variant == target.variant &&
                  figure.metric == target.metric && text_.has("published", i, "value");
  }
  if (!has_figure)
    error(spot, fmt::format("no published value of {} for case {}, variant {}", target.metric, target.case_name,
                            target.variant));
  for (std::size_t k = 0; k < index; ++k) {
    const TargetParams& other = params_.calibrated[k].against;
    if (other.case_name == target.case_name && other.variant == target.variant && other.metric == target.metric)
      error(spot, fmt::format("calibrated[{}] already uses this value; one value decides one parameter", k));
  }
}

}  // namespace switchyard::cli

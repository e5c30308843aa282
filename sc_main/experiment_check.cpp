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

/// Names that `over` makes of a case.
std::vector<std::string> case_names_of(const CaseParams& one) {
  std::vector<std::string> names;
  for (const std::string& value : one.over.values) names.push_back(value_case_name(one.name, value));
  return names;
}

/// Metrics whose rest (a function, a statistic) only a run knows.
constexpr std::array<std::string_view, 4> kOpenMetrics{"share.", "machine_share.", "per_loop.", "stat."};
constexpr std::array<std::string_view, 5> kFixedMetrics{"real", "user", "sys", "per_iteration_us", "warm_up_excess"};

}  // namespace

bool is_metric_name(std::string_view name) {
  if (std::find(kFixedMetrics.begin(), kFixedMetrics.end(), name) != kFixedMetrics.end()) return true;
  return std::any_of(kOpenMetrics.begin(), kOpenMetrics.end(),
                     [&](std::string_view open) { return name.starts_with(open) && name.size() > open.size(); });
}

std::string allowed_metrics(const std::string& name) {
  std::vector<std::string> known(kFixedMetrics.begin(), kFixedMetrics.end());
  for (const char* form : {"share.FUNCTION", "machine_share.FUNCTION", "per_loop.MODULE.STAT", "stat.MODULE.STAT"})
    known.push_back(form);
  return allowed_names(name, known);
}

std::string unit_of_metric(std::string_view metric) {
  if (metric == "real" || metric == "user" || metric == "sys") return "s";
  if (metric == "per_iteration_us") return "us";
  return metric == "warm_up_excess" || metric.starts_with("share.") || metric.starts_with("machine_share.") ? "%" : "";
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

Spot ExperimentText::spot(std::string_view list, std::size_t index, std::string_view group, std::string_view key,
                          std::size_t item) const {
  const Spot of_group = spot(list, index, group);
  const ConfigNode* owner = item_node(list, index);
  const ConfigNode* node = owner ? owner->find(group) : nullptr;
  const ConfigNode* value = node ? node->find(key) : nullptr;
  const std::string path = join_path(of_group.path, key);
  if (!value) return of_group;
  if (item >= value->items.size()) return {value->place, path};
  return {value->items[item].place, join_path(path, item)};
}

void ExperimentCheck::run() {
  variants_ = names_of(params_.variants);
  cases_ = case_names(params_);
  const Spot metrics = text_.whole();
  for (const std::string& metric : params_.metrics) check_metric({metrics.place, "metrics"}, metric);
  check_variants();
  check_cases();
  check_published();
  check_calibrated();
  check_explain();
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
  if (metric.empty() || is_metric_name(metric)) return;
  error(spot, fmt::format("unknown metric {}{}", shown(metric), allowed_metrics(metric)));
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
  check_unique("cases", names_of(params_.cases));
  if (cases_.empty()) error({text_.whole().place, "cases"}, "at least one case is needed");
  for (std::size_t i = 0; i < params_.cases.size(); ++i) {
    const CaseParams& one = params_.cases[i];
    for (std::size_t k = 0; k < one.variants.size(); ++k)
      check_name(text_.spot("cases", i, "variants", k), "variant", one.variants[k], variants_);
    for (std::size_t k = 0; k < one.metrics.size(); ++k)
      check_metric(text_.spot("cases", i, "metrics", k), one.metrics[k]);
    if (one.files.empty() && text_.has("cases", i, "files"))
      error(text_.spot("cases", i, "files"), "at least one file is needed");
    if (text_.has("cases", i, "over")) check_over(i);
  }
}

void ExperimentCheck::check_over(std::size_t index) {
  const OverParams& over = params_.cases[index].over;
  const auto spot = [&](std::string_view key, std::size_t item = 0) {
    return text_.spot("cases", index, "over", key, item);
  };
  if (over.parameter.empty() == over.parameters.empty())
    error(spot(""), "give the path of one parameter, or of several in parameters");
  for (std::size_t i = 0; i < over.parameters.size(); ++i)
    if (over.parameters[i].empty()) error(spot("parameters", i), "a path is missing");
  if (over.values.empty()) error(spot("values"), "give the values that the parameter takes");
  for (std::size_t i = 0; i < over.values.size(); ++i) {
    const std::string& value = over.values[i];
    if (value.empty()) error(spot("values", i), "a value is missing");
    const auto first = std::find(over.values.begin(), over.values.end(), value) - over.values.begin();
    if (static_cast<std::size_t>(first) != i) error(spot("values", i), fmt::format("{} is there twice", shown(value)));
  }
  if (!over.seeds.empty() && over.seeds.size() != over.values.size())
    error(spot(""), fmt::format("seeds must be as many as values: {}, not {}", over.values.size(), over.seeds.size()));
  check_name(spot("reference"), "value", over.reference, over.values);
}

void ExperimentCheck::check_explain() {
  for (std::size_t i = 0; i < params_.explain.size(); ++i)
    check_metric(text_.spot("explain", i, "metric"), params_.explain[i].metric);
}

std::vector<std::string> ExperimentCheck::variants_of(const std::string& case_name) const {
  for (const CaseParams& one : params_.cases)
    if (!one.variants.empty() && (one.name == case_name || contains(case_names_of(one), case_name)))
      return one.variants;
  return variants_;
}

void ExperimentCheck::check_published() {
  for (std::size_t i = 0; i < params_.published.size(); ++i) {
    check_figure(i);
    check_figure_numbers(i);
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
  if (no_effect && has("unexplained") && !has("change_percent"))
    error(spot("unexplained"), "say which change was measured: change_percent");
}

void ExperimentCheck::check_calibrated() {
  for (std::size_t i = 0; i < params_.calibrated.size(); ++i) {
    const CalibratedParams& entry = params_.calibrated[i];
    for (std::size_t k = 0; k < entry.cases.size(); ++k)
      check_name(text_.spot("calibrated", i, "cases", k), "case", entry.cases[k], cases_);
    if (entry.min > entry.max)
      error(text_.spot("calibrated", i, "min"), fmt::format("min {} is above max {}", entry.min, entry.max));
    const Spot against = text_.spot("calibrated", i, "against");
    check_name(against, "case", entry.against.case_name, cases_);
    check_name(against, "variant", entry.against.variant, variants_of(entry.against.case_name));
    check_takers(i);
  }
}

/// A case that is not over the parameter of the target needs to know which of its values to take over.
void ExperimentCheck::check_takers(std::size_t index) {
  const CalibratedParams& entry = params_.calibrated[index];
  const auto target = std::find_if(params_.cases.begin(), params_.cases.end(),
                                   [&](const CaseParams& one) { return one.name == entry.against.case_name; });
  if (target == params_.cases.end() || target->over.values.empty() || !target->over.reference.empty()) return;
  for (std::size_t k = 0; k < entry.cases.size(); ++k) {
    const std::string& name = entry.cases[k];
    const bool is_same = std::any_of(params_.cases.begin(), params_.cases.end(), [&](const CaseParams& one) {
      return one.over.paths() == target->over.paths() && (one.name == name || contains(case_names_of(one), name));
    });
    if (!is_same && contains(cases_, name))
      error(text_.spot("calibrated", index, "cases", k),
            fmt::format("{} has a fit for each value and no over.reference; say which one {} takes over", target->name,
                        name));
  }
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "sc_main/experiment_check.h"

namespace switchyard::cli {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class T>
bool has_name(const std::vector<T>& items, const std::string& name) {
  return std::any_of(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
}

/// Whether two entries (figures, targets) speak of the same number.
template <class A, class B>
bool is_same(const A& a, const B& b) {
  return a.case_name == b.case_name && a.variant == b.variant && a.metric == b.metric;
}

}  // namespace

void ExpandedCheck::run() {
  for (std::size_t i = 0; i < params_.published.size(); ++i) check_published(i);
  for (std::size_t i = 0; i < params_.calibrated.size(); ++i) {
    check_parameter(i);
    check_target(i);
  }
}

void ExpandedCheck::error(const Spot& spot, const std::string& what) {
  if (said_.insert(spot.path + ": " + what).second) diagnostics_.error(spot.place, spot.path, what);
}

void ExpandedCheck::check_published(std::size_t index) {
  const PublishedParams& figure = params_.published[index];
  for (std::size_t k = 0; k < index; ++k) {
    if (is_same(figure, params_.published[k]) && !figure.case_name.empty())
      error(published_spot(index),
            fmt::format("published[{}] already has this case, variant and metric", expanded_.published_origin[k]));
  }
}

void ExpandedCheck::check_parameter(std::size_t index) {
  const CalibratedParams& entry = params_.calibrated[index];
  for (const Sweep& sweep : expanded_.sweeps)
    for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c)
      if (contains(sweep.over.paths(), entry.parameter) && contains(entry.cases, params_.cases[c].name))
        error(calibrated_spot(index, "parameter"),
              fmt::format("{} takes the values of {}.over; it cannot be fitted as well", entry.parameter, sweep.name));
  for (std::size_t k = 0; k < index; ++k) {
    const CalibratedParams& other = params_.calibrated[k];
    const auto shared = std::find_if(entry.cases.begin(), entry.cases.end(),
                                     [&](const std::string& name) { return contains(other.cases, name); });
    if (other.parameter == entry.parameter && shared != entry.cases.end())
      error(calibrated_spot(index),
            fmt::format("calibrated[{}] already fits this parameter in {}", expanded_.calibrated_origin[k], *shared));
  }
}

void ExpandedCheck::check_target(std::size_t index) {
  const CalibratedParams& entry = params_.calibrated[index];
  const TargetParams& target = entry.against;
  const Spot spot = calibrated_spot(index, "against");
  if (!has_name(params_.cases, target.case_name) || !has_name(params_.variants, target.variant)) return;
  if (!contains(entry.cases, target.case_name))
    error(spot, fmt::format("{} is not among `cases`, so the value would not reach it", target.case_name));
  bool has_figure = false;
  for (std::size_t i = 0; i < params_.published.size(); ++i) {
    has_figure |=
        is_same(params_.published[i], target) && text_.has("published", expanded_.published_origin[i], "value");
  }
  if (!has_figure)
    error(spot, fmt::format("no published value of {} for case {}, variant {}", target.metric, target.case_name,
                            target.variant));
  for (std::size_t k = 0; k < index; ++k)
    if (is_same(params_.calibrated[k].against, target))
      error(spot, fmt::format("calibrated[{}] already uses this value; one value decides one parameter",
                              expanded_.calibrated_origin[k]));
}

}  // namespace switchyard::cli

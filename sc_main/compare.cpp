// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "sc_main/experiment_check.h"
#include "sc_main/metrics.h"

namespace switchyard::cli {

using platforms::Estimate;

std::optional<Estimate> change_of(const Estimate& value, const Estimate& baseline) {
  if (baseline.mean == 0) return std::nullopt;
  const double ratio = value.mean / baseline.mean;
  const double own = value.ci95 / baseline.mean, from_baseline = ratio * baseline.ci95 / baseline.mean;
  return Estimate{ratio - 1, std::sqrt(own * own + from_baseline * from_baseline)};
}

Comparison::Comparison(Experiment experiment, const Simulator& simulator)
    : experiment_(std::move(experiment)), cache_(simulator) {
  calibrations_ = calibrate(experiment_, cache_);
  run_all();
  for (std::size_t c = 0; c < experiment_.params.cases.size(); ++c)
    for (const std::string& name : experiment_.metrics(c)) add_rows(c, name);
}

void Comparison::run_all() {
  std::vector<RunRequest> requests;
  for (std::size_t c = 0; c < experiment_.params.cases.size(); ++c) {
    for (const std::size_t v : experiment_.case_variants[c]) {
      runs_.push_back({c, v, nullptr});
      requests.push_back(calibrated_request(experiment_, calibrations_, c, v));
    }
  }
  const auto results = cache_.run(requests);
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].result = results[i];
}

const RunResult* Comparison::run(std::size_t case_index, std::size_t variant_index) const {
  for (const CompareRun& one : runs_)
    if (one.case_index == case_index && one.variant_index == variant_index) return one.result;
  return nullptr;
}

const CompareRow* Comparison::row(std::size_t case_index, std::size_t variant_index, const std::string& name) const {
  for (const CompareRow& one : rows_)
    if (one.case_index == case_index && one.variant_index == variant_index && one.metric == name) return &one;
  return nullptr;
}

void Comparison::add_rows(std::size_t case_index, const std::string& name) {
  const std::size_t first = rows_.size();
  for (const std::size_t v : experiment_.case_variants[case_index]) {
    CompareRow row;
    row.case_index = case_index;
    row.variant_index = v;
    row.metric = name;
    row.unit = unit_of(name);
    row.figure = experiment_.figure(case_index, v, name);
    row.value_is_calibrated = row.figure && row.figure->is_target;
    measure(row);
    rows_.push_back(std::move(row));
  }
  const Figure* base_figure = experiment_.figure(case_index, experiment_.baseline, name);
  const auto base = std::find_if(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
                                 [&](const CompareRow& row) { return row.variant_index == experiment_.baseline; });
  for (std::size_t i = first; i < rows_.size(); ++i) {
    CompareRow& row = rows_[i];
    if (base != rows_.end() && row.variant_index != experiment_.baseline && base->value) {
      row.baseline = base->value->mean;
      if (row.value) row.change = change_of(*row.value, *base->value);
      if (row.change && same_run(case_index, row.variant_index, experiment_.baseline)) row.change->ci95 = 0;
      row.change_has_interval = row.has_interval && base->has_interval;
    }
    if (!row.figure || !row.error.empty()) continue;
    Figure figure = *row.figure;
    if (base != rows_.end() && !base->error.empty()) figure.change.reset();  // nothing to hold a change against
    Finding finding;
    if (row.value) finding.value = row.value->mean;
    if (row.change) finding.change = row.change->mean;
    finding.baseline_is_calibrated = base_figure && base_figure->is_target;
    row.judgement = judge(figure, finding);
    row.numbers = judge_numbers(figure, finding);
  }
}

void Comparison::measure(CompareRow& row) const {
  const RunResult& result = *run(row.case_index, row.variant_index);
  row.error = result.failure();
  if (!row.error.empty()) return;
  if (has_metric(result.outcome, row.metric)) {
    row.value = metric(result.outcome, row.metric);
    row.has_interval = row.value->ci95 == 0 || has_interval(result.outcome);  // counts are exact
  } else if (row.metric.starts_with("share.") && is_known(row.metric)) {
    row.value = Estimate{};
  } else {
    try {
      metric(result.outcome, row.metric);
    } catch (const base::ConfigError& error) {
      row.error = error.what();
    }
  }
}

bool Comparison::same_run(std::size_t case_index, std::size_t a, std::size_t b) const {
  return run(case_index, a) == run(case_index, b);  // the cache has one result for both
}

bool Comparison::is_known(const std::string& name) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const CompareRun& one) {
    return one.result->error.empty() && has_metric(one.result->outcome, name);
  });
}

std::string Comparison::unit_of(const std::string& name) const {
  if (std::string unit = unit_of_metric(name); !unit.empty()) return unit;
  for (const CompareRun& one : runs_)
    if (one.result->error.empty() && has_metric(one.result->outcome, name))
      return metric_unit(one.result->outcome, name);
  return "";
}

std::string Comparison::config_hash() const {
  std::uint64_t hash = base::fnv1a(experiment_.params.name);
  for (const CompareRun& one : runs_) hash = base::fnv1a(one.result->hash, hash);
  return fmt::format("{:016x}", hash);
}

bool Comparison::has_failed() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const CompareRow& row) { return !row.error.empty(); });
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "sc_main/experiment_check.h"
#include "sc_main/metrics.h"

namespace switchyard::cli {
namespace {

constexpr std::size_t kMostRounds = 3;

/// A measured metric, or why there is none.
struct Measured {
  double value = 0;
  std::string error;
};

Measured measure(const RunResult& run, const std::string& name) {
  if (const std::string failure = run.failure(); !failure.empty()) return {0, failure};
  try {
    return {metric(run.outcome, name).mean, ""};
  } catch (const base::ConfigError& error) {
    return {0, error.what()};
  }
}

class Calibrator {
 public:
  Calibrator(const Experiment& experiment, RunCache& cache)
      : experiment_(experiment), entries_(experiment.calibrations), cache_(cache), results_(entries_.size()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      fits_.emplace_back(entries_[i].min, entries_[i].max, entries_[i].target);
      results_[i].value = entries_[i].start;
    }
  }

  std::vector<CalibrationResult> run() {
    for (std::size_t round = 0; round < kMostRounds && run_round(); ++round) {
    }
    verify();
    return results_;
  }

 private:
  /// Whether the value of one changes what the other is measured by.
  bool touch(std::size_t a, std::size_t b) const {
    return entries_[a].applies_to(entries_[b].target_case) || entries_[b].applies_to(entries_[a].target_case);
  }

  /// [step]: calibrations whose turn it is; each comes after those before it in the file that it touches.
  std::vector<std::vector<std::size_t>> steps() const {
    std::vector<std::vector<std::size_t>> result;
    std::vector<std::size_t> step_of;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t step = 0;
      for (std::size_t k = 0; k < i; ++k)
        if (touch(k, i)) step = std::max(step, step_of[k] + 1);
      step_of.push_back(step);
      if (step == result.size()) result.emplace_back();
      result[step].push_back(i);
    }
    return result;
  }

  /// False when every target held with the values that the round began with.
  bool run_round() {
    bool has_changed = false;
    for (const std::vector<std::size_t>& step : steps()) {
      std::vector<std::size_t> active;
      for (const std::size_t i : step)
        if (results_[i].error.empty()) active.push_back(i);
      for (const std::size_t i : active) fits_[i].start(results_[i].value);
      while (advance(active)) {
      }
      for (const std::size_t i : active) has_changed |= take_result(i);
    }
    return has_changed;
  }

  /// One measurement for each fit that wants one.
  bool advance(const std::vector<std::size_t>& active) {
    std::vector<std::size_t> wanting;
    std::vector<RunRequest> requests;
    for (const std::size_t i : active) {
      if (!results_[i].error.empty() || !fits_[i].next()) continue;
      wanting.push_back(i);
      requests.push_back(request(i, *fits_[i].next()));
      results_[i].runs += cache_.has(requests.back()) ? 0 : 1;
    }
    const auto runs = cache_.run(requests);
    for (std::size_t k = 0; k < wanting.size(); ++k) {
      const std::size_t i = wanting[k];
      const Measured measured = measure(*runs[k], entries_[i].metric);
      results_[i].error = measured.error;
      if (measured.error.empty()) fits_[i].feed(measured.value);
    }
    return !wanting.empty();
  }

  /// The target's run with `value` for calibration `index` and the present values of the others.
  RunRequest request(std::size_t index, std::uint64_t value) const {
    std::vector<CalibrationResult> values = results_;
    values[index].value = value;
    return calibrated_request(experiment_, values, entries_[index].target_case, entries_[index].target_variant);
  }

  bool take_result(std::size_t index) {
    CalibrationResult& result = results_[index];
    const Fit& fit = fits_[index];
    if (!result.error.empty()) {
      result.value = entries_[index].start;
      return false;
    }
    const bool has_changed = result.value != fit.value();
    result.value = fit.value();
    result.needed = fit.needed();
    result.end = fit.end();
    return has_changed;
  }

  /// Measures every target with all values in place.
  void verify() {
    std::vector<RunRequest> requests;
    for (std::size_t i = 0; i < entries_.size(); ++i) requests.push_back(request(i, results_[i].value));
    const auto runs = cache_.run(requests);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      CalibrationResult& result = results_[i];
      const Measured measured = measure(*runs[i], entries_[i].metric);
      if (result.error.empty()) result.error = measured.error;
      result.measured = measured.value;
      const bool holds = std::abs(measured.value - entries_[i].target) <= Fit::kNear * std::abs(entries_[i].target);
      if (result.end == FitEnd::fitted && !holds) result.end = FitEnd::not_converged;
    }
  }

  const Experiment& experiment_;
  const std::vector<Calibration>& entries_;
  RunCache& cache_;
  std::vector<CalibrationResult> results_;
  std::vector<Fit> fits_;
};

std::string unit_text(const Calibration& entry) { return entry.kind == ParameterValue::Kind::cycles ? " cycles" : ""; }

}  // namespace

std::vector<const RunResult*> RunCache::run(const std::vector<RunRequest>& requests) {
  std::vector<RunRequest> fresh;
  for (const RunRequest& request : requests) {
    const bool is_waiting = std::any_of(fresh.begin(), fresh.end(), [&](const auto& f) { return f.same_run(request); });
    if (!is_waiting && !has(request)) fresh.push_back(request);
  }
  if (!fresh.empty()) {
    std::vector<RunResult> results = simulator_.run(fresh);
    SWITCHYARD_ASSERT(results.size() == fresh.size(), "each request has a result");
    for (std::size_t i = 0; i < fresh.size(); ++i)
      results_.emplace(Key{fresh[i].files, fresh[i].sets}, std::move(results[i]));
  }
  std::vector<const RunResult*> found;
  for (const RunRequest& request : requests) found.push_back(&results_.at({request.files, request.sets}));
  return found;
}

std::string target_text(const Experiment& experiment, const Calibration& calibration) {
  const std::string unit = unit_of_metric(calibration.metric);
  return fmt::format("{}, {}: {} {}{}", experiment.params.cases[calibration.target_case].name,
                     experiment.params.variants[calibration.target_variant].name, calibration.metric,
                     calibration.target, unit.empty() ? "" : " " + unit);
}

RunRequest calibrated_request(const Experiment& experiment, const std::vector<CalibrationResult>& values,
                              std::size_t case_index, std::size_t variant_index) {
  RunRequest request = experiment.request(case_index, variant_index);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Calibration& entry = experiment.calibrations[i];
    if (entry.applies_to(case_index))
      request.sets.push_back(entry.override_text(values[i].value, target_text(experiment, entry)));
  }
  return request;
}

std::vector<CalibrationResult> calibrate(const Experiment& experiment, RunCache& cache) {
  return Calibrator(experiment, cache).run();
}

std::string calibration_status(const CalibrationResult& result) {
  if (!result.error.empty()) return "failed";
  switch (result.end) {
    case FitEnd::fitted:
      return "fitted";
    case FitEnd::out_of_range:
      return "out-of-range";
    case FitEnd::no_effect:
      return "no-effect";
    default:
      return "not-converged";
  }
}

std::string calibration_text(const Experiment& experiment, std::size_t index, const CalibrationResult& result) {
  const Calibration& entry = experiment.calibrations[index];
  const std::string unit = unit_text(entry), target = target_text(experiment, entry);
  const std::string head = fmt::format("{} = {}{}", entry.parameter, result.value, unit);
  if (!result.error.empty())
    return fmt::format("{}: calibration failed: the run of {} gave no result ({}); the value is that of the files",
                       head, target, result.error);
  const double off = entry.target == 0 ? 0 : 100 * (result.measured / entry.target - 1);
  const std::string reached = fmt::format("against {}: {:.4g} simulated, {:+.2f} %", target, result.measured, off);
  switch (result.end) {
    case FitEnd::fitted:
      return fmt::format("{} {}, {} run{}", head, reached, result.runs, result.runs == 1 ? "" : "s");
    case FitEnd::out_of_range:
      return fmt::format("{} {}: calibration failed: it would need {:.0f}{}, allowed are {} to {}", head, reached,
                         result.needed, unit, entry.min, entry.max);
    case FitEnd::no_effect:
      return fmt::format("{} {}: calibration failed: the parameter does not change the simulated value", head, reached);
    default:
      return fmt::format("{} {}: calibration failed: not within {} % after {} runs", head, reached, 100 * Fit::kNear,
                         result.runs);
  }
}

}  // namespace switchyard::cli

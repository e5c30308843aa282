// SPDX-License-Identifier: Apache-2.0
#include "sc_main/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "sc_main/calibrate_joint.h"
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
      : experiment_(experiment),
        entries_(experiment.calibrations),
        near_(experiment.params.fit_tolerance.value),
        cache_(cache),
        results_(entries_.size()),
        is_joint_(entries_.size()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      fits_.emplace_back(entries_[i].min, entries_[i].max, entries_[i].target, near_);
      results_[i].value = entries_[i].start;
    }
  }

  std::vector<CalibrationResult> run() {
    std::vector<Group> together, others;
    for (Group& group : groups()) (shares_run(group) ? together : others).push_back(std::move(group));
    for (const Group& group : together)
      for (const std::size_t i : group) is_joint_[i] = true;
    search_together(together);
    for (std::size_t round = 0; round < kMostRounds && run_round(); ++round) {
    }
    verify();
    std::erase_if(others, [this](const Group& group) { return group.size() == 1 || !is_open(group); });
    if (!others.empty()) {
      search_together(others);
      verify();
    }
    return results_;
  }

 private:
  /// Whether the value of one changes what the other is measured by.
  bool touch(std::size_t a, std::size_t b) const {
    return entries_[a].applies_to(entries_[b].target_case) || entries_[b].applies_to(entries_[a].target_case);
  }

  /// Calibrations that touch each other, directly or through others.
  using Group = std::vector<std::size_t>;
  std::vector<Group> groups() const {
    std::vector<Group> result;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Group joined{i};
      std::erase_if(result, [&](const Group& group) {
        if (std::none_of(group.begin(), group.end(), [&](std::size_t k) { return touch(k, i); })) return false;
        joined.insert(joined.end(), group.begin(), group.end());
        return true;
      });
      std::sort(joined.begin(), joined.end());
      result.push_back(std::move(joined));
    }
    return result;
  }

  /// Whether two figures of the group are of the same run. Then each parameter changes both, and fitting one after the
  /// other converges slowly or not at all.
  bool shares_run(const Group& group) const {
    for (const std::size_t a : group)
      for (const std::size_t b : group)
        if (a != b && entries_[a].target_case == entries_[b].target_case &&
            entries_[a].target_variant == entries_[b].target_variant)
          return true;
    return false;
  }

  bool is_open(const Group& group) const {
    return std::any_of(group.begin(), group.end(), [this](std::size_t i) {
      return results_[i].error.empty() && results_[i].end == FitEnd::not_converged;
    });
  }

  /// A group whose numbers are searched at the same time.
  struct Search {
    const Group& group;
    JointFit fit;
    bool has_begun = false;
    bool has_failed = false;  ///< at the start; a later point that fails is one that the search avoids
  };

  void search_together(const std::vector<Group>& groups) {
    std::vector<Search> searches;
    for (const Group& group : groups) {
      std::vector<JointFit::Range> ranges;
      JointFit::Values start;
      for (const std::size_t i : group) {
        ranges.push_back({entries_[i].min, entries_[i].max, entries_[i].target});
        start.push_back(results_[i].value);
      }
      searches.push_back({group, JointFit(std::move(ranges), std::move(start), near_)});
    }
    while (advance(searches)) {
    }
    for (const Search& search : searches) take_results(search);
  }

  /// Measures what the searches want next; false when none wants anything.
  bool advance(std::vector<Search>& searches) {
    std::vector<RunRequest> requests;
    for (const Search& search : searches) {
      if (search.has_failed) continue;
      for (const JointFit::Values& point : search.fit.next())
        for (const std::size_t i : search.group) {
          requests.push_back(request(i, search.group, point));
          results_[i].runs += cache_.has(requests.back()) ? 0 : 1;
        }
    }
    const auto runs = cache_.run(requests);
    auto run = runs.begin();
    for (Search& search : searches) {
      if (search.has_failed || search.fit.next().empty()) continue;
      std::vector<std::vector<double>> measured;
      for (std::size_t n = search.fit.next().size(); n > 0; --n) {
        measured.push_back(measure_point(search, run));
        run += static_cast<std::ptrdiff_t>(search.group.size());
      }
      search.fit.feed(measured);
      search.has_begun = true;
    }
    return !requests.empty();
  }

  /// The targets of a group from the runs that begin at `run`; nothing when one of them failed.
  std::vector<double> measure_point(Search& search, std::vector<const RunResult*>::const_iterator run) {
    std::vector<double> point;
    for (const std::size_t i : search.group) {
      const Measured one = measure(**run++, entries_[i].metric);
      if (one.error.empty()) {
        point.push_back(one.value);
        continue;
      }
      ++results_[i].failed_runs;
      if (search.has_begun) continue;
      search.has_failed = true;
      if (results_[i].error.empty()) results_[i].error = one.error;
    }
    return point.size() == search.group.size() ? point : std::vector<double>();
  }

  void take_results(const Search& search) {
    for (std::size_t k = 0; k < search.group.size(); ++k) {
      const std::size_t i = search.group[k];
      results_[i].value = search.has_failed ? entries_[i].start : search.fit.values()[k];
      results_[i].needed = search.fit.needed(k);
      results_[i].end = search.fit.end(k);
      if (!search.has_failed) results_[i].error.clear();  // of a fit alone: its targets were measured here
    }
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
        if (results_[i].error.empty() && !is_joint_[i]) active.push_back(i);
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
  RunRequest request(std::size_t index, std::uint64_t value) const { return request(index, {index}, {value}); }
  RunRequest request(std::size_t index, const Group& group, const JointFit::Values& point) const {
    std::vector<CalibrationResult> values = results_;
    for (std::size_t k = 0; k < group.size(); ++k) values[group[k]].value = point[k];
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
      const bool holds = std::abs(measured.value - entries_[i].target) <= near_ * std::abs(entries_[i].target);
      if (result.end == FitEnd::fitted && !holds) result.end = FitEnd::not_converged;
    }
  }

  const Experiment& experiment_;
  const std::vector<Calibration>& entries_;
  const double near_;
  RunCache& cache_;
  std::vector<CalibrationResult> results_;
  std::vector<Fit> fits_;
  std::vector<bool> is_joint_;
};

}  // namespace

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

}  // namespace switchyard::cli

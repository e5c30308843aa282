// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/calibrate.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/verdict.h"

namespace switchyard::cli {

/// One metric of one case and variant, next to what was published.
struct CompareRow {
  std::size_t case_index = 0, variant_index = 0;
  std::string metric, unit;
  std::optional<platforms::Estimate> value;
  std::optional<double> baseline;             ///< the same metric of the baseline variant; none in its own rows
  std::optional<platforms::Estimate> change;  ///< against the baseline, as a share of one
  const Figure* figure = nullptr;
  bool has_interval = true, change_has_interval = true;  ///< whether the `ci95` of `value` and `change` is one
  Judgement judgement;
  std::vector<Judgement> numbers;  ///< of the figure, each judged by itself
  bool value_is_calibrated = false;
  std::string error;  ///< why there is no value; such a row is not judged
};

/// Relative change of two independent means; nothing against zero.
std::optional<platforms::Estimate> change_of(const platforms::Estimate& value, const platforms::Estimate& baseline);

/// One run of the comparison.
struct CompareRun {
  std::size_t case_index = 0, variant_index = 0;
  const RunResult* result = nullptr;  ///< kept by the cache
};

/// An experiment with everything that its runs gave. Keeps the experiment and the runs that the rows point to.
class Comparison {
 public:
  /// Calibrates, runs what is left to run, and judges.
  Comparison(Experiment experiment, const Simulator& simulator);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  const Experiment& experiment() const { return experiment_; }
  const std::vector<CalibrationResult>& calibrations() const { return calibrations_; }
  const std::vector<CompareRun>& runs() const { return runs_; }
  const std::vector<CompareRow>& rows() const { return rows_; }
  const RunResult* run(std::size_t case_index, std::size_t variant_index) const;
  const CompareRow* row(std::size_t case_index, std::size_t variant_index, const std::string& metric) const;
  const std::string& case_name(std::size_t index) const { return experiment_.params.cases[index].name; }
  const std::string& variant_name(std::size_t index) const { return experiment_.params.variants[index].name; }
  /// 16 hex digits over the configurations of all runs.
  std::string config_hash() const;
  /// Some run gave no figures, or a metric that the experiment asks for does not exist.
  bool has_failed() const;

 private:
  void run_all();
  void add_rows(std::size_t case_index, const std::string& metric);
  void measure(CompareRow& row) const;
  /// Whether both variants are the same configuration, by whatever overrides.
  bool same_run(std::size_t case_index, std::size_t a, std::size_t b) const;
  std::string unit_of(const std::string& metric) const;
  /// Whether any run has the metric: a function that never ran is in no profile, which then means zero.
  bool is_known(const std::string& metric) const;

  const Experiment experiment_;
  RunCache cache_;
  std::vector<CalibrationResult> calibrations_;
  std::vector<CompareRun> runs_;
  std::vector<CompareRow> rows_;
};

}  // namespace switchyard::cli

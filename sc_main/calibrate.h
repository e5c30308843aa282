// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/calibrate_fit.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/run_cache.h"

namespace switchyard::cli {

/// What a calibration came to.
struct CalibrationResult {
  std::uint64_t value = 0;
  double measured = 0;  ///< with the values of all calibrations in place
  double needed = 0;    ///< differs from `value` when that is a bound
  FitEnd end = FitEnd::running;
  std::size_t runs = 0;         ///< simulations that the search took
  std::size_t failed_runs = 0;  ///< of them, in searches of several calibrations: values that the search avoided
  std::string error;            ///< a run failed, there the first one; the value is that of the files
};

/// The run of a case and variant with the calibrated values that the case takes over.
RunRequest calibrated_request(const Experiment& experiment, const std::vector<CalibrationResult>& values,
                              std::size_t case_index, std::size_t variant_index);

/// `unmatched-4, after: real 18.1 s`
std::string target_text(const Experiment& experiment, const Calibration& calibration);

/// Fits every calibration of the experiment, in the order of the file, each against its own published value and with
/// the values before it in place; those that do not touch each other at the same time. When a later one changes the
/// measurement of an earlier one, the round is repeated, three times at most. Calibrations against figures of the same
/// run, and others that still miss then, are searched together (JointFit). Nothing else is fitted.
std::vector<CalibrationResult> calibrate(const Experiment& experiment, RunCache& cache);

/// What became of a calibration, in a sentence.
std::string calibration_text(const Experiment& experiment, std::size_t index, const CalibrationResult& result);

/// `fitted`, `out-of-range`, `no-effect`, `not-converged` or `failed`.
std::string calibration_status(const CalibrationResult& result);

}  // namespace switchyard::cli

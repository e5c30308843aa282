// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sc_main/calibrate.h"
#include "sc_main/experiment_check.h"

namespace switchyard::cli {
namespace {

std::string unit_text(const Calibration& entry) { return entry.kind == ParameterValue::Kind::cycles ? " cycles" : ""; }

/// `it would need 700 cycles, allowed are 10 to 600; the upper bound is used`
std::string bound_text(const Calibration& entry, const CalibrationResult& result) {
  const std::string used = result.value == entry.max   ? "the upper bound is used"
                           : result.value == entry.min ? "the lower bound is used"
                                                       : "the best value tried is used";
  return fmt::format("it would need {:.0f}{}, allowed are {} to {}; {}", result.needed, unit_text(entry), entry.min,
                     entry.max, used);
}

std::string runs_text(const CalibrationResult& result) {
  const std::string text = fmt::format("{} run{}", result.runs, result.runs == 1 ? "" : "s");
  return result.failed_runs == 0 ? text : fmt::format("{}, {} of them failed", text, result.failed_runs);
}

}  // namespace

std::string target_text(const Experiment& experiment, const Calibration& calibration) {
  const std::string unit = unit_of_metric(calibration.metric);
  return fmt::format("{}, {}: {} {}{}", experiment.params.cases[calibration.target_case].name,
                     experiment.params.variants[calibration.target_variant].name, calibration.metric,
                     calibration.target, unit.empty() ? "" : " " + unit);
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
      return fmt::format("{} {}, {}", head, reached, runs_text(result));
    case FitEnd::out_of_range:
      return fmt::format("{} {}: calibration failed: {}", head, reached, bound_text(entry, result));
    case FitEnd::no_effect:
      return fmt::format("{} {}: calibration failed: the parameter does not change the simulated value", head, reached);
    default:
      return fmt::format("{} {}: calibration failed: not within {:.3g} % after {}", head, reached,
                         100 * experiment.params.fit_tolerance.value, runs_text(result));
  }
}

}  // namespace switchyard::cli

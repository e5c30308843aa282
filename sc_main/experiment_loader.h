// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/experiment.h"
#include "sc_main/experiment_expand.h"
#include "sc_main/experiment_simulator.h"

namespace switchyard::cli {

/// A published figure with everything in base terms: values in the unit of the metric, changes as shares of one.
struct Figure {
  std::size_t case_index = 0, variant_index = 0;
  std::string metric;
  std::optional<double> value, change;
  std::optional<double> value_error, change_error;
  /// As stated, else the published error; a value beside a change is judged only by what is stated.
  std::optional<double> value_tolerance, change_tolerance;
  bool expects_no_effect = false;
  bool is_target = false;    ///< a calibration aims at `value`
  double fit_tolerance = 0;  ///< of that calibration, as a share of `value`
  std::string unexplained, note, ref;
  std::string subject;  ///< the case as the file has it: one name for all values of `over`
};

/// One parameter to fit.
struct Calibration {
  std::string parameter;
  ParameterValue::Kind kind = ParameterValue::Kind::cycles;
  std::uint64_t min = 0, max = 0, start = 0;
  std::vector<std::size_t> cases;
  std::size_t target_case = 0, target_variant = 0;
  std::string metric;
  double target = 0;
  std::string note, ref;

  bool applies_to(std::size_t case_index) const;
  /// `path={value: N cycles, from: calibrated, ref: ...}`
  std::string override_text(std::uint64_t value, const std::string& target_text) const;
};

/// A checked experiment.
struct Experiment {
  ExperimentParams params;  ///< with a case for each value of `over`
  std::vector<Sweep> sweeps;
  std::string file;
  std::size_t baseline = 0;                             ///< index of a variant
  std::vector<std::vector<std::size_t>> case_variants;  ///< [case]: indices of its variants in the order of the file
  std::vector<Figure> figures;
  std::vector<Calibration> calibrations;

  /// The run of a case and variant as the files have it.
  RunRequest request(std::size_t case_index, std::size_t variant_index) const;
  /// What the case is a value of; nullptr for a single case.
  const Sweep* sweep(std::size_t case_index) const;
  const Figure* figure(std::size_t case_index, std::size_t variant_index, const std::string& metric) const;
  /// What a case reports: the metrics of the experiment, of the case, and of its figures.
  std::vector<std::string> metrics(std::size_t case_index) const;
};

/// Whether the file says that it is one; false for what cannot be read.
bool is_experiment_file(const std::string& path);

/// Reads and checks an experiment and every run configuration that it refers to; throws base::ConfigError with all
/// faults. Nothing is simulated.
Experiment load_experiment(const std::string& path, const Simulator& simulator);

/// The same with the real simulator, for `switchyard check`.
void check_experiment(const platforms::Registries& registries, const std::string& path);

}  // namespace switchyard::cli

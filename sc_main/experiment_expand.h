// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/experiment.h"

namespace switchyard::cli {

/// A case of the file that `over` makes several cases of, one a value, in the order of the values.
struct Sweep {
  std::string name;  ///< of the case in the file
  OverParams over;
  std::size_t first_case = 0;

  std::size_t size() const { return over.values.size(); }
  bool has(std::size_t case_index) const { return case_index >= first_case && case_index < first_case + size(); }
  const std::string& value(std::size_t case_index) const { return over.values[case_index - first_case]; }
  /// `coherence granule`, or the paths where the file has no title.
  std::string title() const;
  /// `modules.l1d.params.line`; several with commas.
  std::string parameter() const;
  /// `path=value` for every path.
  std::vector<std::string> overrides(std::size_t case_index) const;
};

/// `rp5470@64 B`.
std::string value_case_name(const std::string& name, const std::string& value);

/// An experiment with a case for each value of `over`. Figures and calibrations of such a case are there once for each
/// of its values. Names that do not exist stay as they are.
struct ExpandedExperiment {
  ExperimentParams params;
  std::vector<Sweep> sweeps;
  /// [case, figure, calibration of `params`]: its index in the file.
  std::vector<std::size_t> case_origin, published_origin, calibrated_origin;
};
ExpandedExperiment expand(const ExperimentParams& params);

/// Names that figures and calibrations may use: of the cases in the file, and of those that `over` makes.
std::vector<std::string> case_names(const ExperimentParams& params);

}  // namespace switchyard::cli

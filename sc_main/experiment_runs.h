// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/config/diagnostics.h"
#include "sc_main/experiment_check.h"
#include "sc_main/experiment_loader.h"

namespace switchyard::cli {

struct RunCheckContext {
  const Simulator& simulator;
  const ExpandedExperiment& expanded;
  const ExperimentText& text;
  platforms::Diagnostics& diagnostics;
};

/// Reads every run of an experiment, finds the parameters that calibrations speak of, and reports what is wrong with
/// them. Returns messages that carry their own place in some other file.
std::vector<std::string> check_runs(Experiment& experiment, const RunCheckContext& context);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platforms/run_outcome.h"

namespace switchyard::cli {

/// What names a run in its reports.
struct RunIdentity {
  std::string name;
  std::string config_hash;
};

/// `complete`, `check-failed`, `stuck` or `time-limit`.
std::string end_name(platforms::RunEnd end);

/// Statistics in gem5's layout.
std::string stats_text(const platforms::RunOutcome& outcome);

/// How the run ended, its loop, and all statistics.
nlohmann::ordered_json stats_json(const platforms::RunOutcome& outcome, const RunIdentity& run);

/// The part of stats_json() that is not statistics.
nlohmann::ordered_json outcome_json(const platforms::RunOutcome& outcome, const RunIdentity& run);

}  // namespace switchyard::cli

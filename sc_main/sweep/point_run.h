// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sc_main/sweep/sweep_plan.h"
#include "sc_main/sweep/sweep_store.h"

namespace switchyard::cli {

/// Which run, and where its files go.
struct RunJob {
  std::size_t id = 0;     ///< for the one who asks
  std::size_t point = 0;  ///< of the plan
  PlannedRun run;
  std::filesystem::path folder;  ///< exists
};

/// What a run hands back to whoever started it.
struct RunReply {
  std::string error;         ///< why there are no values; empty when there are
  bool disk_failed = false;  ///< the folder could not be written: nothing that follows could be either
  std::vector<MetricValue> values;
  double simulate_s = 0;  ///< of host time in the simulation itself
};

inline constexpr const char* kOutcomeFile = "outcome.cbor";  ///< all that the run left, exact, for programs
/// A metric that every run with a measured loop gives, asked for or not.
inline constexpr const char* kWarmUpExcess = "warm_up_excess";
inline constexpr const char* kLogFile = "log.txt";

/// Simulates a run of the plan and writes its folder. Once in a process: SystemC cannot start again.
RunReply run_point(const SweepPlan& plan, const RunJob& job);

/// Takes metrics from the outcome in the folder of a run that was done before; an error when there is none.
RunReply measure_again(const std::filesystem::path& folder, const std::vector<std::string>& metrics);

/// A reply on its way between two processes of the same program.
std::string write_reply(const RunReply& reply);
RunReply read_reply(const std::string& bytes);

}  // namespace switchyard::cli

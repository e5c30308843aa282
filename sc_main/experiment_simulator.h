// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platforms/registries.h"
#include "platforms/run_outcome.h"

namespace switchyard::cli {

/// One configuration to simulate, with so many seeds. The label is for progress and messages only.
struct RunRequest {
  std::string label;
  std::vector<std::string> files, sets;
  std::uint64_t seeds = 1;
};

/// How many values of a configuration say where they are from.
struct OriginCounts {
  std::size_t measured = 0, documented = 0, calibrated = 0, assumed = 0;
};

/// What a run leaves, or why there is nothing.
struct RunResult {
  std::string error;  ///< the run gave no outcome: refused, crashed, out of time; empty otherwise
  std::string hash, resolved;
  OriginCounts origins;
  platforms::RunOutcome outcome;

  /// Why the figures are not to be used; empty when they are.
  std::string failure() const {
    if (!error.empty() || outcome.end == platforms::RunEnd::complete) return error;
    return outcome.message.empty() ? "the run did not complete" : outcome.message;
  }
};

/// A parameter of a configuration that a number stands for.
struct ParameterValue {
  enum class Kind : std::uint8_t { cycles, count, other };
  std::string path;
  Kind kind = Kind::other;  ///< `other`: calibration has no use for it
  std::uint64_t value = 0;  ///< of cycles and counts
  std::string text;         ///< as written in a configuration
};

/// All that the experiment engine needs of the simulator. Tests bring functions of their own.
struct Simulator {
  /// Reads and checks a configuration without running it; throws base::ConfigError with all faults.
  std::function<std::vector<ParameterValue>(const RunRequest&)> parameters;
  /// Runs each with one seed, several at a time; results in the order of the requests.
  std::function<std::vector<RunResult>(const std::vector<RunRequest>&)> run;
  /// The same for configurations that do the same, which are then run once; may be missing.
  std::function<std::string(const RunRequest&)> fingerprint{};
};

/// Called when a run has ended: how many of how many, and which.
using RunProgress = std::function<void(std::size_t done, std::size_t total, const std::string& label)>;

/// How make_simulator runs.
struct SimulatorOptions {
  unsigned jobs = 1;        ///< runs at a time
  double time_limit_s = 0;  ///< of host time for one run; 0 for none
  bool check = false;       ///< checks run with the simulation, whatever the files say
};

/// The real one: every run in a process of its own.
Simulator make_simulator(const platforms::Registries& registries, const SimulatorOptions& options,
                         RunProgress progress);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/config/provenance.h"
#include "platforms/run_config.h"
#include "platforms/run_outcome.h"
#include "platforms/symbol_list.h"
#include "platforms/trace_merger.h"

namespace switchyard::platforms {

/// A configuration as it was read.
struct LoadedRun {
  explicit LoadedRun(const Registries& registries) : config(registries) {}
  RunConfig config;
  Provenance provenance;
  std::string resolved();  ///< text of `config.yaml`
  std::string hash();
};

/// Reads and checks configuration files, laid over each other in order, then `sets`. Throws base::ConfigError with all
/// faults. Nothing is built.
std::unique_ptr<LoadedRun> load_run(const Registries& registries, const std::vector<std::string>& files,
                                    const std::vector<std::string>& sets);

/// The same from files that load_config() has read and laid over each other.
std::unique_ptr<LoadedRun> load_run(const Registries& registries, ConfigTree files,
                                    const std::vector<std::string>& sets);

/// Shown between iterations of the measured loop.
struct Progress {
  double simulated_s = 0;
  std::uint64_t iterations = 0;  ///< so far, warm-up included
  std::uint64_t wanted = 0;      ///< as far as is known now
  double relative_ci = 1;
};
using ProgressSink = std::function<void(const Progress&)>;

/// Elaborates the machine without running it; throws base::ConfigError for what only shows then (wiring, sizes).
/// One elaboration or simulation per process.
void elaborate_only(LoadedRun& run);

/// Elaborates and runs. Faults of the configuration throw base::ConfigError; what goes wrong in the simulation is said
/// in the outcome, with the results up to there. The run ends soon after `interrupt`, which may be null, is true. All
/// that happens goes to `trace`, which may be null, while the run goes on; a base::ConfigError of its ends the run.
RunOutcome simulate(LoadedRun& run, const ProgressSink& progress, const std::atomic<bool>* interrupt = nullptr,
                    TraceSink* trace = nullptr);

/// `--symbols`: every kernel object; none where the machine runs no kernel.
SymbolList list_symbols(LoadedRun& run);

}  // namespace switchyard::platforms

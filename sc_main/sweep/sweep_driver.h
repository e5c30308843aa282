// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sc_main/sweep/attempt_log.h"
#include "sc_main/sweep/run_launcher.h"
#include "sc_main/sweep/sweep_plan.h"
#include "sc_main/sweep/sweep_store.h"

namespace switchyard::cli {

struct DriverOptions {
  bool fail_fast = false;     ///< the first run that fails ends the sweep
  std::uint64_t retries = 0;  ///< further attempts at a run that the host ended
  const std::atomic<bool>* interrupt = nullptr;
};

/// How far a sweep is.
struct SweepProgress {
  std::size_t done = 0, failed = 0, total = 0;  ///< runs; `total` grows while `until` asks for more seeds
  std::size_t reused = 0;                       ///< of `done`: found in the store
};

/// Tells whoever watches.
struct DriverEvents {
  std::function<void(const SweepProgress&)> progress;
  /// A run failed for good: its label (point and seed), why, and where its log is.
  std::function<void(const std::string& label, const std::string& why, const std::filesystem::path& log)> failed;
};

/// How a sweep ended; what is missing then is done by the next start.
enum class SweepEnd : std::uint8_t { complete, failed_fast, interrupted };

/// Does all runs of a plan that the store does not have.
class SweepDriver {
 public:
  SweepDriver(SweepPlan& plan, SweepStore& store, RunLauncher& launcher, DriverOptions options, DriverEvents events);

  /// Throws base::ConfigError when the disk cannot take results; those so far are kept.
  SweepEnd run();
  const SweepProgress& progress() const { return progress_; }

 private:
  /// A run that somebody asked for, once for all points that share it.
  struct Job {
    RunJob job;
    std::uint64_t attempts = 0;
    StoredRun result;
    std::vector<std::size_t> points;
  };

  void ask(std::size_t point, std::size_t first_seed, std::size_t seeds);
  bool reuse(Job& job);
  void start(std::size_t index);
  void take(std::vector<EndedRun> ended);
  bool wants_retry(const Job& job, const EndedRun& run) const;
  void settle(Job& job);
  void extend_points();
  std::size_t wanted_seeds(std::size_t point);
  void report(const Job& job) const;
  bool is_interrupted() const { return options_.interrupt && *options_.interrupt; }

  SweepPlan& plan_;
  SweepStore& store_;
  RunLauncher& launcher_;
  const DriverOptions options_;
  const DriverEvents events_;
  const AttemptLog attempts_;
  SweepProgress progress_;
  std::map<std::string, StoredRun> stored_;  ///< of earlier starts, by key
  std::map<std::string, std::size_t> by_key_;
  std::deque<Job> jobs_;                     ///< a deque: start() hands out references
  std::deque<std::size_t> waiting_;          ///< indices of jobs
  std::vector<std::size_t> seeds_;           ///< [point]: asked for
  std::vector<std::size_t> open_;            ///< [point]: of those without an end
  std::vector<std::size_t> settled_points_;  ///< all of their runs have ended; `until` looks at them
};

}  // namespace switchyard::cli

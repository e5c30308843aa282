// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/child_pool.h"
#include "sc_main/sweep/point_run.h"

namespace switchyard::cli {

/// A run that is over, one way or the other.
struct EndedRun {
  std::size_t id = 0;
  RunReply reply;
  bool may_repeat = false;  ///< the host ended it, so that another attempt may do better
  double host_s = 0, cpu_s = 0;
  std::uint64_t peak_bytes = 0;
};

/// How runs are started: all that the driver of a sweep knows of it.
class RunLauncher {
 public:
  virtual ~RunLauncher() = default;
  /// Starts a run, whose folder exists. What it prints goes to `log.txt` there.
  virtual void start(const RunJob& job) = 0;
  /// Whether start() would start one more at once.
  virtual bool has_room() const = 0;
  virtual std::size_t running() const = 0;
  /// Waits until runs have ended, for about a second at most or until a signal comes.
  virtual std::vector<EndedRun> wait() = 0;
  /// Ends all runs, without a trace.
  virtual void stop() = 0;
};

struct LocalLimits {
  unsigned jobs = 1;
  double time_limit_s = 0;               ///< of a run; 0 for none
  std::uint64_t memory_limit_bytes = 0;  ///< of a run; 0 for none
};

/// Runs as children of this process, some at a time.
class LocalLauncher : public RunLauncher {
 public:
  LocalLauncher(const SweepPlan& plan, const LocalLimits& limits) : plan_(plan), limits_(limits) {}
  void start(const RunJob& job) override;
  bool has_room() const override { return pool_.size() < limits_.jobs; }
  std::size_t running() const override { return pool_.size(); }
  std::vector<EndedRun> wait() override;
  void stop() override { pool_.kill_all(); }

 private:
  const SweepPlan& plan_;
  const LocalLimits limits_;
  ChildPool pool_;
};

}  // namespace switchyard::cli

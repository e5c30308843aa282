// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "platforms/run_config.h"
#include "platforms/run_outcome.h"
#include "platforms/shared_loop_monitor.h"
#include "platforms/simulation.h"
#include "workloads/loop_observer.h"

namespace switchyard::platforms {

/// Mean and 95 % confidence interval of a mean from a series whose neighbours may depend on each other: by the means of
/// ten batches of consecutive values and Student's t (Law, Simulation Modeling and Analysis, ch. 9.5.3). With fewer
/// than ten values the interval is that of no knowledge: as wide as the mean.
Estimate batch_means(const std::vector<double>& series);

/// How many of the first values are better left out: as warm-up, because the mean of the rest is known best without
/// them (MSER-5: White, Cobb and Spratt 2000). Whole batches of five, half of the series at most; 0 for a short one.
std::size_t mser5(const std::vector<double>& series);

/// Follows the measured loop of the first task that runs it: leaves out the warm-up, and ends the loop when its mean is
/// known well enough. Other tasks in the same loop go on until then. Loops that threads share go to SharedLoopMonitor.
class LoopMonitor : public workloads::LoopObserver {
 public:
  using Callback = std::function<void(std::uint64_t now_ps)>;

  /// `start` is called when the warm-up is over, `finish` when the measurement ends, both with the task's time. `spent`
  /// gives the CPU time since `start`.
  LoopMonitor(const UntilConfig& until, Callback start, Callback finish, std::function<CpuTime()> spent,
              const ProgressSink& progress);

  bool iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t count) override;
  workloads::SharedTurn shared_iteration(kernel::Task& task, const std::string& loop, std::uint64_t done,
                                         std::uint64_t run, std::uint64_t count) override;
  kernel::Completion& shared_end() override { return shared_end_; }
  bool used() const { return task_ != nullptr || shared_.used(); }
  /// The simulation is over: ends a measurement that is under way.
  void stop(std::uint64_t now_ps);
  const LoopRecord& record() const { return record_; }

 private:
  bool enough();
  void report(std::uint64_t now_ps, std::uint64_t done) const;
  void end(bool converged, std::uint64_t now_ps);

  const UntilConfig& until_;
  Callback start_, finish_;
  const ProgressSink& progress_;
  const kernel::Task* task_ = nullptr;  ///< the first that came to the loop
  bool ended_ = false;
  std::uint64_t started_ps_ = 0, last_ps_ = 0;
  std::vector<double> durations_s_;
  LoopRecord record_;
  SharedLoopMonitor shared_;
  kernel::Completion shared_end_{"the other threads of its loop", false, {}};
};

}  // namespace switchyard::platforms

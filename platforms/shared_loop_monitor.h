// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernel/task.h"
#include "platforms/run_outcome.h"
#include "workloads/loop_observer.h"

namespace switchyard::platforms {

/// Measures a loop that several threads run together, as a small copy of the whole: from the end of the warm-up on each
/// thread makes its own `run` iterations and then waits as if it had ended, and the measurement lasts until the slowest
/// has made its own. Slow threads thus weigh what they weigh in the whole loop. In the end all go on to the same
/// number. All threads are in the loop before the warm-up is over.
class SharedLoopMonitor {
 public:
  using Callback = std::function<void(std::uint64_t now_ps)>;
  struct Clocks {
    /// The time of a task after everything that others did before it.
    std::function<std::uint64_t(const kernel::Task&)> now;
    std::function<CpuTime()> spent;  ///< by all processes since `start`
  };

  /// `start` and `finish` are called with the time when the measurement begins and ends. `warm_up` counts the
  /// iterations of all threads.
  SharedLoopMonitor(std::uint64_t warm_up, Clocks clocks, Callback start, Callback finish)
      : warm_up_(warm_up), clocks_(std::move(clocks)), start_(std::move(start)), finish_(std::move(finish)) {}

  /// A thread has made `done` iterations; `run` of each thread are to be measured in place of `count`.
  workloads::SharedTurn iteration(const kernel::Task& task, std::uint64_t done, std::uint64_t run, std::uint64_t count);
  bool used() const { return members_ != 0; }
  bool ended() const { return ended_; }
  /// The simulation is over: ends a measurement that is under way.
  void stop(std::uint64_t now_ps);
  /// Fills all but the name.
  void write(LoopRecord& record) const;

 private:
  /// Iterations between two values of the series: at most `kSample`, and few enough for an interval of short runs.
  static constexpr std::uint64_t kSample = 1024, kSamples = 40;

  struct Member {
    bool is_in = false;
    std::uint64_t done = 0, base = 0;  ///< iterations; `base` were made before the measurement
  };

  Member& member(const kernel::Task& task, std::uint64_t count);
  void start(std::uint64_t now_ps, std::uint64_t run);
  void sample(std::uint64_t now_ps);
  void end(std::uint64_t now_ps);

  const std::uint64_t warm_up_;
  const Clocks clocks_;
  const Callback start_, finish_;
  std::vector<Member> by_task_;  ///< [task id]
  std::uint64_t members_ = 0, finished_ = 0;
  std::uint64_t count_ = 0;        ///< of all members
  std::uint64_t passes_ = 0;       ///< iterations so far, of all members
  std::uint64_t every_ = kSample;  ///< iterations of a value
  std::uint64_t most_ = 0;         ///< what each member makes in the end
  std::uint64_t started_ps_ = 0, ended_ps_ = 0, last_ps_ = 0;
  CpuTime last_spent_;
  std::array<std::vector<double>, 3> series_s_;  ///< of real, user, sys: seconds per iteration
  bool started_ = false, ended_ = false, released_ = false;
};

}  // namespace switchyard::platforms

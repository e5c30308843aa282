// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "kernel/task.h"
#include "platforms/run_outcome.h"

namespace switchyard::platforms {

/// Measures a loop that several threads run together: the time between iterations, whoever makes them, from the end of
/// the warm-up until they have made as many as they were to make on average. Then each goes on to the count of the
/// fastest, so that all have made the same number in the end.
class SharedLoopMonitor {
 public:
  using Callback = std::function<void(std::uint64_t now_ps)>;
  using Clock = std::function<std::uint64_t(const kernel::Task&)>;

  /// `now` gives the time of a task after everything that others did before it; `start` and `finish` are called with it
  /// when the measurement begins and ends. `warm_up` counts the iterations of all threads.
  SharedLoopMonitor(std::uint64_t warm_up, Clock now, Callback start, Callback finish)
      : warm_up_(warm_up), now_(std::move(now)), start_(std::move(start)), finish_(std::move(finish)) {}

  /// A thread has made `done` iterations; `run` on average are to be measured in place of `count`. False: it is done.
  bool iteration(const kernel::Task& task, std::uint64_t done, std::uint64_t run, std::uint64_t count);
  bool used() const { return !members_.empty(); }
  bool ended() const { return ended_; }
  /// The simulation is over: ends a measurement that is under way.
  void stop(std::uint64_t now_ps);
  /// Fills all but the name.
  void write(LoopRecord& record) const;

 private:
  static constexpr std::uint64_t kSample = 256;  ///< iterations between two values of the series

  void end(std::uint64_t now_ps);

  const std::uint64_t warm_up_;
  const Clock now_;
  const Callback start_, finish_;
  std::set<const kernel::Task*> members_;
  std::uint64_t count_ = 0;   ///< of all members
  std::uint64_t passes_ = 0;  ///< iterations so far, of all members
  std::uint64_t most_ = 0;    ///< of the fastest member
  std::uint64_t started_ps_ = 0, ended_ps_ = 0, last_ps_ = 0;
  std::vector<double> series_s_;  ///< seconds per iteration
  bool started_ = false, ended_ = false;
};

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/trace_events.h"

namespace switchyard::platforms {

/// Takes the events of a run in the order of their times; equal times in order of CPUs, then of arrival.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Before all events: the machine has so many CPUs.
  virtual void begin(unsigned cpus) = 0;
  virtual void event(const kernel::TraceEvent& event) = 0;
};

/// Brings the events of CPUs that run ahead of each other into one order. Keeps those that an earlier one may still
/// follow: as many as happen while a CPU runs ahead, and some more.
class TraceMerger : public kernel::TraceObserver {
 public:
  /// `now_ps` is the time up to which the simulation has come, before which no CPU does anything any more. `sink` may
  /// be null: nobody observes then.
  TraceMerger(TraceSink* sink, std::function<std::uint64_t()> now_ps);

  kernel::TraceObserver* observer() { return sink_ != nullptr ? this : nullptr; }
  void begin(unsigned cpus) {
    if (sink_ != nullptr) sink_->begin(cpus);
  }
  void record(const kernel::TraceEvent& event) override;
  /// The simulation is over: passes on what is left.
  void finish();

 private:
  void release(std::uint64_t before_ps);

  TraceSink* const sink_;
  const std::function<std::uint64_t()> now_ps_;
  std::vector<kernel::TraceEvent> held_;
  std::size_t full_;  ///< held events with which to look for those that can go
  std::uint64_t released_ps_ = 0;
};

}  // namespace switchyard::platforms

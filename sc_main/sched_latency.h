// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sc_main/trace_writer.h"

namespace switchyard::cli {

/// How long tasks run and how long they wait for a CPU once they can run: what `perf sched latency -p` makes of the
/// same events. Times are whole nanoseconds, as perf has them. A delay counts from the first wake-up (sched_wakeup) of
/// a task that left its CPU to sleep, or from the switch away from one that did not. A task that is seen for the first
/// time can run since then, or slept until then if it is woken. Source: Linux v6.1 tools/perf/builtin-sched.c
/// (latency_switch_event, latency_wakeup_event, latency_runtime_event, output_lat_thread).
class SchedLatency {
 public:
  void add(const kernel::TraceEvent& event);
  /// The longest mean delay first, then the longest delay, most switches, longest time, highest pid.
  std::string text() const;

 private:
  enum class State : std::uint8_t { sleeping, waiting, running };
  struct Row {
    std::string comm;
    State state = State::sleeping;
    std::uint64_t runnable_ns = 0;  ///< waiting: since when
    std::uint64_t runtime_ns = 0;
    std::uint64_t switches = 0;
    std::uint64_t delay_ns = 0;  ///< of all switches
    std::uint64_t max_ns = 0, max_start_ns = 0, max_end_ns = 0;
    std::uint64_t mean_ns() const { return switches == 0 ? 0 : delay_ns / switches; }
  };
  Row& row(const kernel::TaskTag& task, State first_seen, std::uint64_t now_ns);
  void switched(const kernel::SchedSwitch& change, std::uint64_t now_ns);
  void woken(const kernel::TaskTag& task, std::uint64_t now_ns);

  std::map<unsigned, Row> rows_;  ///< by pid
};

/// The table as a file, written in the end.
class SchedLatencyWriter : public TraceWriter {
 public:
  explicit SchedLatencyWriter(TraceFile& file) : file_(file) {}
  void write(const kernel::TraceEvent& event, const kernel::TaskTag& /*running*/) override { latency_.add(event); }
  void finish() override {
    file_.write(latency_.text());
    file_.close();
  }

 private:
  TraceFile& file_;
  SchedLatency latency_;
};

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "kernel/trace_events.h"

namespace switchyard::cli {

/// priority of a task with nice 0, and of idle tasks, as tracepoints show it
inline constexpr int kPriority = 120;

/// `sched` and `sched_switch`
struct EventName {
  std::string_view system, event;
};
EventName event_name(const kernel::TraceEvent& event);

std::string_view reason_text(kernel::IpiReason reason);

/// Appends what follows the name of an event in ftrace text. `cpus` is the number of CPUs of the machine. Source: the
/// print formats of Linux v6.1 include/trace/events/{sched,ipi,tlb}.h.
void append_arguments(fmt::memory_buffer& line, const kernel::TraceEvent& event, unsigned cpus);

/// Which task runs on each CPU. Events come in their order.
class RunningTasks {
 public:
  explicit RunningTasks(unsigned cpus);
  /// The task on whose stack `event` happens.
  kernel::TaskTag running(const kernel::TraceEvent& event) const { return running_[event.cpu]; }
  /// To be told of each event, when it has been looked at.
  void follow(const kernel::TraceEvent& event);

 private:
  std::vector<kernel::TaskTag> running_;  ///< by CPU
};

}  // namespace switchyard::cli

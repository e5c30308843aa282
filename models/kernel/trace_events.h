// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/cpu_mask.h"

namespace switchyard::kernel {

/// A task as tracepoints name it. Idle tasks have pid and tgid 0.
struct TaskTag {
  static constexpr std::size_t kCommBytes = 16;  ///< TASK_COMM_LEN: 15 characters and the end

  TaskTag() = default;
  TaskTag(std::string_view name, unsigned thread, unsigned process) : pid(thread), tgid(process) {
    std::copy_n(name.data(), std::min(name.size(), kCommBytes - 1), bytes.data());
  }
  std::string_view comm() const { return bytes.data(); }
  bool operator==(const TaskTag&) const = default;

  std::array<char, kCommBytes> bytes{};
  unsigned pid = 0;
  unsigned tgid = 0;  ///< pid of the first thread of its process
};

// The tracepoints, with the names and fields of Linux v6.1 include/trace/events/{sched,ipi,tlb}.h.

struct SchedSwitch {
  TaskTag prev;
  char prev_state = 'R';  ///< R runnable, S sleeping, X dead
  TaskTag next;
};

/// A wake-up begins, is done, or is that of a new task.
struct SchedWake {
  enum class Step : std::uint8_t { waking, wakeup, wakeup_new };
  Step step = Step::waking;
  TaskTag task;
  unsigned target_cpu = 0;  ///< where it ran last (waking), where it is queued
};

struct SchedMigrateTask {
  TaskTag task;
  unsigned orig_cpu = 0, dest_cpu = 0;
};

struct SchedStatRuntime {
  TaskTag task;
  std::uint64_t runtime_ps = 0;  ///< since the last event of this kind, or since it came to the CPU
  std::uint64_t vruntime_ps = 0;
};

struct SchedProcessFork {
  TaskTag parent, child;
};

struct SchedProcessExit {
  TaskTag task;
};

enum class IpiReason : std::uint8_t { reschedule, call_function };

struct IpiRaise {
  base::CpuMask targets;
  IpiReason reason = IpiReason::reschedule;
};

/// ipi_entry and ipi_exit.
struct IpiHandler {
  bool entry = true;
  IpiReason reason = IpiReason::reschedule;
};

/// enum tlb_flush_reason
enum class TlbFlushReason : std::uint8_t {
  task_switch,
  remote_shootdown,
  local_shootdown,
  local_mm_shootdown,
  remote_ipi_send
};

/// tlb_flush, of x86. No pages: the switch of a task that needs none.
struct TlbFlushDone {
  static constexpr std::int64_t kAllPages = -1;
  TlbFlushReason reason = TlbFlushReason::task_switch;
  std::int64_t pages = 0;
};

/// Something that a kernel did at a time on a CPU.
struct TraceEvent {
  std::uint64_t time_ps = 0;
  unsigned cpu = 0;
  std::variant<SchedSwitch, SchedWake, SchedMigrateTask, SchedStatRuntime, SchedProcessFork, SchedProcessExit, IpiRaise,
               IpiHandler, TlbFlushDone>
      what;
};

/// Told about events while the simulation runs. Those of one CPU come in the order of its code, in which an interrupt
/// handler may come after what its CPU has already run ahead; those of different CPUs come in any order.
class TraceObserver {
 public:
  virtual ~TraceObserver() = default;
  virtual void record(const TraceEvent& event) = 0;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_text.h"

#include <iterator>

namespace switchyard::cli {
namespace {

using namespace kernel;

std::string_view wake_name(SchedWake::Step step) {
  switch (step) {
    case SchedWake::Step::waking:
      return "sched_waking";
    case SchedWake::Step::wakeup:
      return "sched_wakeup";
    case SchedWake::Step::wakeup_new:
      break;
  }
  return "sched_wakeup_new";
}

std::string_view flush_text(TlbFlushReason reason) {
  switch (reason) {
    case TlbFlushReason::task_switch:
      return "flush on task switch";
    case TlbFlushReason::remote_shootdown:
      return "remote shootdown";
    case TlbFlushReason::local_shootdown:
      return "local shootdown";
    case TlbFlushReason::local_mm_shootdown:
      return "local mm shootdown";
    case TlbFlushReason::remote_ipi_send:
      break;
  }
  return "remote ipi send";
}

/// __get_bitmask: words of 32 bits in hexadecimal, the highest first, for as many longs as the CPUs need.
void append_mask(fmt::memory_buffer& line, const base::CpuMask& mask, unsigned cpus) {
  for (unsigned word = (cpus + 63) / 64 * 2; word-- > 0;) {
    const auto bits = static_cast<std::uint32_t>(mask.word(word / 2) >> (word % 2 * 32));
    fmt::format_to(std::back_inserter(line), "{:08x}{}", bits, word == 0 ? "" : ",");
  }
}

std::uint64_t ns(std::uint64_t ps) { return ps / 1000; }

struct NameOf {
  EventName operator()(const SchedSwitch&) const { return {"sched", "sched_switch"}; }
  EventName operator()(const SchedWake& e) const { return {"sched", wake_name(e.step)}; }
  EventName operator()(const SchedMigrateTask&) const { return {"sched", "sched_migrate_task"}; }
  EventName operator()(const SchedStatRuntime&) const { return {"sched", "sched_stat_runtime"}; }
  EventName operator()(const SchedProcessFork&) const { return {"sched", "sched_process_fork"}; }
  EventName operator()(const SchedProcessExit&) const { return {"sched", "sched_process_exit"}; }
  EventName operator()(const IpiRaise&) const { return {"ipi", "ipi_raise"}; }
  EventName operator()(const IpiHandler& e) const { return {"ipi", e.entry ? "ipi_entry" : "ipi_exit"}; }
  EventName operator()(const TlbFlushDone&) const { return {"tlb", "tlb_flush"}; }
};

/// Prints the fields of an event.
struct Arguments {
  fmt::memory_buffer& line;
  const unsigned cpus;

  template <class... Values>
  void print(fmt::string_view format, const Values&... values) const {
    fmt::vformat_to(std::back_inserter(line), format, fmt::make_format_args(values...));
  }
  void operator()(const SchedSwitch& e) const {
    print("prev_comm={} prev_pid={} prev_prio={} prev_state={} ==> next_comm={} next_pid={} next_prio={}",
          e.prev.comm(), e.prev.pid, kPriority, e.prev_state, e.next.comm(), e.next.pid, kPriority);
  }
  void operator()(const SchedWake& e) const {
    print("comm={} pid={} prio={} target_cpu={:03}", e.task.comm(), e.task.pid, kPriority, e.target_cpu);
  }
  void operator()(const SchedMigrateTask& e) const {
    print("comm={} pid={} prio={} orig_cpu={} dest_cpu={}", e.task.comm(), e.task.pid, kPriority, e.orig_cpu,
          e.dest_cpu);
  }
  void operator()(const SchedStatRuntime& e) const {
    print("comm={} pid={} runtime={} [ns] vruntime={} [ns]", e.task.comm(), e.task.pid, ns(e.runtime_ps),
          ns(e.vruntime_ps));
  }
  void operator()(const SchedProcessFork& e) const {
    print("comm={} pid={} child_comm={} child_pid={}", e.parent.comm(), e.parent.pid, e.child.comm(), e.child.pid);
  }
  void operator()(const SchedProcessExit& e) const {
    print("comm={} pid={} prio={}", e.task.comm(), e.task.pid, kPriority);
  }
  void operator()(const IpiRaise& e) const {
    print("target_mask=");
    append_mask(line, e.targets, cpus);
    print(" ({})", reason_text(e.reason));
  }
  void operator()(const IpiHandler& e) const { print("({})", reason_text(e.reason)); }
  void operator()(const TlbFlushDone& e) const {
    print("pages:{} reason:{} ({})", e.pages, flush_text(e.reason), static_cast<int>(e.reason));
  }
};

}  // namespace

EventName event_name(const TraceEvent& event) { return std::visit(NameOf{}, event.what); }

std::string_view reason_text(IpiReason reason) {
  return reason == IpiReason::reschedule ? "Rescheduling interrupts" : "Function call interrupts";
}

void append_arguments(fmt::memory_buffer& line, const TraceEvent& event, unsigned cpus) {
  std::visit(Arguments{line, cpus}, event.what);
}

RunningTasks::RunningTasks(unsigned cpus) {
  for (unsigned cpu = 0; cpu < cpus; ++cpu) running_.emplace_back(fmt::format("swapper/{}", cpu), 0, 0);
}

void RunningTasks::follow(const TraceEvent& event) {
  if (const auto* change = std::get_if<SchedSwitch>(&event.what)) running_[event.cpu] = change->next;
}

}  // namespace switchyard::cli

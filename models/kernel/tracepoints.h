// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_ops.h"
#include "kernel/trace_events.h"

namespace switchyard::kernel {

struct Task;

/// The tracepoints of a kernel. Without an observer each is one test; with one, none costs simulated time.
class Tracepoints {
 public:
  Tracepoints() = default;
  /// `observer` may be null.
  explicit Tracepoints(TraceObserver* observer) : observer_(observer) {}

  void sched_switch(const cpu::CpuOps& cpu, const Task& prev, const Task& next) const {
    if (on()) record_switch(cpu, prev, next);
  }
  void sched_waking(const cpu::CpuOps& cpu, const Task& task) const {
    if (on()) record_wake(cpu, SchedWake::Step::waking, task);
  }
  void sched_wakeup(const cpu::CpuOps& cpu, const Task& task) const {
    if (on()) record_wake(cpu, SchedWake::Step::wakeup, task);
  }
  void sched_wakeup_new(const cpu::CpuOps& cpu, const Task& task) const {
    if (on()) record_wake(cpu, SchedWake::Step::wakeup_new, task);
  }
  /// Before the task's CPU changes.
  void sched_migrate_task(const cpu::CpuOps& cpu, const Task& task, unsigned dest_cpu) const {
    if (on()) record_migration(cpu, task, dest_cpu);
  }
  /// After the time has been added.
  void sched_stat_runtime(const cpu::CpuOps& cpu, const Task& task, std::uint64_t runtime_ps) const {
    if (on()) record_runtime(cpu, task, runtime_ps);
  }
  void sched_process_fork(const cpu::CpuOps& cpu, const Task& parent, const Task& child) const {
    if (on()) record_fork(cpu, parent, child);
  }
  void sched_process_exit(const cpu::CpuOps& cpu, const Task& task) const {
    if (on()) record_exit(cpu, task);
  }
  void ipi_raise(const cpu::CpuOps& cpu, const base::CpuMask& targets, IpiReason reason) const {
    if (on()) observer_->record({cpu.now_ps(), cpu.id(), IpiRaise{targets, reason}});
  }
  void ipi_entry(const cpu::CpuOps& cpu, IpiReason reason) const {
    if (on()) observer_->record({cpu.now_ps(), cpu.id(), IpiHandler{true, reason}});
  }
  void ipi_exit(const cpu::CpuOps& cpu, IpiReason reason) const {
    if (on()) observer_->record({cpu.now_ps(), cpu.id(), IpiHandler{false, reason}});
  }
  void tlb_flush(const cpu::CpuOps& cpu, TlbFlushReason reason, std::int64_t pages) const {
    if (on()) observer_->record({cpu.now_ps(), cpu.id(), TlbFlushDone{reason, pages}});
  }

 private:
  bool on() const { return observer_ != nullptr; }
  void record_switch(const cpu::CpuOps& cpu, const Task& prev, const Task& next) const;
  void record_wake(const cpu::CpuOps& cpu, SchedWake::Step step, const Task& task) const;
  void record_migration(const cpu::CpuOps& cpu, const Task& task, unsigned dest_cpu) const;
  void record_runtime(const cpu::CpuOps& cpu, const Task& task, std::uint64_t runtime_ps) const;
  void record_fork(const cpu::CpuOps& cpu, const Task& parent, const Task& child) const;
  void record_exit(const cpu::CpuOps& cpu, const Task& task) const;

  TraceObserver* observer_ = nullptr;
};

}  // namespace switchyard::kernel

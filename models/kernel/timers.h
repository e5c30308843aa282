// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/kernel_services.h"
#include "kernel/run_queue.h"
#include "kernel/timer_device.h"

namespace switchyard::kernel {

/// High-resolution timers and the periodic tick of each CPU on its one-shot timer. An idle CPU has no tick. Sources:
/// Linux v6.7 kernel/time/{hrtimer,tick-sched}.c.
class Timers {
 public:
  Timers(std::uint64_t hz, TimerDevice& device, const KernelServices& services);

  /// Wakes `task` at `deadline_ps` on the CPU of `rq`. Interrupts are off.
  void add(cpu::CpuOps& cpu, RunQueue& rq, std::uint64_t deadline_ps, Task& task);
  void remove(RunQueue& rq, Task& task);
  /// Starts or stops the tick of the CPU and sets its timer.
  void set_tick(cpu::CpuOps& cpu, RunQueue& rq, bool busy);
  /// A timer interrupt: begin(), then expire() until it returns null gives the tasks whose time has come, in order;
  /// then tick_due() and program().
  void begin(cpu::CpuOps& cpu, RunQueue& rq);
  Task* expire(cpu::CpuOps& cpu, RunQueue& rq);
  bool tick_due(const cpu::CpuOps& cpu, RunQueue& rq);
  /// Sets the timer for what comes next; needed after each interrupt.
  void program(cpu::CpuOps& cpu, RunQueue& rq);
  std::uint64_t pending() const { return pending_; }
  std::uint64_t period_ps() const { return period_ps_; }

 private:
  /// The first tick after `now_ps`.
  std::uint64_t next_tick(const RunQueue& rq, std::uint64_t now_ps) const {
    const std::uint64_t since = now_ps + period_ps_ - rq.tick_phase_ps;
    return now_ps + period_ps_ - since % period_ps_;
  }

  const std::uint64_t period_ps_;
  TimerDevice& device_;
  const KernelCosts& costs_;
  std::uint64_t pending_ = 0;
  const cpu::FunctionId start_, interrupt_, program_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernel/mm_switch.h"
#include "kernel/scheduler_params.h"
#include "kernel/task.h"
#include "kernel/timers.h"

namespace switchyard::kernel {

/// Bits of thread_info.flags; the positions are those of x86 and of arm64 where it has them.
enum ThreadFlag : std::uint64_t { kNeedResched = 1u << 3, kPollingNrflag = 1u << 21 };

/// The idle loop: choice of a state, polling, waiting. Sources: Linux v4.14 and v5.8 kernel/sched/idle.c,
/// drivers/cpuidle/{poll_state.c,governors/menu.c}, arch/x86/include/asm/mwait.h. The governor expects as long an idle
/// time as the mean of the last eight, and no longer than up to the next timer; it polls only when that comes very
/// soon. An architecture without TIF_POLLING_NRFLAG sets no flag: every wake-up is an interrupt then.
class IdleLoop {
 public:
  IdleLoop(const IdleParams& params, bool has_polling_flag, const std::vector<cpu::LogicalCpu*>& cpus,
           const KernelServices& services, Timers& timers, MmSwitch& mm_switch,
           std::function<void(cpu::CpuOps&, RunQueue&)> about_to_wait);

  /// The body of do_idle: returns when the idle task has to reschedule. `about_to_wait` has run before each wait.
  void do_idle(Task& task, RunQueue& rq);

 private:
  struct State {
    IdleStateParams params;
    std::uint64_t wake_cycles = 0;
  };
  static bool need_resched(cpu::CpuOps& cpu, const Task& task) { return (cpu.load(task.flags()) & kNeedResched) != 0; }
  void set_polling(cpu::CpuOps& cpu, const Task& task);
  void clear_polling(cpu::CpuOps& cpu, const Task& task);
  const State& select(const RunQueue& rq, std::uint64_t expected_ps, std::uint64_t now_ps) const;
  static std::uint64_t expected_ps(const RunQueue& rq, std::uint64_t now_ps);
  void stop_tick(cpu::CpuOps& cpu, RunQueue& rq, std::uint64_t expected_ps);
  void wait(cpu::CpuOps& cpu, Task& task, const State& state);
  void wait_for_flag(cpu::CpuOps& cpu, Task& task, const State& state);

  const TickStop stop_tick_;
  const bool polls_;
  std::vector<std::vector<State>> states_;  ///< by CPU: their clocks may differ
  const KernelServices services_;
  Timers& timers_;
  MmSwitch& mm_switch_;
  const std::function<void(cpu::CpuOps&, RunQueue&)> about_to_wait_;
};

}  // namespace switchyard::kernel

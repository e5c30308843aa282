// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "kernel/arch_mm.h"
#include "kernel/smp.h"
#include "kernel/timers.h"

namespace switchyard::kernel {

/// When the ticks of the CPUs come: all together, spread evenly over the period (skew_tick=1), or anywhere in it.
enum class TickSkew : std::uint8_t { none, even, random };
inline constexpr std::array<std::string_view, 3> kTickSkews{"none", "even", "random"};

/// Time slices and tick.
struct SchedulerParams : base::ParamSet {
  std::uint64_t hz = 250;
  TickSkew skew_tick = TickSkew::none;
  base::Duration base_slice{3'000'000'000};
  base::Duration wakeup_granularity{1'000'000'000};
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "hz", .text = "Periodic ticks per second on a busy CPU", .unit = "1/s"}, hz, {1, 10000});
    v.choice({.key = "skew_tick", .text = "How far apart the ticks of different CPUs are"}, skew_tick, kTickSkews);
    v.value({.key = "base_slice", .text = "Time that a task runs before the tick looks for another one"}, base_slice);
    v.value({.key = "wakeup_granularity", .text = "Lead in virtual runtime that lets a woken task preempt"},
            wakeup_granularity);
  }
};

/// Tasks on CPUs. Run queues per CPU; the runnable task with the least virtual runtime runs next. Sources: Linux v6.7
/// kernel/sched/{core,fair,idle}.c (schedule, try_to_wake_up, finish_task_switch, do_idle). There is no load balancing
/// besides the placement of new and woken tasks. Kernel code is not preempted (PREEMPT_NONE): a task leaves its CPU
/// when it blocks or returns to user mode.
class Scheduler {
 public:
  Scheduler(const SchedulerParams& params, const std::vector<cpu::LogicalCpu*>& cpus, const KernelServices& services,
            TimerDevice& timer, Smp& smp, MmSwitch& mm_switch, std::uint64_t seed);

  /// Makes `task` the idle task of a CPU; `boot` runs on it first.
  void start_idle(unsigned cpu, Task& task, std::function<void(cpu::CpuOps&)> boot);
  /// Starts a new task: with `parent` as a system call of it, without before the simulation.
  void start(Task& task, Task* parent);

  /// To block: announce, look at the condition once more, schedule(). A wake-up in between makes schedule() return.
  void prepare_to_sleep(Task& task, std::string waits_for);
  /// Takes back the announcement when the condition already holds.
  void cancel_sleep(Task& task);
  void schedule(Task& task);
  /// Blocks `task` until `other` has ended.
  void join(Task& task, Task& other);
  /// Makes a sleeping task runnable; true if it slept.
  bool wake_up(cpu::CpuOps& cpu, Task& task);
  void nanosleep(Task& task, std::uint64_t ps);
  /// Restricts `task`, which is running, to a CPU and moves it there.
  void pin(Task& task, unsigned cpu);
  /// Wakes `task` and lets it end where it next returns to user mode.
  void cancel(cpu::CpuOps& cpu, Task& task);

  void timer_interrupt(cpu::CpuOps& cpu);
  Task& current(unsigned cpu) { return *queues_[cpu].current; }
  const RunQueue& run_queue(unsigned cpu) const { return queues_[cpu]; }
  /// Tasks that have not ended, idle tasks aside.
  std::uint64_t live() const { return live_; }
  sc_core::sc_event& all_ended() { return all_ended_; }
  /// See Kernel::input_fault().
  const std::string& input_fault() const { return input_fault_; }

 private:
  void spawn_thread(Task& task, std::function<void()> run);
  void run(Task& task);
  void do_idle(Task& task, const std::function<void(cpu::CpuOps&)>& boot);
  void do_exit(Task& task);
  void idle_once(Task& task);
  void context_switch(cpu::CpuOps& cpu, RunQueue& rq, Task& next);
  void switch_address_space(cpu::CpuOps& cpu, Task& prev, Task& next);
  void hand_over(RunQueue& rq, Task& prev, Task& next);
  void wait_for_cpu(Task& task);
  void finish_task_switch(Task& task);
  Task& pick_next(RunQueue& rq);
  void leave_queue(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void enqueue(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void update_curr(cpu::CpuOps& cpu, RunQueue& rq);
  void check_preempt(cpu::CpuOps& cpu, RunQueue& rq, const Task& woken);
  void resched_curr(cpu::CpuOps& cpu, RunQueue& rq);
  bool still_queued(cpu::CpuOps& cpu, Task& task);
  unsigned select_task_rq(const Task& task) const;
  unsigned find_idlest_cpu(const Task& task) const;
  void check_deadlock() const;
  RunQueue& queue_of(const cpu::CpuOps& cpu) { return queues_[cpu.id()]; }

  const SchedulerParams params_;
  const KernelServices services_;
  Smp& smp_;
  MmSwitch& mm_switch_;
  Timers timers_;
  std::vector<RunQueue> queues_;
  std::vector<const Task*> tasks_;  ///< for reports
  std::uint64_t live_ = 0;
  std::string input_fault_;
  std::uint64_t runnable_ = 0;  ///< on a run queue or on a CPU
  std::uint64_t waking_ = 0;    ///< on the way from a timer or a waker to a run queue
  sc_core::sc_event all_ended_;
  const cpu::FunctionId schedule_, wake_, tick_, exit_, idle_, tail_;
};

}  // namespace switchyard::kernel

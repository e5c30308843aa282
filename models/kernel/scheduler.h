// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/cpu_mask.h"
#include "base/random.h"
#include "kernel/idle.h"
#include "kernel/load_balance.h"
#include "kernel/placement.h"
#include "kernel/smp.h"
#include "kernel/task_owner.h"
#include "kernel/timers.h"

namespace switchyard::kernel {

/// Tasks on CPUs. Run queues per CPU; the runnable task with the least virtual runtime runs next. Sources: Linux v6.7
/// kernel/sched/{core,fair}.c (schedule, try_to_wake_up, finish_task_switch, newidle_balance); parameters say where
/// older kernels differ. Load is balanced where new and woken tasks are placed, when a CPU runs out of tasks, and
/// periodically. Kernel code is not preempted (PREEMPT_NONE): a task leaves its CPU when it blocks or returns to user
/// mode.
class Scheduler {
 public:
  Scheduler(const SchedulerParams& params, const std::vector<cpu::LogicalCpu*>& cpus, const KernelServices& services,
            TimerDevice& timer, Smp& smp, MmSwitch& mm_switch, bool has_polling_flag, std::uint64_t seed);

  /// Before the simulation starts.
  void set_owner(TaskOwner& owner) { owner_ = &owner; }
  /// Makes `task` the idle task of a CPU; `boot` runs on it first.
  void start_idle(unsigned cpu, Task& task, std::function<void(cpu::CpuOps&)> boot);
  /// Starts a task that is new, or has ended and is used again: with `parent` as a system call of it, without before
  /// the simulation.
  void start(Task& task, Task* parent);

  /// To block: announce, look at the condition once more, schedule(). A wake-up in between makes schedule() return.
  void prepare_to_sleep(Task& task, const std::string& waits_for);
  /// Takes back the announcement when the condition already holds.
  void cancel_sleep(Task& task);
  /// A cancelled task does not block any more (signal_pending_state).
  void schedule(Task& task);
  /// Blocks `task` until `event` is done, or `task` is cancelled.
  void wait_for_completion(Task& task, Completion& event);
  void complete_all(cpu::CpuOps& cpu, Completion& event);
  /// Makes a sleeping task runnable; true if it slept. `sync`: the waker is about to sleep itself.
  bool wake_up(cpu::CpuOps& cpu, Task& task, bool sync = false);
  void nanosleep(Task& task, std::uint64_t ps);
  /// Restricts `task`, which is running, to a CPU and moves it there.
  void pin(Task& task, unsigned cpu);
  /// Wakes `task` and lets it end where it next returns to user mode.
  void cancel(cpu::CpuOps& cpu, Task& task);

  void timer_interrupt(cpu::CpuOps& cpu);
  /// The reschedule interrupt: takes the tasks that other CPUs have queued here.
  void scheduler_ipi(cpu::CpuOps& cpu);
  Task& current(unsigned cpu) { return *queues_[cpu].current; }
  const RunQueue& run_queue(unsigned cpu) const { return queues_[cpu]; }
  bool online(unsigned cpu) const { return placement_.topology().online(cpu); }
  /// Tasks that have not ended, idle tasks aside.
  std::uint64_t live() const { return live_; }
  sc_core::sc_event& all_ended() { return all_ended_; }
  /// See Kernel::input_fault().
  const std::string& input_fault() const { return input_fault_; }

 private:
  void place_queues(const std::vector<cpu::LogicalCpu*>& cpus, std::uint64_t seed);
  void spawn_thread(Task& task, std::function<void()> run);
  void run(Task& task);
  void do_idle(Task& task, const std::function<void(cpu::CpuOps&)>& boot);
  [[noreturn]] void play_dead(Task& task);
  void about_to_wait(cpu::CpuOps& cpu, RunQueue& rq);
  void do_exit(Task& task);
  void context_switch(cpu::CpuOps& cpu, RunQueue& rq, Task& next);
  void switch_address_space(cpu::CpuOps& cpu, RunQueue& rq, Task& prev, Task& next);
  void hand_over(RunQueue& rq, Task& prev, Task& next);
  void wait_for_cpu(Task& task);
  void finish_task_switch(Task& task);
  Task& pick_next(cpu::CpuOps& cpu, RunQueue& rq);
  Task& pick_runnable(RunQueue& rq);
  void clear_need_resched(cpu::CpuOps& cpu, Task& task);
  void leave_queue(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void enqueue(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void add_to_queue(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void update_curr(cpu::CpuOps& cpu, RunQueue& rq);
  void check_preempt(cpu::CpuOps& cpu, RunQueue& rq, const Task& woken);
  void scheduler_tick(cpu::CpuOps& cpu, RunQueue& rq);
  /// sched_slice, of a queue that `more` tasks are about to come to.
  std::uint64_t slice_ps(const RunQueue& rq, std::uint64_t more = 0) const;
  /// check_preempt_tick: whether the current task has had its time.
  bool slice_over(const RunQueue& rq, std::uint64_t now_ps) const;
  /// What a sleeping task is ahead of its queue or behind stays when it goes to another one (migrate_task_rq_fair).
  static void rebase(Task& task, const RunQueue& from, const RunQueue& to);
  void resched_curr(cpu::CpuOps& cpu, RunQueue& rq);

  // scheduler_balance.cpp
  void note_overload(cpu::CpuOps& cpu, const RunQueue& rq);
  void newidle_balance(cpu::CpuOps& cpu, RunQueue& rq);
  RunQueue* find_busiest_queue(cpu::CpuOps& cpu, const RunQueue& idle, const base::CpuMask& left_out);
  Task* detach_task(cpu::CpuOps& cpu, const RunQueue& idle);
  void attach_task(cpu::CpuOps& cpu, RunQueue& rq, Task& task);

  bool still_queued(cpu::CpuOps& cpu, Task& task);
  void wait_until_off_cpu(cpu::CpuOps& cpu, const Task& task);
  void try_to_place(cpu::CpuOps& cpu, Task& task, bool sync);
  void ttwu_queue_wakelist(cpu::CpuOps& cpu, Task& task, unsigned target);
  void ttwu_do_activate(cpu::CpuOps& cpu, RunQueue& rq, Task& task);
  void sched_ttwu_pending(cpu::CpuOps& cpu);
  void send_reschedule(cpu::CpuOps& cpu, unsigned target);
  bool set_nr_if_polling(cpu::CpuOps& cpu, Task& idle);
  void check_deadlock() const;
  RunQueue& queue_of(const cpu::CpuOps& cpu) { return queues_[cpu.id()]; }

  const SchedulerParams params_;
  const KernelServices services_;
  Smp& smp_;
  MmSwitch& mm_switch_;
  Timers timers_;
  TaskOwner* owner_ = nullptr;
  std::vector<RunQueue> queues_;
  Placement placement_;
  std::unique_ptr<LoadBalance> load_balance_;
  IdleLoop idle_loop_;
  const Address overload_;  ///< root_domain.overload: some CPU has more than one task
  base::RandomStream draws_;
  std::vector<const Task*> tasks_;  ///< for reports
  std::uint64_t live_ = 0;
  std::string input_fault_;
  std::uint64_t runnable_ = 0;  ///< on a run queue or on a CPU
  std::uint64_t waking_ = 0;    ///< on the way from a timer or a waker to a run queue
  sc_core::sc_event all_ended_;
  base::RandomStream first_cpus_;
  const cpu::FunctionId schedule_, wake_, tick_, exit_, idle_, tail_, balance_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/errors.h"
#include "kernel/scheduler.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr int kStackBytes = 256 << 10;  // host stack of a task: kernel call chains and interrupt handlers nest on it

}  // namespace

void Scheduler::place_queues(const std::vector<cpu::LogicalCpu*>& cpus, std::uint64_t seed) {
  const Address rq = services_.layout.add_per_cpu("runqueues", RunQueue::kBytes, 64);
  const Address timers = services_.layout.add_per_cpu("hrtimer_bases", 128, 64);
  base::RandomStream phases(seed, "tick");
  for (unsigned c = 0; c < cpus.size(); ++c) {
    queues_[c].base = services_.layout.per_cpu(rq, c);
    queues_[c].timer_base = services_.layout.per_cpu(timers, c);
    queues_[c].cpu = cpus[c];
    if (params_.skew_tick == TickSkew::even) queues_[c].tick_phase_ps = timers_.period_ps() / cpus.size() * c;
    if (params_.skew_tick == TickSkew::random) queues_[c].tick_phase_ps = phases.below(timers_.period_ps());
  }
}

void Scheduler::spawn_thread(Task& task, std::function<void()> run) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  const auto noting_faults = [this, run = std::move(run)] {
    try {
      run();
    } catch (const base::ConfigError& fault) {
      input_fault_ = fault.what();
      throw;
    }
  };
  sc_core::sc_spawn(noting_faults, ("task_" + std::to_string(task.id)).c_str(), &options);
}

void Scheduler::start_idle(unsigned cpu, Task& task, std::function<void(CpuOps&)> boot) {
  RunQueue& rq = queues_[cpu];
  rq.idle = rq.current = &task;
  task.last_cpu = cpu;
  task.has_cpu = true;
  rq.cpu->dispatch(task.context);
  spawn_thread(task, [this, &task, boot = std::move(boot)] { do_idle(task, boot); });
}

void Scheduler::start(Task& task, Task* parent) {
  const bool again = task.started;
  if (!again) tasks_.push_back(&task);
  task.started = true;
  ++live_;
  const unsigned target = parent == nullptr && params_.first_cpu == FirstCpu::random
                              ? placement_.any_idlest_cpu(first_cpus_, task)
                              : placement_.find_idlest_cpu(parent != nullptr ? &parent->cpu() : nullptr, task);
  RunQueue& rq = queues_[target];
  task.last_cpu = target;
  if (!again) spawn_thread(task, [this, &task] { run(task); });
  if (parent == nullptr) {
    rq.queue.push_back(&task);
    task.on_queue = true;
    ++runnable_;
    rq.idle->need_resched = true;
    return;
  }
  CpuOps& cpu = parent->cpu();
  services_.trace.sched_process_fork(cpu, *parent, task);
  const bool interrupts = cpu.set_interrupts(false);
  services_.locks.spin_lock(cpu, rq.lock());
  task.runtime_ps = rq.min_runtime_ps + slice_ps(rq, 1);
  enqueue(cpu, rq, task);
  services_.trace.sched_wakeup_new(cpu, task);
  check_preempt(cpu, rq, task);
  services_.locks.spin_unlock(cpu, rq.lock());
  cpu.set_interrupts(interrupts);
}

// A task that fork has made may be used again after its end.
void Scheduler::run(Task& task) {
  do {
    wait_for_cpu(task);
    {
      const auto scope = task.cpu().function(tail_);
      finish_task_switch(task);
      task.cpu().set_interrupts(true);
    }
    try {
      task.body(task);
    } catch (const TaskExit&) {
    }
    do_exit(task);
  } while (task.group->forked);
}

void Scheduler::do_idle(Task& task, const std::function<void(CpuOps&)>& boot) {
  boot(task.cpu());
  if (!online(task.cpu().id())) play_dead(task);
  note_overload(task.cpu(), queue_of(task.cpu()));  // of processes that start with the machine
  const auto scope = task.cpu().function(idle_);
  for (;;) {
    if (!task.need_resched) idle_loop_.do_idle(task, queue_of(task.cpu()));
    sched_ttwu_pending(task.cpu());
    schedule(task);
  }
}

/// A CPU that has gone down borrows init_mm alone, and nobody has a reason to interrupt it.
void Scheduler::play_dead(Task& task) {
  CpuOps& cpu = task.cpu();
  cpu.set_interrupts(false);
  while ((cpu.pending_interrupts() & cpu::kSupervisorInterrupts) == 0) cpu.wait_for_interrupt();
  throw base::CheckError("cpu" + std::to_string(cpu.id()) + " is offline and was interrupted");
}

void Scheduler::about_to_wait(CpuOps& cpu, RunQueue& rq) {
  if (rq.next_tick_ps == RunQueue::kNever) load_balance_->stop_tick(cpu, rq);
  check_deadlock();
}

bool Scheduler::still_queued(CpuOps& cpu, Task& task) {
  if (!task.on_queue) return false;
  RunQueue& rq = queues_[task.last_cpu];
  const SpinGuard guard(services_.locks, cpu, rq.lock());
  if (!task.on_queue) return false;
  task.state = Task::State::running;
  cpu.store(task.Thread::state(), 0, 4);
  services_.trace.sched_wakeup(cpu, task);
  return true;
}

bool Scheduler::wake_up(CpuOps& cpu, Task& task, bool sync) {
  const auto scope = cpu.function(wake_);
  ++waking_;
  const bool interrupts = cpu.set_interrupts(false);
  cpu.execute(services_.costs.wake_up);
  services_.locks.spin_lock(cpu, task.pi_lock());
  cpu.load(task.Thread::state(), 4);
  const bool slept = task.state == Task::State::sleeping && !task.wake_when_off_cpu;
  if (slept) services_.trace.sched_waking(cpu, task);
  if (slept && !still_queued(cpu, task)) try_to_place(cpu, task, sync);
  services_.locks.spin_unlock(cpu, task.pi_lock());
  cpu.set_interrupts(interrupts);
  --waking_;
  return slept;
}

void Scheduler::wait_until_off_cpu(CpuOps& cpu, const Task& task) {
  const WaitGraph::Wait wait(services_.locks.waits(), cpu, task.last_cpu, task.is_on_cpu, "switch to another task");
  cpu.spin_until(
      {task.on_cpu()}, [&] { return cpu.load(task.on_cpu(), 4) == 0; }, cpu::Cause::lock_spin);
}

// The second half of try_to_wake_up: the task is not on a run queue, but may still be on its way off its CPU.
void Scheduler::try_to_place(CpuOps& cpu, Task& task, bool sync) {
  if (params_.wake.on_cpu == WakeOnCpu::queue && cpu.load(task.on_cpu(), 4) != 0 && task.last_cpu != cpu.id() &&
      cpu.load(queues_[task.last_cpu].nr_running(), 4) <= 1)
    return ttwu_queue_wakelist(cpu, task, task.last_cpu);
  wait_until_off_cpu(cpu, task);
  constexpr std::uint64_t kWaking = 0x200;
  cpu.store(task.Thread::state(), kWaking, 4);
  const unsigned target = placement_.select_task_rq(cpu, current(cpu.id()), task, sync);
  if (target != task.last_cpu) {
    ++services_.stats.migrations;
    services_.trace.sched_migrate_task(cpu, task, target);
    rebase(task, queues_[task.last_cpu], queues_[target]);
  }
  if (!placement_.topology().share_cache(cpu.id(), target)) return ttwu_queue_wakelist(cpu, task, target);
  RunQueue& rq = queues_[target];
  const SpinGuard guard(services_.locks, cpu, rq.lock());
  ttwu_do_activate(cpu, rq, task);
}

// llist_add to the wake list of the target; only the first entry tells the target.
void Scheduler::ttwu_queue_wakelist(CpuOps& cpu, Task& task, unsigned target) {
  RunQueue& rq = queues_[target];
  task.state = Task::State::waking;
  ++waking_;
  rq.woken.push_back(&task);
  std::uint64_t first = cpu.load(rq.wake_list());
  for (;;) {
    cpu.store(task.wake_entry(), first);
    const std::uint64_t before = services_.atomics.cmpxchg(cpu, rq.wake_list(), first, task.wake_entry());
    if (before == first) break;
    first = before;
  }
  if (first == 0 && !set_nr_if_polling(cpu, *rq.idle)) send_reschedule(cpu, target);
}

bool Scheduler::set_nr_if_polling(CpuOps& cpu, Task& idle) {
  std::uint64_t flags = cpu.load(idle.flags());
  while ((flags & kPollingNrflag) != 0) {
    if ((flags & kNeedResched) != 0) return true;
    const std::uint64_t before = services_.atomics.cmpxchg(cpu, idle.flags(), flags, flags | kNeedResched);
    if (before == flags) {
      idle.need_resched = true;
      return true;
    }
    flags = before;
  }
  return false;
}

void Scheduler::scheduler_ipi(CpuOps& cpu) {
  services_.trace.ipi_entry(cpu, IpiReason::reschedule);
  sched_ttwu_pending(cpu);
  load_balance_->scheduler_ipi(cpu, queue_of(cpu));
  services_.trace.ipi_exit(cpu, IpiReason::reschedule);
}

void Scheduler::sched_ttwu_pending(CpuOps& cpu) {
  RunQueue& rq = queue_of(cpu);
  if (cpu.load(rq.wake_list()) == 0) return;
  const bool interrupts = cpu.set_interrupts(false);
  services_.atomics.xchg(cpu, rq.wake_list(), 0);
  {
    const SpinGuard guard(services_.locks, cpu, rq.lock());
    while (!rq.woken.empty()) {
      Task& task = *rq.woken.front();
      rq.woken.pop_front();
      cpu.load(task.wake_entry());
      ttwu_do_activate(cpu, rq, task);
      --waking_;
    }
  }
  cpu.set_interrupts(interrupts);
}

// The run-queue lock is held.
void Scheduler::ttwu_do_activate(CpuOps& cpu, RunQueue& rq, Task& task) {
  task.last_cpu = rq.cpu->id();
  enqueue(cpu, rq, task);
  check_preempt(cpu, rq, task);
  task.state = Task::State::running;
  cpu.store(task.Thread::state(), 0, 4);
  services_.trace.sched_wakeup(cpu, task);
  if (rq.idle_since_ps == 0) return;
  constexpr std::uint64_t kMost = 1'000'000'000;  // twice sysctl_sched_migration_cost
  const std::uint64_t now = cpu.now_ps();
  const std::uint64_t idle = now > rq.idle_since_ps ? now - rq.idle_since_ps : 0;
  std::uint64_t& average = rq.average_idle_ps;
  average = std::min(idle > average ? average + (idle - average) / 8 : average - (average - idle) / 8, kMost);
  rq.idle_since_ps = 0;
}

void Scheduler::check_preempt(CpuOps& cpu, RunQueue& rq, const Task& woken) {
  const Task& curr = *rq.current;
  if (&curr == rq.idle || woken.runtime_ps + params_.wakeup_granularity.ps < curr.runtime_ps) resched_curr(cpu, rq);
}

// set_nr_and_not_polling: a CPU that watches its flags needs no interrupt.
void Scheduler::resched_curr(CpuOps& cpu, RunQueue& rq) {
  Task& curr = *rq.current;
  if ((cpu.load(curr.flags()) & kNeedResched) != 0) return;
  const std::uint64_t before = services_.atomics.fetch_or(cpu, curr.flags(), kNeedResched);
  curr.need_resched = true;
  if (rq.cpu->id() != cpu.id() && (before & kPollingNrflag) == 0) send_reschedule(cpu, rq.cpu->id());
}

void Scheduler::send_reschedule(CpuOps& cpu, unsigned target) {
  base::CpuMask targets;
  targets.set(target);
  smp_.send(cpu, targets, Smp::Message::reschedule);
}

void Scheduler::timer_interrupt(CpuOps& cpu) {
  RunQueue& rq = queue_of(cpu);
  ++waking_;
  timers_.begin(cpu, rq);
  while (Task* task = timers_.expire(cpu, rq)) wake_up(cpu, *task);
  --waking_;
  if (timers_.tick_due(cpu, rq)) {
    const auto scope = cpu.function(tick_);
    ++services_.stats.ticks;
    cpu.execute(services_.costs.tick);
    scheduler_tick(cpu, rq);
    load_balance_->tick(cpu, rq);
  }
  timers_.program(cpu, rq);
}

void Scheduler::scheduler_tick(CpuOps& cpu, RunQueue& rq) {
  const SpinGuard guard(services_.locks, cpu, rq.lock());
  update_curr(cpu, rq);
  if (slice_over(rq, cpu.now_ps())) resched_curr(cpu, rq);
}

void Scheduler::check_deadlock() const {
  if (runnable_ != 0 || waking_ != 0 || timers_.pending() != 0) return;
  std::string report;
  for (const Task* task : tasks_) {
    if (task->wake_when_off_cpu) return;
    if (task->state == Task::State::sleeping)
      report += (report.empty() ? "" : ", ") + task->name + " waits for " + task->waits_for;
  }
  if (!report.empty()) throw base::CheckError("deadlock: no task can run and no timer is set: " + report);
}

}  // namespace switchyard::kernel

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
  tasks_.push_back(&task);
  ++live_;
  const unsigned target = find_idlest_cpu(task);
  RunQueue& rq = queues_[target];
  task.last_cpu = target;
  spawn_thread(task, [this, &task] { run(task); });
  if (parent == nullptr) {
    rq.queue.push_back(&task);
    task.on_queue = true;
    ++runnable_;
    rq.idle->need_resched = true;
    return;
  }
  CpuOps& cpu = parent->cpu();
  const bool interrupts = cpu.set_interrupts(false);
  services_.locks.spin_lock(cpu, rq.lock());
  task.runtime_ps = rq.min_runtime_ps + params_.base_slice.ps;
  enqueue(cpu, rq, task);
  check_preempt(cpu, rq, task);
  services_.locks.spin_unlock(cpu, rq.lock());
  cpu.set_interrupts(interrupts);
}

void Scheduler::run(Task& task) {
  wait_for_cpu(task);
  {
    const auto scope = task.cpu().function(tail_);
    finish_task_switch(task);
    task.cpu().set_interrupts(true);
  }
  try {
    if (!task.cancelled) task.body(task);
  } catch (const TaskExit&) {
  }
  do_exit(task);
}

void Scheduler::do_idle(Task& task, const std::function<void(CpuOps&)>& boot) {
  boot(task.cpu());
  const auto scope = task.cpu().function(idle_);
  for (;;) {
    if (!task.need_resched) idle_once(task);
    schedule(task);
  }
}

// Interrupts are off from the last look at need_resched to the halt, which ends even if the interrupt is masked.
void Scheduler::idle_once(Task& task) {
  CpuOps& cpu = task.cpu();
  RunQueue& rq = queue_of(cpu);
  cpu.execute(services_.costs.idle_enter);
  cpu.set_interrupts(false);
  timers_.set_tick(cpu, rq, false);
  cpu.set_interrupts(true);
  while (!task.need_resched) {
    cpu.set_interrupts(false);
    if (!task.need_resched) {
      check_deadlock();
      cpu.wait_for_interrupt();
    }
    cpu.set_interrupts(true);
    cpu.execute(1);
  }
  cpu.execute(services_.costs.idle_exit);
}

bool Scheduler::still_queued(CpuOps& cpu, Task& task) {
  if (!task.on_queue) return false;
  RunQueue& rq = queues_[task.last_cpu];
  const SpinGuard guard(services_.locks, cpu, rq.lock());
  if (!task.on_queue) return false;
  task.state = Task::State::running;
  cpu.store(task.Thread::state(), 0, 4);
  return true;
}

bool Scheduler::wake_up(CpuOps& cpu, Task& task) {
  const auto scope = cpu.function(wake_);
  ++waking_;
  const bool interrupts = cpu.set_interrupts(false);
  cpu.execute(services_.costs.wake_up);
  services_.locks.spin_lock(cpu, task.pi_lock());
  cpu.load(task.Thread::state(), 4);
  const bool slept = task.state == Task::State::sleeping && !task.wake_when_off_cpu;
  if (slept && !still_queued(cpu, task)) {
    cpu.spin_until(
        {task.on_cpu()}, [&] { return cpu.load(task.on_cpu(), 4) == 0; }, cpu::Cause::lock_spin);
    const unsigned target = select_task_rq(task);
    if (target != task.last_cpu) ++services_.stats.migrations;
    RunQueue& rq = queues_[target];
    services_.locks.spin_lock(cpu, rq.lock());
    task.state = Task::State::running;
    cpu.store(task.Thread::state(), 0, 4);
    task.last_cpu = target;
    enqueue(cpu, rq, task);
    check_preempt(cpu, rq, task);
    services_.locks.spin_unlock(cpu, rq.lock());
  }
  services_.locks.spin_unlock(cpu, task.pi_lock());
  cpu.set_interrupts(interrupts);
  --waking_;
  return slept;
}

// The CPU it ran on if that is idle, else the first idle one, else the one it ran on.
unsigned Scheduler::select_task_rq(const Task& task) const {
  if (task.pinned) return *task.pinned;
  if (queues_[task.last_cpu].running() == 0) return task.last_cpu;
  for (unsigned c = 0; c < queues_.size(); ++c)
    if (queues_[c].running() == 0) return c;
  return task.last_cpu;
}

// New tasks: the CPU with the fewest runnable tasks, the lowest numbered of several.
unsigned Scheduler::find_idlest_cpu(const Task& task) const {
  if (task.pinned) return *task.pinned;
  const auto idlest = std::min_element(queues_.begin(), queues_.end(),
                                       [](const RunQueue& a, const RunQueue& b) { return a.running() < b.running(); });
  return static_cast<unsigned>(idlest - queues_.begin());
}

void Scheduler::check_preempt(CpuOps& cpu, RunQueue& rq, const Task& woken) {
  const Task& curr = *rq.current;
  if (&curr == rq.idle || woken.runtime_ps + params_.wakeup_granularity.ps < curr.runtime_ps) resched_curr(cpu, rq);
}

void Scheduler::resched_curr(CpuOps& cpu, RunQueue& rq) {
  Task& curr = *rq.current;
  if (curr.need_resched) return;
  constexpr std::uint64_t kNeedResched = 1u << 3;
  services_.atomics.fetch_or(cpu, curr.flags(), kNeedResched);
  curr.need_resched = true;
  if (rq.cpu->id() == cpu.id()) return;
  base::CpuMask target;
  target.set(rq.cpu->id());
  smp_.send(cpu, target, Smp::Message::reschedule);
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
    const SpinGuard guard(services_.locks, cpu, rq.lock());
    update_curr(cpu, rq);
    const Task& curr = *rq.current;
    if (&curr != rq.idle && !rq.queue.empty() && cpu.now_ps() >= curr.slice_start_ps + params_.base_slice.ps)
      resched_curr(cpu, rq);
  }
  timers_.program(cpu, rq);
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

// SPDX-License-Identifier: Apache-2.0
#include "kernel/scheduler.h"

#include <algorithm>

#include "base/errors.h"
#include "base/random.h"
#include "kernel/files.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

Scheduler::Scheduler(const SchedulerParams& params, const std::vector<cpu::LogicalCpu*>& cpus,
                     const KernelServices& services, TimerDevice& timer, Smp& smp, MmSwitch& mm_switch,
                     std::uint64_t seed)
    : params_(params),
      services_(services),
      smp_(smp),
      mm_switch_(mm_switch),
      timers_(params.hz, timer, services),
      queues_(cpus.size()),
      schedule_(services.functions.add("__schedule", Domain::kernel)),
      wake_(services.functions.add("try_to_wake_up", Domain::kernel)),
      tick_(services.functions.add("tick_nohz_handler", Domain::kernel)),
      exit_(services.functions.add("do_exit", Domain::kernel)),
      idle_(services.functions.add("do_idle", Domain::idle)),
      tail_(services.functions.add("schedule_tail", Domain::kernel)) {
  const Address rq = services.layout.add_per_cpu("runqueues", RunQueue::kBytes, 64);
  const Address timers = services.layout.add_per_cpu("hrtimer_bases", 128, 64);
  base::RandomStream phases(seed, "tick");
  for (unsigned c = 0; c < cpus.size(); ++c) {
    queues_[c].base = services.layout.per_cpu(rq, c);
    queues_[c].timer_base = services.layout.per_cpu(timers, c);
    queues_[c].cpu = cpus[c];
    if (params_.skew_tick == TickSkew::even) queues_[c].tick_phase_ps = timers_.period_ps() / cpus.size() * c;
    if (params_.skew_tick == TickSkew::random) queues_[c].tick_phase_ps = phases.below(timers_.period_ps());
  }
}

void Scheduler::schedule(Task& task) {
  {
    CpuOps& cpu = task.cpu();
    const auto scope = cpu.function(schedule_);
    const bool interrupts = cpu.set_interrupts(false);
    cpu.execute(services_.costs.schedule);
    RunQueue& rq = queue_of(cpu);
    services_.locks.spin_lock(cpu, rq.lock());
    update_curr(cpu, rq);
    task.need_resched = false;
    cpu.store(task.flags(), 0);
    if (task.state != Task::State::running)
      leave_queue(cpu, rq, task);
    else if (&task != rq.idle)
      rq.queue.push_back(&task);
    Task& next = pick_next(rq);
    if (&next == &task)
      services_.locks.spin_unlock(cpu, rq.lock());
    else
      context_switch(cpu, rq, next);
    if (task.state == Task::State::dead) return;
    task.cpu().set_interrupts(interrupts);
  }
}

Task& Scheduler::pick_next(RunQueue& rq) {
  if (rq.queue.empty()) return *rq.idle;
  const auto least = std::min_element(rq.queue.begin(), rq.queue.end(), [](const Task* a, const Task* b) {
    return a->runtime_ps != b->runtime_ps ? a->runtime_ps < b->runtime_ps : a->id < b->id;
  });
  Task& next = **least;
  rq.queue.erase(least);
  return next;
}

void Scheduler::leave_queue(CpuOps& cpu, RunQueue& rq, Task& task) {
  task.on_queue = false;
  --runnable_;
  cpu.store(task.on_rq(), 0, 4);
  cpu.store(rq.nr_running(), rq.queue.size(), 4);
}

void Scheduler::enqueue(CpuOps& cpu, RunQueue& rq, Task& task) {
  const std::uint64_t credit = params_.base_slice.ps;
  const std::uint64_t floor = rq.min_runtime_ps > credit ? rq.min_runtime_ps - credit : 0;
  task.runtime_ps = std::max(task.runtime_ps, floor);
  cpu.store(task.vruntime(), task.runtime_ps);
  cpu.store(task.on_rq(), 1, 4);
  rq.queue.push_back(&task);
  task.on_queue = true;
  ++runnable_;
  cpu.store(rq.nr_running(), rq.running(), 4);
}

void Scheduler::update_curr(CpuOps& cpu, RunQueue& rq) {
  Task& curr = *rq.current;
  const std::uint64_t now = cpu.now_ps();
  cpu.store(rq.clock(), now);
  if (&curr == rq.idle) return;
  // An interrupt handler runs at the time of its interrupt, which may lie before that of the code it interrupts.
  if (now > curr.exec_start_ps) {
    curr.runtime_ps += now - curr.exec_start_ps;
    curr.exec_start_ps = now;
  }
  std::uint64_t least = curr.runtime_ps;
  for (const Task* task : rq.queue) least = std::min(least, task->runtime_ps);
  rq.min_runtime_ps = std::max(rq.min_runtime_ps, least);
  cpu.store(curr.vruntime(), curr.runtime_ps);
  cpu.store(rq.min_vruntime(), rq.min_runtime_ps);
}

void Scheduler::context_switch(CpuOps& cpu, RunQueue& rq, Task& next) {
  Task& prev = *rq.current;
  ++services_.stats.context_switches;
  if (&prev == rq.idle) timers_.set_tick(cpu, rq, true);
  switch_address_space(cpu, prev, next);
  cpu.execute(services_.costs.context_switch);
  for (std::uint64_t line = 0; line < 128; line += 64) cpu.store(prev.thread_registers() + line, 0);
  for (std::uint64_t line = 0; line < 128; line += 64) cpu.load(next.thread_registers() + line);
  cpu.store(next.on_cpu(), 1, 4);
  cpu.store(rq.curr(), next.task_struct);
  next.exec_start_ps = next.slice_start_ps = cpu.now_ps();
  hand_over(rq, prev, next);
}

// A kernel thread borrows the address space that is there (lazy TLB): root, id and mm_cpumask stay.
void Scheduler::switch_address_space(CpuOps& cpu, Task& prev, Task& next) {
  if (next.mm == nullptr) {
    next.active_mm = prev.active_mm;
    services_.atomics.atomic_add(cpu, next.active_mm->fields.mm_count(), 1);
  } else {
    if (prev.active_mm != next.mm) mm_switch_.switch_mm(cpu, *prev.active_mm, *next.mm);
    next.active_mm = next.mm;
  }
  if (prev.mm != nullptr) return;
  services_.atomics.atomic_add(cpu, prev.active_mm->fields.mm_count(), -1);
  prev.active_mm = nullptr;
}

// The run-queue lock stays held; the next task releases it.
void Scheduler::hand_over(RunQueue& rq, Task& prev, Task& next) {
  rq.cpu->synchronise();
  rq.previous = &prev;
  rq.current = &next;
  prev.has_cpu = false;
  next.has_cpu = true;
  next.last_cpu = rq.cpu->id();
  rq.cpu->dispatch(next.context);
  next.dispatched.notify();
  if (prev.state == Task::State::dead) return;
  wait_for_cpu(prev);
  finish_task_switch(prev);
}

void Scheduler::wait_for_cpu(Task& task) {
  while (!task.has_cpu) sc_core::wait(task.dispatched);
}

void Scheduler::finish_task_switch(Task& task) {
  CpuOps& cpu = task.cpu();
  RunQueue& rq = queue_of(cpu);
  Task& previous = *rq.previous;
  cpu.store(previous.on_cpu(), 0, 4);
  services_.locks.spin_unlock(cpu, rq.lock());
  if (!previous.wake_when_off_cpu) return;
  previous.wake_when_off_cpu = false;
  wake_up(cpu, previous);
}

void Scheduler::prepare_to_sleep(Task& task, std::string waits_for) {
  task.waits_for = std::move(waits_for);
  task.state = Task::State::sleeping;
  task.cpu().store(task.Thread::state(), 1, 4);
}

void Scheduler::cancel_sleep(Task& task) {
  task.state = Task::State::running;
  task.cpu().store(task.Thread::state(), 0, 4);
}

void Scheduler::join(Task& task, Task& other) {
  while (!other.ended) {
    prepare_to_sleep(task, other.name + " to end");
    if (other.ended) return cancel_sleep(task);
    other.joiners.push_back(&task);
    schedule(task);
    if (task.cancelled) return;
  }
}

void Scheduler::nanosleep(Task& task, std::uint64_t ps) {
  CpuOps& cpu = task.cpu();
  const bool interrupts = cpu.set_interrupts(false);
  prepare_to_sleep(task, "its timer");
  timers_.add(cpu, queue_of(cpu), cpu.now_ps() + ps, task);
  schedule(task);
  task.cpu().set_interrupts(interrupts);
}

void Scheduler::pin(Task& task, unsigned cpu) {
  task.pinned = cpu;
  if (task.cpu().id() == cpu) return;
  prepare_to_sleep(task, "its new CPU");
  task.wake_when_off_cpu = true;
  schedule(task);
}

void Scheduler::cancel(CpuOps& cpu, Task& task) {
  if (task.state == Task::State::dead) return;
  task.cancelled = true;
  for (RunQueue& rq : queues_) timers_.remove(rq, task);
  if (!wake_up(cpu, task) && task.has_cpu) resched_curr(cpu, queues_[task.last_cpu]);
}

void Scheduler::do_exit(Task& task) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(exit_);
  cpu.execute(services_.costs.call);
  services_.atomics.atomic_add(cpu, task.mm->fields.mm_users(), -1);
  if (task.mm->files != 0) services_.atomics.atomic_add(cpu, FilesStruct{task.mm->files}.count(), -1);
  task.ended = true;
  for (Task* joiner : task.joiners) wake_up(cpu, *joiner);
  cpu.set_interrupts(false);
  task.state = Task::State::dead;
  if (--live_ == 0) all_ended_.notify(sc_core::SC_ZERO_TIME);
  schedule(task);
}

}  // namespace switchyard::kernel

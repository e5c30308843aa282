// SPDX-License-Identifier: Apache-2.0
#include "kernel/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

base::CpuMask offline_cpus(const SchedulerParams& params, std::size_t cpus) {
  base::CpuMask mask;
  for (const std::uint64_t c : params.offline) {
    if (c >= cpus)
      throw base::ConfigError("kernel.params.scheduler.offline",
                              "there is no CPU " + std::to_string(c) + ": the machine has " + std::to_string(cpus));
    mask.set(static_cast<unsigned>(c));
  }
  return mask;
}

}  // namespace

Scheduler::Scheduler(const SchedulerParams& params, const std::vector<cpu::LogicalCpu*>& cpus,
                     const KernelServices& services, TimerDevice& timer, Smp& smp, MmSwitch& mm_switch,
                     bool has_polling_flag, std::uint64_t seed)
    : params_(params),
      services_(services),
      smp_(smp),
      mm_switch_(mm_switch),
      timers_(params.hz, timer, services),
      queues_(cpus.size()),
      placement_(params.wake,
                 Topology(params.topology, static_cast<unsigned>(cpus.size()), offline_cpus(params, cpus.size())),
                 queues_, services),
      idle_loop_(params.idle, has_polling_flag, cpus, services, timers_, mm_switch,
                 [this](CpuOps& cpu, RunQueue& rq) { about_to_wait(cpu, rq); }),
      overload_(services.layout.add_data("def_root_domain", 64, 64)),
      draws_(seed, "pick"),
      first_cpus_(seed, "first_cpu"),
      schedule_(services.functions.add("__schedule", Domain::kernel)),
      wake_(services.functions.add("try_to_wake_up", Domain::kernel)),
      tick_(services.functions.add("tick_nohz_handler", Domain::kernel)),
      exit_(services.functions.add("do_exit", Domain::kernel)),
      idle_(services.functions.add("do_idle", Domain::idle)),
      tail_(services.functions.add("schedule_tail", Domain::kernel)),
      balance_(services.functions.add("newidle_balance", Domain::kernel)) {
  smp.set_offline(placement_.topology().offline());
  place_queues(cpus, seed);
  load_balance_ = std::make_unique<LoadBalance>(
      params.balance, timers_.period_ps(), placement_.topology(), queues_, services,
      LoadBalance::Hooks{[this](CpuOps& cpu, RunQueue& rq, Task& task) { attach_task(cpu, rq, task); },
                         [this](CpuOps& cpu, unsigned target) { send_reschedule(cpu, target); }});
}

void Scheduler::schedule(Task& task) {
  {
    CpuOps& cpu = task.cpu();
    const auto scope = cpu.function(schedule_);
    const bool interrupts = cpu.set_interrupts(false);
    mm_switch_.cpu_rq(cpu);
    cpu.execute(services_.costs.schedule);
    RunQueue& rq = queue_of(cpu);
    services_.locks.spin_lock(cpu, rq.lock());
    update_curr(cpu, rq);
    if (task.cancelled && task.state == Task::State::sleeping && !task.wake_when_off_cpu) cancel_sleep(task);
    if (task.state != Task::State::running)
      leave_queue(cpu, rq, task);
    else if (&task != rq.idle)
      rq.queue.push_back(&task);
    Task& next = pick_next(cpu, rq);
    clear_need_resched(cpu, task);
    if (&next == rq.idle && &next != &task) {
      rq.idle_since_ps = cpu.now_ps();
      placement_.update_idle_core(cpu);
    }
    if (&next == &task) {
      rq.next = nullptr;
      next.slice_start_ps = cpu.now_ps();
      services_.locks.spin_unlock(cpu, rq.lock());
    } else {
      context_switch(cpu, rq, next);
    }
    if (task.state == Task::State::dead) return;
    task.cpu().set_interrupts(interrupts);
  }
}

void Scheduler::clear_need_resched(CpuOps& cpu, Task& task) {
  services_.atomics.fetch_and(cpu, task.flags(), ~std::uint64_t{kNeedResched});
  task.need_resched = false;
}

Task& Scheduler::pick_next(CpuOps& cpu, RunQueue& rq) {
  if (rq.queue.empty()) newidle_balance(cpu, rq);
  rq.next = rq.queue.empty() ? rq.idle : &pick_runnable(rq);
  return *rq.next;
}

Task& Scheduler::pick_runnable(RunQueue& rq) {
  auto picked = std::min_element(rq.queue.begin(), rq.queue.end(), [](const Task* a, const Task* b) {
    return a->runtime_ps != b->runtime_ps ? a->runtime_ps < b->runtime_ps : a->id < b->id;
  });
  if (params_.pick_slack.ps != 0) {
    const std::uint64_t limit = (*picked)->runtime_ps + params_.pick_slack.ps;
    const auto counts = [limit](const Task* task) { return task->runtime_ps < limit; };
    std::uint64_t skipped =
        draws_.below(static_cast<std::uint64_t>(std::count_if(rq.queue.begin(), rq.queue.end(), counts)));
    picked = std::find_if(rq.queue.begin(), rq.queue.end(),
                          [&](const Task* task) { return counts(task) && skipped-- == 0; });
  }
  Task& next = **picked;
  rq.queue.erase(picked);
  return next;
}

void Scheduler::leave_queue(CpuOps& cpu, RunQueue& rq, Task& task) {
  task.on_queue = false;
  --runnable_;
  cpu.store(task.on_rq(), 0, 4);
  cpu.store(rq.nr_running(), rq.queue.size(), 4);
}

// enqueue_entity brings the current task up to date first; place_entity with GENTLE_FAIR_SLEEPERS.
void Scheduler::enqueue(CpuOps& cpu, RunQueue& rq, Task& task) {
  if (rq.current != rq.idle) update_curr(cpu, rq);
  const std::uint64_t credit = params_.latency.ps != 0 ? params_.latency.ps / 2 : params_.base_slice.ps;
  const std::uint64_t floor = rq.min_runtime_ps > credit ? rq.min_runtime_ps - credit : 0;
  task.runtime_ps = std::max(task.runtime_ps, floor);
  task.on_queue = true;
  ++runnable_;
  add_to_queue(cpu, rq, task);
}

void Scheduler::add_to_queue(CpuOps& cpu, RunQueue& rq, Task& task) {
  cpu.store(task.vruntime(), task.runtime_ps);
  cpu.store(task.on_rq(), 1, 4);
  rq.queue.push_back(&task);
  cpu.store(rq.nr_running(), rq.running(), 4);
  note_overload(cpu, rq);
}

void Scheduler::update_curr(CpuOps& cpu, RunQueue& rq) {
  Task& curr = *rq.current;
  const std::uint64_t now = cpu.now_ps();
  cpu.store(rq.clock(), now);
  if (&curr == rq.idle) return;
  // An interrupt handler runs at the time of its interrupt, which may lie before that of the code it interrupts.
  if (now > curr.exec_start_ps) {
    curr.runtime_ps += now - curr.exec_start_ps;
    services_.trace.sched_stat_runtime(cpu, curr, now - curr.exec_start_ps);
    curr.exec_start_ps = now;
  }
  std::uint64_t least = curr.runtime_ps;
  for (const Task* task : rq.queue) least = std::min(least, task->runtime_ps);
  rq.min_runtime_ps = std::max(rq.min_runtime_ps, least);
  cpu.store(curr.vruntime(), curr.runtime_ps);
  cpu.store(rq.min_vruntime(), rq.min_runtime_ps);
}

std::uint64_t Scheduler::slice_ps(const RunQueue& rq, std::uint64_t more) const {
  const std::uint64_t running = std::max<std::uint64_t>(rq.running() + more, 1);
  return std::max(params_.latency.ps / running, params_.base_slice.ps);
}

bool Scheduler::slice_over(const RunQueue& rq, std::uint64_t now_ps) const {
  const Task& curr = *rq.current;
  if (&curr == rq.idle || rq.queue.empty() || now_ps < curr.slice_start_ps + params_.base_slice.ps) return false;
  const std::uint64_t slice = slice_ps(rq);
  if (now_ps >= curr.slice_start_ps + slice) return true;
  return std::any_of(rq.queue.begin(), rq.queue.end(),
                     [&](const Task* task) { return task->runtime_ps + slice < curr.runtime_ps; });
}

void Scheduler::rebase(Task& task, const RunQueue& from, const RunQueue& to) {
  const auto lead = static_cast<std::int64_t>(task.runtime_ps - from.min_runtime_ps);
  const std::int64_t there = lead + static_cast<std::int64_t>(to.min_runtime_ps);
  task.runtime_ps = there > 0 ? static_cast<std::uint64_t>(there) : 0;
}

void Scheduler::context_switch(CpuOps& cpu, RunQueue& rq, Task& next) {
  Task& prev = *rq.current;
  ++services_.stats.context_switches;
  services_.trace.sched_switch(cpu, prev, next);
  if (&prev == rq.idle) timers_.set_tick(cpu, rq, true);
  switch_address_space(cpu, rq, prev, next);
  cpu.execute(services_.costs.context_switch);
  mm_switch_.switch_to(cpu, next);
  for (std::uint64_t line = 0; line < 128; line += 64) cpu.store(prev.thread_registers() + line, 0);
  for (std::uint64_t line = 0; line < 128; line += 64) cpu.load(next.thread_registers() + line);
  cpu.store(next.on_cpu(), 1, 4);
  next.is_on_cpu = true;
  cpu.store(rq.curr(), next.task_struct);
  next.exec_start_ps = next.slice_start_ps = cpu.now_ps();
  hand_over(rq, prev, next);
}

// An idle task borrows the address space that is there and holds a reference to it; the task after it drops that.
void Scheduler::switch_address_space(CpuOps& cpu, RunQueue& rq, Task& prev, Task& next) {
  if (next.mm == nullptr) {
    next.active_mm = prev.active_mm;
    services_.atomics.atomic_add(cpu, next.active_mm->fields.mm_count(), 1);
    mm_switch_.enter_lazy_tlb(cpu, *next.active_mm);
  } else {
    mm_switch_.switch_mm(cpu, *prev.active_mm, *next.mm);
    next.active_mm = next.mm;
  }
  if (prev.mm == nullptr) rq.previous_mm = std::exchange(prev.active_mm, nullptr);
}

// The run-queue lock stays held; the next task releases it.
void Scheduler::hand_over(RunQueue& rq, Task& prev, Task& next) {
  rq.cpu->synchronise();
  rq.previous = &prev;
  rq.current = &next;
  rq.next = nullptr;
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
  previous.is_on_cpu = false;
  AddressSpace* const mm = std::exchange(rq.previous_mm, nullptr);
  services_.locks.spin_unlock(cpu, rq.lock());
  if (mm != nullptr && services_.atomics.atomic_add(cpu, mm->fields.mm_count(), -1) == 0) owner_->mmdrop(cpu, *mm);
  if (previous.state == Task::State::dead) return owner_->put_task_struct(cpu, previous);
  if (!previous.wake_when_off_cpu) return;
  previous.wake_when_off_cpu = false;
  wake_up(cpu, previous);
}

void Scheduler::prepare_to_sleep(Task& task, const std::string& waits_for) {
  task.waits_for = waits_for;
  task.state = Task::State::sleeping;
  task.cpu().store(task.Thread::state(), 1, 4);
}

void Scheduler::cancel_sleep(Task& task) {
  task.state = Task::State::running;
  task.cpu().store(task.Thread::state(), 0, 4);
}

void Scheduler::wait_for_completion(Task& task, Completion& event) {
  while (!event.done) {
    prepare_to_sleep(task, event.name);
    if (event.done) return cancel_sleep(task);
    event.waiters.push_back(&task);
    schedule(task);
    if (task.cancelled) return;
  }
}

void Scheduler::complete_all(CpuOps& cpu, Completion& event) {
  event.done = true;
  for (Task* waiter : event.waiters) wake_up(cpu, *waiter);
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
  task.allowed = {};
  task.allowed.set(cpu);
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
  services_.trace.sched_process_exit(cpu, task);
  if (task.mm != nullptr) services_.atomics.atomic_add(cpu, task.mm->fields.mm_users(), -1);
  complete_all(cpu, task.end);
  cpu.set_interrupts(false);
  task.state = Task::State::dead;
  if (--live_ == 0) all_ended_.notify(sc_core::SC_ZERO_TIME);
  schedule(task);
}

}  // namespace switchyard::kernel

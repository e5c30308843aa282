// SPDX-License-Identifier: Apache-2.0
// What a CPU does that has run out of tasks: it pulls one from the CPU with the most. Source: Linux v6.7
// kernel/sched/fair.c (newidle_balance, load_balance, find_busiest_queue, detach_tasks), sched.h (add_nr_running). All
// CPUs are one domain, and no task is too hot in its cache to move.
#include <algorithm>

#include "kernel/scheduler.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kMigrationCostPs = 500'000'000;  // sysctl_sched_migration_cost: 500 us

}  // namespace

/// add_nr_running: a queue of several tasks lets CPUs that run out look for one. The flag is written when it changes.
void Scheduler::note_overload(CpuOps& cpu, const RunQueue& rq) {
  if (rq.running() < 2 || cpu.load(overload_, 4) != 0) return;
  cpu.store(overload_, 1, 4);
}

/// The lock of `rq` is held, and given up while other queues are locked: tasks may have come to it in the end.
void Scheduler::newidle_balance(CpuOps& cpu, RunQueue& rq) {
  const auto scope = cpu.function(balance_);
  cpu.execute(services_.costs.call);
  if (rq.average_idle_ps < kMigrationCostPs || cpu.load(overload_, 4) == 0) return;
  services_.locks.spin_unlock(cpu, rq.lock());
  Task* const pulled = detach_task(cpu, rq);
  services_.locks.spin_lock(cpu, rq.lock());
  if (pulled == nullptr) return;
  pulled->runtime_ps += rq.min_runtime_ps;
  add_to_queue(cpu, rq, *pulled);
}

/// Reads the load of every other CPU. Of several with as many tasks the one that comes first behind this CPU; none
/// where no CPU has a task that waits.
RunQueue* Scheduler::find_busiest_queue(CpuOps& cpu, const RunQueue& idle, const base::CpuMask& left_out) {
  RunQueue* busiest = nullptr;
  for (std::size_t i = 1; i < queues_.size(); ++i) {
    RunQueue& other = queues_[(idle.cpu->id() + i) % queues_.size()];
    if (!online(other.cpu->id())) continue;
    cpu.execute(services_.costs.balance);
    cpu.load(other.nr_running(), 4);
    cpu.load(other.min_vruntime());  // the line of cfs_rq with its load
    if (left_out.test(other.cpu->id()) || other.queue.empty() || other.running() < 2) continue;
    if (busiest == nullptr || other.running() > busiest->running()) busiest = &other;
  }
  return busiest;
}

/// Takes the task that has waited longest off the busiest queue that has one that may run here. Its virtual runtime is
/// then what it had beyond its queue.
Task* Scheduler::detach_task(CpuOps& cpu, const RunQueue& idle) {
  base::CpuMask tried;
  while (RunQueue* const busiest = find_busiest_queue(cpu, idle, tried)) {
    const SpinGuard guard(services_.locks, cpu, busiest->lock());
    const auto found = std::find_if(busiest->queue.begin(), busiest->queue.end(),
                                    [&](const Task* task) { return task->allowed.test(idle.cpu->id()); });
    tried.set(busiest->cpu->id());
    if (found == busiest->queue.end() || busiest->running() < 2) continue;
    Task& task = **found;
    busiest->queue.erase(found);
    constexpr std::uint64_t kMigrating = 2;  // TASK_ON_RQ_MIGRATING
    cpu.store(task.on_rq(), kMigrating, 4);
    cpu.store(busiest->nr_running(), busiest->running(), 4);
    task.runtime_ps -= std::min(task.runtime_ps, busiest->min_runtime_ps);
    services_.trace.sched_migrate_task(cpu, task, idle.cpu->id());
    task.last_cpu = idle.cpu->id();
    ++services_.stats.migrations;
    return &task;
  }
  // SG_OVERLOAD of update_sd_lb_stats. Looked at without time passing: a task that comes now sets the flag again.
  if (std::none_of(queues_.begin(), queues_.end(), [](const RunQueue& rq) { return rq.running() > 1; }))
    cpu.store(overload_, 0, 4);
  return nullptr;
}

/// Of a task that periodic balancing has taken off another queue.
void Scheduler::attach_task(CpuOps& cpu, RunQueue& rq, Task& task) {
  const SpinGuard guard(services_.locks, cpu, rq.lock());
  task.runtime_ps += rq.min_runtime_ps;
  add_to_queue(cpu, rq, task);
  check_preempt(cpu, rq, task);
}

}  // namespace switchyard::kernel

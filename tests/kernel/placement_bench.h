// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/kernel_bench.h"
#include "kernel/placement.h"

namespace switchyard::test {

/// Run queues of recording CPUs, idle unless said otherwise, and a task that CPU 0 wakes.
struct PlacementTest : KernelBench {
  kernel::WakeParams wake;
  kernel::TopologyParams topology;
  std::vector<kernel::RunQueue> queues;
  std::vector<std::unique_ptr<kernel::Task>> tasks;
  std::unique_ptr<kernel::Placement> placement;
  kernel::Task* waker = nullptr;
  kernel::Task* task = nullptr;

  PlacementTest() { wake.recent_used_cpu = false; }

  kernel::Task& make_task() {
    tasks.push_back(std::make_unique<kernel::Task>());
    kernel::Task& made = *tasks.back();
    made.task_struct = layout->add_slab("task", kernel::Thread::kBytes, 64);
    for (unsigned c = 0; c < cpus.size(); ++c) made.allowed.set(c);
    return made;
  }
  /// The task ran on `prev` before.
  void build_queues(unsigned count, unsigned prev) {
    build(count);
    queues.resize(count);
    const Address base = layout->add_per_cpu("runqueues", kernel::RunQueue::kBytes, 64);
    for (unsigned c = 0; c < count; ++c) {
      queues[c].base = layout->per_cpu(base, c);
      queues[c].cpu = cpus[c].get();
      queues[c].idle = &make_task();
      run(c, 0);
    }
    waker = &make_task();
    task = &make_task();
    waker->last_wakee = task;
    task->last_cpu = prev;
    placement = std::make_unique<kernel::Placement>(wake, kernel::Topology(topology, count), queues, *basics);
    run(0, 1);
    clear();
  }
  /// So many tasks are runnable on CPU `c`.
  void run(unsigned c, unsigned tasks_there) {
    memory.poke(queues[c].curr(), tasks_there == 0 ? queues[c].idle->task_struct : 1);
    memory.poke(queues[c].nr_running(), tasks_there, 4);
  }
  unsigned select(bool sync = false, unsigned c = 0) {
    clear();
    return placement->select_task_rq(cpu(c), *waker, *task, sync);
  }
  /// Looks at run queues, in order: the CPUs whose rq->curr was loaded.
  std::vector<unsigned> probed(unsigned c = 0) const {
    std::vector<unsigned> result;
    const Trace loads = cpus[c]->trace(TraceEntry::Kind::load);
    for (const TraceEntry& entry : loads.entries())
      for (unsigned other = 0; other < queues.size(); ++other)
        if (entry.address == queues[other].curr()) result.push_back(other);
    return result;
  }
  /// Whatever the flips count: the task has so many wakees.
  void flips(kernel::Task& of, std::uint64_t count) {
    of.wakee_flips = count;
    memory.poke(of.wakee_flips_field(), count, 4);
  }
};

}  // namespace switchyard::test

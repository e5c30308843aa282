// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/random.h"
#include "kernel/kernel_services.h"
#include "kernel/run_queue.h"
#include "kernel/scheduler_params.h"

namespace switchyard::kernel {

/// Where a woken or new task runs. Sources: Linux v4.14 and v5.8 kernel/sched/fair.c (select_task_rq_fair, wake_wide,
/// wake_affine, select_idle_sibling). Loads of CPUs are their numbers of runnable tasks, since all tasks have one
/// weight. Each look at another CPU is a load of its run queue's lines.
class Placement {
 public:
  Placement(const WakeParams& params, const Topology& topology, std::vector<RunQueue>& queues,
            const KernelServices& services);

  /// `waker` is the task that runs on `cpu`; `sync` says that it is about to sleep.
  unsigned select_task_rq(cpu::CpuOps& cpu, Task& waker, Task& task, bool sync);
  /// For a new task: the CPU with the fewest runnable tasks, the lowest numbered of several. `cpu` null: before the
  /// simulation.
  unsigned find_idlest_cpu(cpu::CpuOps* cpu, const Task& task) const;
  /// As find_idlest_cpu() before the simulation, but any of several.
  unsigned any_idlest_cpu(base::RandomStream& random, const Task& task) const;
  /// available_idle_cpu: reads rq->curr, and if that is idle nr_running and wake_list.
  bool idle_cpu(cpu::CpuOps& cpu, unsigned other) const;
  const Topology& topology() const { return topology_; }
  /// The CPU of `cpu` has become idle (__update_idle_core): notes it when the whole core is.
  void update_idle_core(cpu::CpuOps& cpu);

 private:
  void record_wakee(cpu::CpuOps& cpu, Task& waker, const Task& task);
  bool wake_wide(cpu::CpuOps& cpu, const Task& waker, const Task& task) const;
  unsigned wake_affine(cpu::CpuOps& cpu, const Task& task, unsigned prev, bool sync) const;
  unsigned select_idle_sibling(cpu::CpuOps& cpu, Task& task, unsigned prev, unsigned target);
  /// These return the number of CPUs when they find none.
  unsigned select_idle_core(cpu::CpuOps& cpu, const Task& task, unsigned target);
  unsigned select_idle_cpu(cpu::CpuOps& cpu, const Task& task, unsigned target);
  unsigned select_idle_smt(cpu::CpuOps& cpu, const Task& task, unsigned target) const;
  /// Calls f(cpu) for the CPUs of the last-level cache of `target`, from it on and around, until f returns true.
  template <class F>
  void for_llc_wrap(unsigned target, F f) const;
  Address shared(unsigned cpu) const { return llc_shared_ + 64 * topology_.llc(cpu); }

  const WakeParams params_;
  const Topology topology_;
  std::vector<RunQueue>& queues_;
  const KernelServices services_;
  const Address llc_shared_;                 ///< sched_domain_shared: has_idle_cores, one line for each cache
  std::vector<std::uint64_t> scan_cost_ps_;  ///< avg_scan_cost of each CPU's domain
  const cpu::FunctionId select_, sibling_;
};

}  // namespace switchyard::kernel

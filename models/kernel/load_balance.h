// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernel/balance_params.h"
#include "kernel/kernel_services.h"
#include "kernel/run_queue.h"
#include "kernel/sched_domains.h"

namespace switchyard::kernel {

/// Periodic load balancing: at its tick a CPU compares the groups of each of its domains whose interval is over, and
/// pulls tasks from the busiest queue of the busiest group. Source: Linux v4.14 kernel/sched/fair.c
/// (trigger_load_balance, rebalance_domains, load_balance, find_busiest_group, calculate_imbalance, detach_tasks,
/// nohz_idle_balance), with these simplifications: all tasks weigh the same, so that load is the number of runnable
/// tasks and every CPU has the same capacity; tasks that run are not pushed away (active balance); an idle CPU is woken
/// for others only where tasks wait. All runs in the interrupt of the tick, where Linux raises a softirq.
class LoadBalance {
 public:
  struct Hooks {
    /// Adds a task that has no queue to that of `rq`, with a lock and a preemption check of its own.
    std::function<void(cpu::CpuOps&, RunQueue& rq, Task&)> attach;
    std::function<void(cpu::CpuOps&, unsigned target)> send_reschedule;
  };

  LoadBalance(const BalanceParams& params, std::uint64_t tick_ps, const Topology& topology,
              std::vector<RunQueue>& queues, const KernelServices& services, Hooks hooks);

  /// trigger_load_balance: the tick of the CPU of `rq`.
  void tick(cpu::CpuOps& cpu, RunQueue& rq);
  /// nohz_balance_enter_idle: the tick has stopped.
  void stop_tick(cpu::CpuOps& cpu, RunQueue& rq);
  /// A reschedule interrupt: balances for the idle CPUs if that was asked for.
  void scheduler_ipi(cpu::CpuOps& cpu, RunQueue& rq);

  Address idle_cpus() const { return nohz_; }
  Address nr_cpus() const { return nohz_ + kMaskBytes; }
  Address domain(unsigned cpu, unsigned level) const { return services_.layout.per_cpu(domains_at_, cpu) + 64 * level; }

 private:
  static constexpr std::uint64_t kMaskBytes = base::kMaxCpus / 8;
  static constexpr std::uint64_t kTaskLoad = 1024;  ///< of a task, in the unit of imbalances
  static constexpr unsigned kLevels = 3;

  struct Group {
    std::uint64_t tasks = 0, cpus = 0, idle = 0;
    const std::vector<unsigned>* members = nullptr;
    std::uint64_t load() const { return tasks * kTaskLoad / cpus; }
  };
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : looks(group, "load_balance", "count", "Domains that a CPU has looked at for an imbalance"),
          pulled(group, "load_balance_pulled", "count", "Tasks that periodic balancing has moved"),
          kicks(group, "nohz_balancer_kicks", "count", "Idle CPUs woken to balance for those without tick") {}
    base::Counter looks, pulled, kicks;
  };

  std::uint64_t jiffies(const cpu::CpuOps& cpu) const { return cpu.now_ps() / tick_ps_; }
  std::uint64_t interval(const SchedDomain& sd, bool busy) const;
  bool is_idle(cpu::CpuOps& cpu, const RunQueue& rq) const;
  void rebalance_domains(cpu::CpuOps& cpu, RunQueue& rq, bool idle);
  bool balance_domain(cpu::CpuOps& cpu, RunQueue& rq, SchedDomain& sd, bool idle);
  bool load_balance(cpu::CpuOps& cpu, RunQueue& rq, SchedDomain& sd, bool idle);
  bool should_we_balance(cpu::CpuOps& cpu, const RunQueue& rq, const SchedDomain& sd) const;
  std::uint64_t find_busiest_group(cpu::CpuOps& cpu, const SchedDomain& sd, bool idle, Group& busiest);
  Group look_at(cpu::CpuOps& cpu, const std::vector<unsigned>& members) const;
  RunQueue* find_busiest_queue(const Group& group);
  bool detach_tasks(cpu::CpuOps& cpu, RunQueue& from, const RunQueue& to, const SchedDomain& sd,
                    std::uint64_t imbalance, std::vector<Task*>& detached);
  void exit_idle(cpu::CpuOps& cpu, RunQueue& rq);
  void kick_idle_balancer(cpu::CpuOps& cpu, RunQueue& rq);
  void nohz_idle_balance(cpu::CpuOps& cpu, const RunQueue& self);

  const BalanceParams params_;
  const std::uint64_t tick_ps_, max_interval_;
  std::vector<RunQueue>& queues_;
  const KernelServices services_;
  const Hooks hooks_;
  std::vector<std::vector<SchedDomain>> domains_;  ///< by CPU
  std::vector<std::vector<Task*>> detached_;       ///< on the way, by the CPU that moves them
  const Address domains_at_, balancing_, nohz_;    ///< nohz: idle_cpus_mask; in the next line nr_cpus, next_balance
  base::CpuMask idle_cpus_;
  std::uint64_t nohz_next_balance_ = 0;
  Stats stats_;
  const cpu::FunctionId rebalance_, load_balance_, nohz_idle_balance_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/placement.h"

#include <algorithm>
#include <string>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kSecondPs = 1'000'000'000'000;
constexpr unsigned kImbalancePercent = 117;  // sd->imbalance_pct of the domains that share a cache

/// Refuses cores and caches that some CPUs would be missing from.
const Topology& checked(const Topology& topology) {
  const std::string where = "kernel.params.scheduler.topology.";
  const std::string cpus = std::to_string(topology.cpus()) + " CPUs of the machine";
  if (topology.cpus() % topology.threads_per_core() != 0)
    throw base::ConfigError(where + "threads_per_core", "the " + cpus + " are no whole number of cores with " +
                                                            std::to_string(topology.threads_per_core()) + " threads");
  if (topology.cpus() % topology.llc_size() != 0)
    throw base::ConfigError(where + "cores_per_llc", "the " + cpus + " are no whole number of groups of " +
                                                         std::to_string(topology.llc_size()) +
                                                         " that share a last-level cache");
  return topology;
}

}  // namespace

Placement::Placement(const WakeParams& params, const Topology& topology, std::vector<RunQueue>& queues,
                     const KernelServices& services)
    : params_(params),
      topology_(checked(topology)),
      queues_(queues),
      services_(services),
      llc_shared_(services.layout.add_data("sched_domain_shared", 64 * std::uint64_t{topology.llcs()}, 64)),
      scan_cost_ps_(queues.size()),
      select_(services.functions.add("select_task_rq_fair", cpu::Domain::kernel)),
      sibling_(services.functions.add("select_idle_sibling", cpu::Domain::kernel)) {}

bool Placement::idle_cpu(CpuOps& cpu, unsigned other) const {
  const RunQueue& rq = queues_[other];
  if (cpu.load(rq.curr()) != rq.idle->task_struct) return false;
  return cpu.load(rq.nr_running(), 4) == 0 && cpu.load(rq.wake_list()) == 0;
}

unsigned Placement::select_task_rq(CpuOps& cpu, Task& waker, Task& task, bool sync) {
  if (task.allowed.count() == 1) {  // the caller's choice, without the fair class
    unsigned only = 0;
    task.allowed.for_each([&](unsigned c) { only = c; });
    return only;
  }
  const auto scope = cpu.function(select_);
  cpu.execute(services_.costs.select_task_rq);
  const unsigned prev = task.last_cpu;
  record_wakee(cpu, waker, task);
  const bool affine = task.allowed.test(cpu.id()) && !wake_wide(cpu, waker, task);
  unsigned target = affine && cpu.id() != prev ? wake_affine(cpu, task, prev, sync) : prev;
  if (!task.allowed.test(target)) target = find_idlest_cpu(&cpu, task);
  target = select_idle_sibling(cpu, task, prev, target);
  if (affine && params_.recent_used_cpu) {
    waker.recent_used_cpu = cpu.id();
    cpu.store(waker.recent_used_cpu_field(), cpu.id(), 4);
  }
  return target;
}

// Flips count how often a task wakes another one than last time; they halve each second.
void Placement::record_wakee(CpuOps& cpu, Task& waker, const Task& task) {
  const std::uint64_t now = cpu.now_ps();
  if (now > waker.flips_decayed_ps + kSecondPs) {
    waker.wakee_flips >>= 1;
    waker.flips_decayed_ps = now;
    cpu.store(waker.wakee_flips_field(), waker.wakee_flips, 4);
  }
  if (waker.last_wakee == &task) return;
  waker.last_wakee = &task;
  ++waker.wakee_flips;
  cpu.store(waker.wakee_flips_field(), waker.wakee_flips, 4);
}

bool Placement::wake_wide(CpuOps& cpu, const Task& waker, const Task& task) const {
  const std::uint64_t factor = topology_.llc_weight(cpu.id());
  std::uint64_t master = cpu.load(waker.wakee_flips_field(), 4), slave = cpu.load(task.wakee_flips_field(), 4);
  if (master < slave) std::swap(master, slave);
  return slave >= factor && master >= slave * factor;
}

unsigned Placement::wake_affine(CpuOps& cpu, const Task& task, unsigned prev, bool sync) const {
  const unsigned here = cpu.id();
  if (idle_cpu(cpu, here)) {
    if (params_.affine == WakeAffine::v4_14) return here;
    if (topology_.share_cache(here, prev)) return idle_cpu(cpu, prev) ? prev : here;
  }
  const std::uint64_t running = cpu.load(queues_[here].nr_running(), 4);
  if (sync && running == 1) return here;
  cpu.load(task.vruntime());  // its load
  const std::uint64_t load_here = 100 * (running - (sync ? 1 : 0) + 1);
  const std::uint64_t load_prev = (100 + (kImbalancePercent - 100) / 2) * cpu.load(queues_[prev].nr_running(), 4);
  return load_here < load_prev ? here : prev;
}

unsigned Placement::select_idle_sibling(CpuOps& cpu, Task& task, unsigned prev, unsigned target) {
  const auto scope = cpu.function(sibling_);
  if (idle_cpu(cpu, target)) return target;
  if (prev != target && topology_.share_cache(prev, target) && task.allowed.test(prev) && idle_cpu(cpu, prev))
    return prev;
  if (params_.recent_used_cpu) {
    const unsigned recent = task.recent_used_cpu;
    cpu.load(task.recent_used_cpu_field(), 4);
    if (recent != prev && recent != target && topology_.share_cache(recent, target) && task.allowed.test(recent) &&
        idle_cpu(cpu, recent)) {
      task.recent_used_cpu = prev;
      cpu.store(task.recent_used_cpu_field(), prev, 4);
      return recent;
    }
  }
  const unsigned none = topology_.cpus();
  unsigned found = select_idle_core(cpu, task, target);
  if (found == none) found = select_idle_cpu(cpu, task, target);
  if (found == none) found = select_idle_smt(cpu, task, target);
  return found == none ? target : found;
}

template <class F>
void Placement::for_llc_wrap(unsigned target, F f) const {
  const unsigned cpus = topology_.cpus();
  for (unsigned i = 0; i < cpus; ++i) {
    const unsigned c = (target + i) % cpus;
    if (topology_.online(c) && topology_.share_cache(c, target) && f(c)) return;
  }
}

unsigned Placement::select_idle_core(CpuOps& cpu, const Task& task, unsigned target) {
  const unsigned none = topology_.cpus();
  if (topology_.threads_per_core() == 1 || cpu.load(shared(target), 4) == 0) return none;
  unsigned found = none;
  base::CpuMask seen;
  for_llc_wrap(target, [&](unsigned c) {
    if (seen.test(topology_.core(c)) || !task.allowed.test(c)) return false;
    seen.set(topology_.core(c));
    bool idle = true;
    for_llc_wrap(c, [&](unsigned thread) {
      if (topology_.core(thread) == topology_.core(c) && !idle_cpu(cpu, thread)) idle = false;
      return !idle;
    });
    if (idle) found = c;
    return idle;
  });
  if (found == none) cpu.store(shared(target), 0, 4);
  return found;
}

// SIS_PROP: a CPU that is idle for short times looks at few others. Of the number that it may look at, four or more,
// the last one only ends the search, which then does not count for the cost.
unsigned Placement::select_idle_cpu(CpuOps& cpu, const Task& task, unsigned target) {
  const unsigned none = topology_.cpus();
  std::uint64_t& cost = scan_cost_ps_[cpu.id()];
  const std::uint64_t span = topology_.llc_weight(target) * (queues_[cpu.id()].average_idle_ps / 512);
  std::uint64_t tries = span > 4 * (cost + 1) ? span / (cost + 1) : 4;
  const std::uint64_t start = cpu.now_ps();
  unsigned found = none;
  for_llc_wrap(target, [&](unsigned c) {
    if (--tries == 0) return true;
    if (task.allowed.test(c) && idle_cpu(cpu, c)) found = c;
    return found != none;
  });
  if (tries == 0) return none;
  const std::uint64_t time = cpu.now_ps() - start;
  cost = time > cost ? cost + (time - cost) / 8 : cost - (cost - time) / 8;
  return found;
}

unsigned Placement::select_idle_smt(CpuOps& cpu, const Task& task, unsigned target) const {
  const unsigned none = topology_.cpus();
  if (topology_.threads_per_core() == 1) return none;
  for (unsigned c = 0; c < topology_.cpus(); ++c)
    if (topology_.core(c) == topology_.core(target) && task.allowed.test(c) && idle_cpu(cpu, c)) return c;
  return none;
}

void Placement::update_idle_core(CpuOps& cpu) {
  if (topology_.threads_per_core() == 1 || cpu.load(shared(cpu.id()), 4) != 0) return;
  for (unsigned c = 0; c < topology_.cpus(); ++c)
    if (c != cpu.id() && topology_.online(c) && topology_.core(c) == topology_.core(cpu.id()) && !idle_cpu(cpu, c))
      return;
  cpu.store(shared(cpu.id()), 1, 4);
}

unsigned Placement::find_idlest_cpu(CpuOps* cpu, const Task& task) const {
  unsigned best = topology_.cpus();
  std::uint64_t least = 0;
  for (unsigned c = 0; c < topology_.cpus(); ++c) {
    if (!task.allowed.test(c)) continue;
    const std::uint64_t running = cpu != nullptr ? cpu->load(queues_[c].nr_running(), 4) : queues_[c].running();
    if (best != topology_.cpus() && running >= least) continue;
    best = c;
    least = running;
  }
  return best;
}

unsigned Placement::any_idlest_cpu(base::RandomStream& random, const Task& task) const {
  const std::uint64_t least = queues_[find_idlest_cpu(nullptr, task)].running();
  std::vector<unsigned> found;
  for (unsigned c = 0; c < topology_.cpus(); ++c)
    if (task.allowed.test(c) && queues_[c].running() == least) found.push_back(c);
  return found[random.below(found.size())];
}

}  // namespace switchyard::kernel

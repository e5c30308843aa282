// SPDX-License-Identifier: Apache-2.0
#include "kernel/load_balance.h"

#include <algorithm>

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

constexpr std::uint64_t kSecondPs = 1'000'000'000'000;
constexpr std::uint64_t kMsPs = 1'000'000'000;
constexpr std::uint64_t kMaxPinnedIntervalMs = 512;  // MAX_PINNED_INTERVAL
constexpr std::uint64_t kKick = 2;                   // NOHZ_BALANCE_KICK

std::uint64_t online(const Topology& topology) {
  std::uint64_t count = 0;
  for (unsigned c = 0; c < topology.cpus(); ++c) count += topology.online(c) ? 1 : 0;
  return count;
}

}  // namespace

LoadBalance::LoadBalance(const BalanceParams& params, std::uint64_t tick_ps, const Topology& topology,
                         std::vector<RunQueue>& queues, const KernelServices& services, Hooks hooks)
    : params_(params),
      tick_ps_(tick_ps),
      max_interval_(std::max<std::uint64_t>(kSecondPs / tick_ps * online(topology) / 10, 1)),
      queues_(queues),
      services_(services),
      hooks_(std::move(hooks)),
      detached_(queues.size()),
      domains_at_(services.layout.add_per_cpu("sched_domains", 64 * kLevels, 64)),
      balancing_(services.layout.add_data("balancing", 4, 64)),
      nohz_(services.layout.add_data("nohz", kMaskBytes + 64, 64)),
      stats_(services.stats),
      rebalance_(services.functions.add("rebalance_domains", Domain::kernel)),
      load_balance_(services.functions.add("load_balance", Domain::kernel)),
      nohz_idle_balance_(services.functions.add("nohz_idle_balance", Domain::kernel)) {
  for (unsigned c = 0; c < queues.size(); ++c) domains_.push_back(sched_domains(topology, c));
}

void LoadBalance::tick(CpuOps& cpu, RunQueue& rq) {
  if (!params_.periodic || domains_[rq.cpu->id()].empty()) return;
  const bool idle = rq.running() == 0;
  if (jiffies(cpu) >= cpu.load(rq.next_balance_field())) rebalance_domains(cpu, rq, idle);
  if (!idle && params_.nohz) kick_idle_balancer(cpu, rq);
}

/// get_sd_balance_interval, in jiffies.
std::uint64_t LoadBalance::interval(const SchedDomain& sd, bool busy) const {
  const std::uint64_t ms = sd.interval_ms * (busy ? params_.busy_factor : 1);
  return std::clamp<std::uint64_t>((ms * kMsPs + tick_ps_ - 1) / tick_ps_, 1, max_interval_);
}

void LoadBalance::rebalance_domains(CpuOps& cpu, RunQueue& rq, bool idle) {
  const auto scope = cpu.function(rebalance_);
  cpu.execute(services_.costs.call);
  std::uint64_t next = ~std::uint64_t{0};
  for (SchedDomain& sd : domains_[rq.cpu->id()]) {
    const Address at = domain(rq.cpu->id(), static_cast<unsigned>(&sd - domains_[rq.cpu->id()].data()));
    cpu.load(at);
    if (jiffies(cpu) >= sd.last_balance + interval(sd, !idle) && balance_domain(cpu, rq, sd, idle)) {
      idle = rq.running() == 0;
      sd.last_balance = jiffies(cpu);
      cpu.store(at, sd.last_balance);
    }
    next = std::min(next, sd.last_balance + interval(sd, !idle));
  }
  rq.next_balance = next;
  cpu.store(rq.next_balance_field(), next);
}

/// False when another CPU is at a level that one at a time balances.
bool LoadBalance::balance_domain(CpuOps& cpu, RunQueue& rq, SchedDomain& sd, bool idle) {
  if (sd.level.serialize && services_.atomics.cmpxchg(cpu, balancing_, 0, 1, 4) != 0) return false;
  load_balance(cpu, rq, sd, idle);
  if (sd.level.serialize) cpu.store(balancing_, 0, 4);
  return true;
}

bool LoadBalance::load_balance(CpuOps& cpu, RunQueue& rq, SchedDomain& sd, bool idle) {
  const auto scope = cpu.function(load_balance_);
  ++stats_.looks;
  Group busiest;
  std::uint64_t imbalance = 0;
  if (should_we_balance(cpu, rq, sd)) imbalance = find_busiest_group(cpu, sd, idle, busiest);
  RunQueue* const from = imbalance == 0 ? nullptr : find_busiest_queue(busiest);
  if (from == nullptr) {
    sd.failed = 0;
    if (sd.interval_ms < 2 * sd.weight) sd.interval_ms *= 2;
    return false;
  }
  std::vector<Task*>& detached = detached_[cpu.id()];
  const bool all_pinned = detach_tasks(cpu, *from, rq, sd, imbalance, detached);
  if (all_pinned && sd.interval_ms < kMaxPinnedIntervalMs) {
    sd.interval_ms *= 2;
    return false;
  }
  sd.interval_ms = sd.weight;
  sd.failed = detached.empty() ? sd.failed + 1 : 0;
  const bool moved = !detached.empty();
  for (Task* task : detached) hooks_.attach(cpu, rq, *task);
  detached.clear();
  return moved;
}

bool LoadBalance::is_idle(CpuOps& cpu, const RunQueue& rq) const {
  return cpu.load(rq.curr()) == rq.idle->task_struct && cpu.load(rq.nr_running(), 4) == 0;
}

/// The first idle CPU of a group pulls for it; the first one when none is idle.
bool LoadBalance::should_we_balance(CpuOps& cpu, const RunQueue& rq, const SchedDomain& sd) const {
  const std::vector<unsigned>& group = sd.groups.front();
  for (const unsigned c : group)
    if (is_idle(cpu, queues_[c])) return c == rq.cpu->id();
  return group.front() == rq.cpu->id();
}

LoadBalance::Group LoadBalance::look_at(CpuOps& cpu, const std::vector<unsigned>& members) const {
  Group group{.cpus = members.size(), .members = &members};
  for (const unsigned c : members) {
    const RunQueue& rq = queues_[c];
    cpu.execute(services_.costs.balance);
    cpu.load(rq.nr_running(), 4);
    cpu.load(rq.min_vruntime());  // the line of cfs_rq with its load
    group.tasks += rq.running();
    group.idle += rq.running() == 0 ? 1 : 0;
  }
  return group;
}

/// The load that has to come here for both groups to get to the average; 0 where it is balanced.
std::uint64_t LoadBalance::find_busiest_group(CpuOps& cpu, const SchedDomain& sd, bool idle, Group& busiest) {
  const Group local = look_at(cpu, sd.groups.front());
  Group all = local;
  for (std::size_t g = 1; g < sd.groups.size(); ++g) {
    const Group other = look_at(cpu, sd.groups[g]);
    all.tasks += other.tasks;
    all.cpus += other.cpus;
    if (busiest.cpus == 0 || other.load() > busiest.load()) busiest = other;
  }
  if (busiest.load() <= local.load() || local.load() >= all.load()) return 0;
  if (idle ? busiest.tasks <= busiest.cpus && local.idle <= busiest.idle + 1
           : 100 * busiest.load() <= sd.level.imbalance_percent * local.load())
    return 0;
  const std::uint64_t most =
      std::min((busiest.load() - all.load()) * busiest.cpus, (all.load() - local.load()) * local.cpus);
  if (most >= kTaskLoad) return most;
  // fix_small_imbalance: a whole task, if the groups differ by that.
  return (busiest.load() - local.load()) >= kTaskLoad / busiest.cpus ? kTaskLoad : most;
}

/// Of the group's queues with a task that waits the longest one.
RunQueue* LoadBalance::find_busiest_queue(const Group& group) {
  RunQueue* busiest = nullptr;
  for (const unsigned c : *group.members) {
    RunQueue& rq = queues_[c];
    if (rq.running() < 2 || rq.queue.empty()) continue;
    if (busiest == nullptr || rq.running() > busiest->running()) busiest = &rq;
  }
  return busiest;
}

/// Takes waiting tasks off `from` until half of the next one would be more than what is left of `imbalance`. True when
/// none of them may run at `to`.
bool LoadBalance::detach_tasks(CpuOps& cpu, RunQueue& from, const RunQueue& to, const SchedDomain& sd,
                               std::uint64_t imbalance, std::vector<Task*>& detached) {
  const SpinGuard guard(services_.locks, cpu, from.lock());
  bool all_pinned = true;
  const std::uint64_t now = cpu.now_ps();
  const auto may_go = [&](const Task* task) {
    if (!task->allowed.test(to.cpu->id())) return false;
    all_pinned = false;
    const bool hot = now < task->exec_start_ps + params_.migration_cost.ps;
    return !hot || sd.failed > sd.level.cache_nice_tries;
  };
  for (auto it = from.queue.begin(); it != from.queue.end() && from.running() >= 2;) {
    Task& task = **it;
    cpu.load(task.vruntime());
    if (!may_go(&task)) {
      ++it;
      continue;
    }
    if (kTaskLoad / 2 > imbalance || detached.size() >= params_.nr_migrate) break;
    it = from.queue.erase(it);
    constexpr std::uint64_t kMigrating = 2;  // TASK_ON_RQ_MIGRATING
    cpu.store(task.on_rq(), kMigrating, 4);
    cpu.store(from.nr_running(), from.running(), 4);
    task.runtime_ps -= std::min(task.runtime_ps, from.min_runtime_ps);
    task.last_cpu = to.cpu->id();
    ++services_.stats.migrations;
    ++stats_.pulled;
    detached.push_back(&task);
    imbalance -= std::min(imbalance, kTaskLoad);
  }
  return all_pinned;
}

void LoadBalance::stop_tick(CpuOps& cpu, RunQueue& rq) {
  const unsigned self = rq.cpu->id();
  if (!params_.periodic || !params_.nohz || domains_[self].empty() || idle_cpus_.test(self)) return;
  idle_cpus_.set(self);
  services_.atomics.fetch_or(cpu, idle_cpus() + self / 64 * 8, std::uint64_t{1} << self % 64);
  services_.atomics.atomic_add(cpu, nr_cpus(), 1);
}

/// nohz_balance_exit_idle: at the first tick with a task.
void LoadBalance::exit_idle(CpuOps& cpu, RunQueue& rq) {
  const unsigned self = rq.cpu->id();
  if (!idle_cpus_.test(self)) return;
  idle_cpus_.clear(self);
  services_.atomics.fetch_and(cpu, idle_cpus() + self / 64 * 8, ~(std::uint64_t{1} << self % 64));
  services_.atomics.atomic_add(cpu, nr_cpus(), -1);
}

/// nohz_kick_needed and nohz_balancer_kick.
void LoadBalance::kick_idle_balancer(CpuOps& cpu, RunQueue& rq) {
  exit_idle(cpu, rq);
  if (cpu.load(nr_cpus(), 4) == 0 || rq.running() < 2) return;
  cpu.load(nr_cpus() + 8);
  if (jiffies(cpu) < nohz_next_balance_) return;
  unsigned first = base::kMaxCpus;
  idle_cpus_.for_each([&](unsigned c) { first = std::min(first, c); });
  if (first == base::kMaxCpus) return;
  cpu.load(idle_cpus() + first / 64 * 8);
  RunQueue& balancer = queues_[first];
  if (!is_idle(cpu, balancer)) return;
  if ((services_.atomics.fetch_or(cpu, balancer.nohz_flags(), kKick) & kKick) != 0) return;
  ++stats_.kicks;
  hooks_.send_reschedule(cpu, first);
}

void LoadBalance::scheduler_ipi(CpuOps& cpu, RunQueue& rq) {
  if ((cpu.load(rq.nohz_flags()) & kKick) == 0) return;
  nohz_idle_balance(cpu, rq);
  services_.atomics.fetch_and(cpu, rq.nohz_flags(), ~kKick);
}

/// For the other idle CPUs first, as long as no task has come here; then for this one.
void LoadBalance::nohz_idle_balance(CpuOps& cpu, const RunQueue& self) {
  const auto scope = cpu.function(nohz_idle_balance_);
  cpu.execute(services_.costs.call);
  std::uint64_t next = ~std::uint64_t{0};
  for (std::size_t i = 1; i <= queues_.size(); ++i) {
    RunQueue& rq = queues_[(self.cpu->id() + i) % queues_.size()];
    if (&rq != &self && (!idle_cpus_.test(rq.cpu->id()) || !is_idle(cpu, rq))) continue;
    if (self.running() != 0) break;
    if (jiffies(cpu) >= cpu.load(rq.next_balance_field())) rebalance_domains(cpu, rq, true);
    next = std::min(next, rq.next_balance);
  }
  if (next == ~std::uint64_t{0}) return;
  nohz_next_balance_ = next;
  cpu.store(nr_cpus() + 8, next);
}

}  // namespace switchyard::kernel

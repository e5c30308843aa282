// SPDX-License-Identifier: Apache-2.0
// Periodic balancing on recording CPUs: a tick is a millisecond, what a CPU looks at is its domain's lines.
#include "kernel/load_balance.h"

#include "kernel/kernel_bench.h"
#include "kernel/parisc_bench.h"

namespace switchyard::test {

using kernel::LoadBalance;
using kernel::Task;
using kernel::Topology;

namespace {

constexpr std::uint64_t kMsPs = 1'000'000'000;
using Groups = std::vector<std::vector<unsigned>>;

/// Run queues with tasks that have waited for long.
struct LoadBalanceTest : KernelBench {
  kernel::BalanceParams balance;
  kernel::TopologyParams topology;
  std::vector<kernel::RunQueue> queues;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::pair<unsigned, Task*>> attached;  ///< CPU and task
  std::vector<unsigned> kicked;
  std::unique_ptr<LoadBalance> balancer;

  Task& make_task() {
    tasks.push_back(std::make_unique<Task>());
    tasks.back()->task_struct = layout->add_slab("task", kernel::Thread::kBytes, 64);
    for (unsigned c = 0; c < cpus.size(); ++c) tasks.back()->allowed.set(c);
    return *tasks.back();
  }
  /// So many tasks on each CPU, the first one of which runs.
  void build_queues(const std::vector<unsigned>& counts) {
    const auto count = static_cast<unsigned>(counts.size());
    build(count);
    queues.resize(count);
    const Address base = layout->add_per_cpu("runqueues", kernel::RunQueue::kBytes, 64);
    for (unsigned c = 0; c < count; ++c) {
      kernel::RunQueue& rq = queues[c];
      rq.base = layout->per_cpu(base, c);
      rq.cpu = cpus[c].get();
      rq.idle = rq.current = &make_task();
      if (counts[c] != 0) rq.current = &make_task();
      for (unsigned i = 1; i < counts[c]; ++i) rq.queue.push_back(&make_task());
      memory.poke(rq.curr(), rq.current->task_struct);
      memory.poke(rq.nr_running(), counts[c], 4);
    }
    balancer = std::make_unique<LoadBalance>(
        balance, kMsPs, Topology(topology, count), queues, *basics,
        LoadBalance::Hooks{[this](cpu::CpuOps&, kernel::RunQueue& rq, Task& task) {
                             attached.emplace_back(rq.cpu->id(), &task);
                             rq.queue.push_back(&task);
                           },
                           [this](cpu::CpuOps&, unsigned target) { kicked.push_back(target); }});
    clear();
  }
  /// The tick of CPU `c` at `ms` since the start.
  void tick(unsigned c, std::uint64_t ms) {
    FakeCpu& at = cpu(c);
    at.advance(ms * kMsPs - at.now_ps());
    clear();
    attached.clear();
    balancer->tick(at, queues[c]);
  }
  /// CPUs whose load CPU `c` has looked at, in order.
  std::vector<unsigned> looked_at(unsigned c) const {
    std::vector<unsigned> result;
    const Trace loads = cpus[c]->trace(TraceEntry::Kind::load);
    for (const TraceEntry& entry : loads.entries())
      for (unsigned other = 0; other < queues.size(); ++other)
        if (entry.address == queues[other].min_vruntime()) result.push_back(other);
    return result;
  }
  std::size_t pulled(unsigned c, std::uint64_t ms) { return (tick(c, ms), attached.size()); }
};

Groups groups(const kernel::TopologyParams& params, unsigned cpus, unsigned cpu, std::size_t level) {
  return kernel::sched_domains(Topology(params, cpus), cpu).at(level).groups;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(load_balance, LoadBalanceTest)

// Two sockets of two cores with two threads: CPUs c and c + 4 of eight are a core.
BOOST_AUTO_TEST_CASE(domains_are_threads_cores_and_caches) {
  topology.threads_per_core = 2;
  topology.cores_per_llc = 2;
  const auto domains = kernel::sched_domains(Topology(topology, 8), 5);
  BOOST_TEST_REQUIRE(domains.size() == 3u);
  BOOST_TEST((domains[0].groups == Groups{{5}, {1}}));
  BOOST_TEST((domains[1].groups == Groups{{1, 5}, {0, 4}}));
  BOOST_TEST((domains[2].groups == Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  BOOST_TEST(domains[1].weight == 4u);
  BOOST_TEST(domains[2].level.serialize);
}
BOOST_AUTO_TEST_CASE(levels_of_one_group_are_left_out) {
  BOOST_TEST(kernel::sched_domains(Topology(topology, 1), 0).empty());
  BOOST_TEST(kernel::sched_domains(Topology(topology, 4), 0).size() == 1u);
  topology.cores_per_llc = 1;
  BOOST_TEST((groups(topology, 2, 0, 0) == Groups{{0}, {1}}));
  BOOST_TEST(kernel::sched_domains(Topology(topology, 2), 0).front().level.imbalance_percent == 125u);
}
BOOST_AUTO_TEST_CASE(cpus_that_are_offline_are_in_no_domain) {
  base::CpuMask offline;
  offline.set(1);
  const auto domains = kernel::sched_domains(Topology(topology, 3, offline), 0);
  BOOST_TEST((domains.at(0).groups == Groups{{0}, {2}}));
}

// A domain of n CPUs is looked at after n ms when idle, 32 n when busy (busy_factor).
BOOST_AUTO_TEST_CASE(a_busy_cpu_looks_after_32_times_the_interval) {
  build_queues({1, 1});
  tick(0, 63);
  BOOST_TEST(looked_at(0).empty());
  tick(0, 64);
  BOOST_TEST(looked_at(0) == (std::vector<unsigned>{0, 1}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_balanced_domain_doubles_the_interval_once) {
  build_queues({0, 1});
  std::vector<std::uint64_t> looks;
  for (std::uint64_t ms = 1; ms <= 20; ++ms) {
    tick(0, ms);
    if (!looked_at(0).empty()) looks.push_back(ms);
  }
  BOOST_TEST(looks == (std::vector<std::uint64_t>{2, 6, 10, 14, 18}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(the_interval_has_a_limit_of_a_tenth_of_a_second_for_each_cpu) {
  balance.busy_factor = 1000;
  build_queues({1, 1});
  tick(0, 199);
  BOOST_TEST(looked_at(0).empty());
  tick(0, 200);
  BOOST_TEST(!looked_at(0).empty());
}

BOOST_AUTO_TEST_CASE(an_idle_cpu_pulls_the_task_that_has_waited_longest) {
  build_queues({0, 2});
  queues[1].queue.push_back(&make_task());
  queues[1].queue.push_back(&make_task());
  Task* const longest = queues[1].queue.front();
  tick(0, 2);
  BOOST_TEST_REQUIRE(!attached.empty());
  BOOST_TEST(attached.front().second == longest);
  BOOST_TEST(longest->last_cpu == 0u);
}
BOOST_AUTO_TEST_CASE(no_more_than_the_imbalance_is_pulled) {
  build_queues({0, 6});
  BOOST_TEST(pulled(0, 2) == 3u);
}
// detach_tasks: half a task may be left of the imbalance for a whole one to go, here the third of 2.5.
BOOST_AUTO_TEST_CASE(an_imbalance_is_rounded_to_tasks) {
  build_queues({0, 5});
  BOOST_TEST(pulled(0, 2) == 3u);
}
BOOST_AUTO_TEST_CASE(less_than_half_a_task_is_left) {
  build_queues({0, 0, 4});  // 1.33 each
  BOOST_TEST(pulled(0, 3) == 1u);
}
BOOST_AUTO_TEST_CASE(no_more_than_nr_migrate_is_pulled) {
  balance.nr_migrate = 1;
  build_queues({0, 8});
  BOOST_TEST(pulled(0, 2) == 1u);
}
BOOST_AUTO_TEST_CASE(two_against_one_is_an_imbalance_of_one) {
  build_queues({1, 2});
  BOOST_TEST(pulled(0, 64) == 1u);
}
// 9 and 8 differ by 12.5 %, 10 and 8 by 25 %; CPUs that share a cache bear 17 %.
BOOST_AUTO_TEST_CASE(a_busy_cpu_bears_a_small_imbalance) {
  build_queues({8, 9});
  BOOST_TEST(pulled(0, 64) == 0u);
}
BOOST_AUTO_TEST_CASE(a_busy_cpu_evens_a_larger_imbalance_out) {
  build_queues({8, 10});
  BOOST_TEST(pulled(0, 64) == 1u);
}
BOOST_AUTO_TEST_CASE(one_task_for_each_cpu_is_balanced) {
  build_queues({0, 1, 1, 1});
  BOOST_TEST(pulled(0, 4) == 0u);
}
BOOST_AUTO_TEST_CASE(only_the_first_idle_cpu_of_a_group_pulls_for_it) {
  topology.cores_per_llc = 2;
  build_queues({0, 0, 3, 3});
  tick(1, 4);
  BOOST_TEST(attached.empty());
  tick(0, 4);
  BOOST_TEST(!attached.empty());
}
BOOST_AUTO_TEST_CASE(a_level_that_another_cpu_balances_is_left_for_later) {
  topology.cores_per_llc = 1;
  build_queues({0, 3});
  memory.poke(symbol(*layout, "balancing").va, 1, 4);
  tick(0, 2);
  BOOST_TEST(attached.empty());
  memory.poke(symbol(*layout, "balancing").va, 0, 4);
  tick(0, 3);
  BOOST_TEST(!attached.empty());
  BOOST_TEST(memory.peek(symbol(*layout, "balancing").va, 4) == 0u);
}
BOOST_AUTO_TEST_CASE(tasks_stay_where_they_are_allowed) {
  build_queues({0, 3});
  for (Task* task : queues[1].queue) task->allowed.clear(0);
  BOOST_TEST(pulled(0, 2) == 0u);
  queues[1].queue.back()->allowed.set(0);
  BOOST_TEST(pulled(0, 6) == 1u);  // all pinned: the interval has doubled
}
// sched_migration_cost, 500 us; CPUs that share a cache overlook it after more than one failure.
BOOST_AUTO_TEST_CASE(a_task_that_has_just_run_is_pulled_after_two_failures) {
  build_queues({0, 2});
  queues[1].queue.front()->exec_start_ps = 100 * kMsPs;  // hot all the time
  BOOST_TEST(pulled(0, 2) == 0u);
  BOOST_TEST(pulled(0, 4) == 0u);
  BOOST_TEST(pulled(0, 6) == 1u);
}
BOOST_AUTO_TEST_CASE(a_task_that_ran_half_a_millisecond_ago_is_not_hot) {
  build_queues({0, 2});
  queues[1].queue.front()->exec_start_ps = 2 * kMsPs - 500'000'000;
  BOOST_TEST(pulled(0, 2) == 1u);
}
BOOST_AUTO_TEST_CASE(an_idle_cpu_reads_its_domain_the_group_and_every_load_and_locks_one_queue) {
  build_queues({0, 2});
  Task& task = *queues[1].queue.front();
  tick(0, 2);
  const kernel::RunQueue &own = queues[0], &other = queues[1];
  const Address domain = balancer->domain(0, 0);
  Trace expected{load(own.next_balance_field()),
                 load(domain),
                 load(own.curr()),
                 load(own.nr_running()),  // should_we_balance
                 load(own.nr_running()),
                 load(own.min_vruntime()),  // the groups
                 load(other.nr_running()),
                 load(other.min_vruntime()),
                 atomic(cpu::AtomicOp::add, other.lock()),
                 load(task.vruntime()),
                 store(task.on_rq(), 2),
                 store(other.nr_running(), 1),
                 load(other.lock()),
                 store(other.lock(), 1),
                 store(domain, 2),
                 store(own.next_balance_field(), 66)};  // busy from now on
  BOOST_TEST(trace() == expected);
}

// NOHZ
BOOST_AUTO_TEST_CASE(a_tick_with_tasks_that_wait_kicks_the_first_idle_cpu_once) {
  build_queues({2, 0, 0});
  balancer->stop_tick(cpu(2), queues[2]);
  balancer->stop_tick(cpu(1), queues[1]);
  tick(0, 1);
  tick(0, 2);
  BOOST_TEST(kicked == (std::vector<unsigned>{1}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_cpu_alone_with_its_task_kicks_nobody) {
  build_queues({1, 0});
  balancer->stop_tick(cpu(1), queues[1]);
  tick(0, 1);
  BOOST_TEST(kicked.empty());
}
BOOST_AUTO_TEST_CASE(a_kicked_cpu_balances_for_the_idle_ones_and_then_for_itself) {
  build_queues({4, 0, 0});
  for (const unsigned c : {1u, 2u}) balancer->stop_tick(cpu(c), queues[c]);
  tick(0, 3);
  BOOST_TEST_REQUIRE(kicked.size() == 1u);
  cpu(1).advance(3 * kMsPs);
  attached.clear();
  balancer->scheduler_ipi(cpu(1), queues[1]);
  std::vector<unsigned> targets;
  for (const auto& [target, task] : attached) targets.push_back(target);
  BOOST_TEST(targets == (std::vector<unsigned>{2, 1}), boost::test_tools::per_element());
  attached.clear();
  balancer->scheduler_ipi(cpu(1), queues[1]);  // an interrupt for something else
  BOOST_TEST(attached.empty());
}
BOOST_AUTO_TEST_CASE(a_cpu_that_is_busy_again_leaves_the_mask_at_its_tick) {
  build_queues({1, 0});
  balancer->stop_tick(cpu(0), queues[0]);
  balancer->stop_tick(cpu(1), queues[1]);
  BOOST_TEST(memory.peek(balancer->idle_cpus()) == 3u);
  BOOST_TEST(memory.peek(balancer->nr_cpus(), 4) == 2u);
  tick(0, 1);
  BOOST_TEST(memory.peek(balancer->idle_cpus()) == 2u);
  BOOST_TEST(memory.peek(balancer->nr_cpus(), 4) == 1u);
}
BOOST_AUTO_TEST_CASE(off_it_touches_nothing) {
  balance.periodic = false;
  build_queues({0, 3});
  balancer->stop_tick(cpu(0), queues[0]);
  tick(0, 2);
  BOOST_TEST(trace() == Trace{});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

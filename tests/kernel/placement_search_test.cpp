// SPDX-License-Identifier: Apache-2.0
// The parts of select_idle_sibling that look at more than the target and the previous CPU.
#include <string>

#include "base/errors.h"
#include "kernel/placement_bench.h"

namespace switchyard::test {

namespace {

using Cpus = std::vector<unsigned>;
const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_FIXTURE_TEST_SUITE(placement_search, PlacementTest)

// SIS_PROP: nr is 4 and counted down before each look.
BOOST_AUTO_TEST_CASE(a_cpu_that_idles_shortly_looks_at_three) {
  build_queues(12, 1);
  for (unsigned c = 1; c < 12; ++c) run(c, c == 11 ? 0 : 1);
  queues[0].average_idle_ps = 0;
  BOOST_TEST(select(true) == 0u);
  BOOST_TEST(probed() == (Cpus{0, 0, 1, 0, 1, 2}), each);
}
BOOST_AUTO_TEST_CASE(a_cpu_that_has_time_looks_at_all) {
  build_queues(12, 1);
  for (unsigned c = 1; c < 12; ++c) run(c, c == 11 ? 0 : 1);
  BOOST_TEST(select(true) == 11u);
}

// recent_used_cpu
struct RecentTest : PlacementTest {
  RecentTest() { wake.recent_used_cpu = true; }
};
BOOST_FIXTURE_TEST_CASE(a_waker_notes_where_it_woke_another_task, RecentTest) {
  build_queues(4, 1);
  select(true);
  BOOST_TEST(waker->recent_used_cpu == 0u);
  BOOST_TEST(trace()[trace().size() - 1] == store(waker->recent_used_cpu_field(), 0));
}
BOOST_FIXTURE_TEST_CASE(the_cpu_where_the_task_last_woke_another_is_taken_before_the_search, RecentTest) {
  build_queues(4, 1);
  run(1, 1);
  task->recent_used_cpu = 3;
  BOOST_TEST(select(true) == 3u);
  BOOST_TEST(task->recent_used_cpu == 1u);  // a candidate for the next time
  BOOST_TEST(probed() == (Cpus{0, 0, 1, 3}), each);
}
BOOST_FIXTURE_TEST_CASE(a_recent_cpu_that_is_busy_stays_noted, RecentTest) {
  build_queues(4, 1);
  run(1, 1);
  run(3, 1);
  task->recent_used_cpu = 3;
  BOOST_TEST(select(true) == 2u);
  BOOST_TEST(task->recent_used_cpu == 3u);
}
BOOST_FIXTURE_TEST_CASE(a_recent_cpu_that_the_task_may_not_use_is_not_asked, RecentTest) {
  build_queues(4, 1);
  run(1, 1);
  task->recent_used_cpu = 3;
  task->allowed.clear(3);
  BOOST_TEST(select(true) == 2u);
}

// Threads of a core: CPUs c and c + 2 of four.
struct SmtPlacementTest : PlacementTest {
  Address idle_cores = 0;
  SmtPlacementTest() { topology.threads_per_core = 2; }
  void build_cores(unsigned cores, unsigned prev) {
    build_queues(2 * cores, prev);
    for (const kernel::Symbol& symbol : layout->symbols())
      if (symbol.name == "sched_domain_shared") idle_cores = symbol.va;
  }
};
BOOST_FIXTURE_TEST_CASE(a_core_that_is_idle_as_a_whole_comes_before_an_idle_thread, SmtPlacementTest) {
  build_cores(4, 1);
  run(1, 1);
  run(2, 1);  // its sibling 6 is idle, as are 3 and 7
  memory.poke(idle_cores, 1, 4);
  BOOST_TEST(select(true) == 3u);
}
BOOST_FIXTURE_TEST_CASE(without_a_sign_of_idle_cores_nobody_looks_for_one, SmtPlacementTest) {
  build_cores(4, 1);
  run(1, 1);
  run(2, 1);
  run(3, 1);
  BOOST_TEST(select(true) == 4u);
  BOOST_TEST(probed() == (Cpus{0, 0, 1, 0, 1, 2, 3, 4}), each);
}
BOOST_FIXTURE_TEST_CASE(a_search_that_finds_no_idle_core_takes_the_sign_back, SmtPlacementTest) {
  build_cores(2, 1);
  run(1, 1);
  memory.poke(idle_cores, 1, 4);
  BOOST_TEST(select(true) == 2u);
  BOOST_TEST(memory.peek(idle_cores, 4) == 0u);
}
BOOST_FIXTURE_TEST_CASE(a_cpu_that_becomes_idle_gives_the_sign_when_its_siblings_are, SmtPlacementTest) {
  build_cores(2, 1);
  placement->update_idle_core(cpu(2));  // CPU 0 is busy
  BOOST_TEST(memory.peek(idle_cores, 4) == 0u);
  placement->update_idle_core(cpu(3));
  BOOST_TEST(memory.peek(idle_cores, 4) == 1u);
}

BOOST_AUTO_TEST_CASE(cores_and_caches_that_do_not_divide_the_cpus_are_refused) {
  topology.threads_per_core = 3;
  BOOST_CHECK_EXCEPTION(build_queues(4, 0), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()).starts_with("kernel.params.scheduler.topology.threads_per_core: ");
  });
}

BOOST_AUTO_TEST_CASE(more_cores_to_a_cache_than_there_are_are_refused) {
  topology.cores_per_llc = 8;
  BOOST_CHECK_EXCEPTION(build_queues(4, 0), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()).starts_with("kernel.params.scheduler.topology.cores_per_llc: ");
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/placement_bench.h"

namespace switchyard::test {

using kernel::WakeAffine;

namespace {

using Cpus = std::vector<unsigned>;
const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_FIXTURE_TEST_SUITE(placement, PlacementTest)

BOOST_AUTO_TEST_CASE(an_idle_cpu_costs_loads_of_its_current_task_its_count_and_its_wake_list) {
  build_queues(2, 1);
  BOOST_TEST(placement->idle_cpu(cpu(), 1));
  BOOST_TEST(trace() == (Trace{load(queues[1].curr()), load(queues[1].nr_running()), load(queues[1].wake_list())}));
}

BOOST_AUTO_TEST_CASE(a_busy_cpu_costs_a_load_of_its_current_task) {
  build_queues(2, 1);
  run(1, 1);
  BOOST_TEST(!placement->idle_cpu(cpu(), 1));
  BOOST_TEST(trace() == (Trace{load(queues[1].curr())}));
}

BOOST_AUTO_TEST_CASE(a_cpu_with_a_task_on_its_queue_or_its_wake_list_is_not_idle) {
  build_queues(2, 1);
  memory.poke(queues[1].nr_running(), 1, 4);
  BOOST_TEST(!placement->idle_cpu(cpu(), 1));
  run(1, 0);
  memory.poke(queues[1].wake_list(), task->wake_entry());
  BOOST_TEST(!placement->idle_cpu(cpu(), 1));
}

// wake_affine_idle
BOOST_AUTO_TEST_CASE(until_4_15_an_idle_waker_pulls_the_task_although_its_cpu_is_idle) {
  wake.affine = WakeAffine::v4_14;
  build_queues(2, 1);
  run(0, 0);
  BOOST_TEST(select() == 0u);
}
BOOST_AUTO_TEST_CASE(from_4_16_on_an_idle_waker_leaves_the_task_on_its_idle_cpu) {
  build_queues(2, 1);
  run(0, 0);
  BOOST_TEST(select() == 1u);
}
BOOST_AUTO_TEST_CASE(from_4_16_on_an_idle_waker_pulls_the_task_from_a_busy_cpu) {
  build_queues(2, 1);
  run(0, 0);
  run(1, 1);
  BOOST_TEST(select() == 0u);
}
BOOST_AUTO_TEST_CASE(from_4_16_on_an_idle_waker_in_another_cache_does_not_pull_by_that) {
  topology.cores_per_llc = 1;
  for (const WakeAffine version : {WakeAffine::v4_14, WakeAffine::v4_16}) {
    cpus.clear();
    queues.clear();
    wake.affine = version;
    build_queues(2, 1);
    run(0, 0);
    BOOST_TEST(select() == (version == WakeAffine::v4_14 ? 0u : 1u));
  }
}
BOOST_AUTO_TEST_CASE(a_waker_alone_on_its_cpu_that_is_about_to_sleep_pulls_from_another_cache) {
  topology.cores_per_llc = 1;
  build_queues(2, 1);
  BOOST_TEST(select(true) == 0u);
  BOOST_TEST(select(false) == 1u);
}
BOOST_AUTO_TEST_CASE(with_others_on_its_cpu_the_hint_is_not_enough) {
  topology.cores_per_llc = 1;
  build_queues(2, 1);
  run(0, 2);
  BOOST_TEST(select(true) == 1u);
}
BOOST_AUTO_TEST_CASE(the_loads_decide_otherwise_and_a_tie_stays) {
  topology.cores_per_llc = 1;
  build_queues(2, 1);
  run(1, 2);  // 2 tasks here with the woken one, 2 x 1.08 there
  BOOST_TEST(select() == 0u);
  run(1, 1);
  BOOST_TEST(select() == 1u);
}

// select_idle_sibling
BOOST_AUTO_TEST_CASE(a_ping_pong_between_two_cpus_stays_where_it_is) {
  build_queues(4, 1);
  BOOST_TEST(select(true) == 1u);
  BOOST_TEST(probed() == (Cpus{0, 0, 1}), each);  // wake_affine; its own CPU as target; the one before
}
BOOST_AUTO_TEST_CASE(the_target_comes_before_the_previous_cpu) {
  wake.affine = WakeAffine::v4_14;
  build_queues(4, 1);
  run(0, 0);
  BOOST_TEST(select() == 0u);
  BOOST_TEST(probed() == (Cpus{0, 0}), each);
}
BOOST_AUTO_TEST_CASE(a_previous_cpu_in_another_cache_is_not_asked) {
  topology.cores_per_llc = 2;
  build_queues(4, 2);
  run(1, 1);
  BOOST_TEST(select(true) == 0u);
  BOOST_TEST(probed() == (Cpus{0, 0, 0, 1}), each);  // wake_affine, target, scan of the waker's cache
}
BOOST_AUTO_TEST_CASE(with_both_busy_the_first_idle_cpu_after_the_target_is_taken) {
  build_queues(4, 1);
  run(1, 1);
  run(2, 1);
  BOOST_TEST(select(true) == 3u);
}
BOOST_AUTO_TEST_CASE(the_search_goes_round_the_cache_of_the_target_only) {
  topology.cores_per_llc = 4;
  build_queues(8, 5);
  for (unsigned c = 0; c < 8; ++c) run(c, c == 4 || c == 3 ? 0 : 1);
  run(0, 9);
  BOOST_TEST(select() == 4u);  // the target is CPU 5: 5, 6, 7, 4
}
BOOST_AUTO_TEST_CASE(without_an_idle_cpu_the_target_is_taken) {
  build_queues(4, 1);
  for (unsigned c = 1; c < 4; ++c) run(c, 1);
  BOOST_TEST(select(true) == 0u);
}

// wake_wide
BOOST_AUTO_TEST_CASE(a_waker_of_many_does_not_pull_busy_wakers) {
  wake.affine = WakeAffine::v4_14;
  build_queues(4, 1);
  run(0, 0);
  flips(*waker, 16);
  flips(*task, 4);
  BOOST_TEST(select() == 1u);
  flips(*task, 3);
  BOOST_TEST(select() == 0u);
  flips(*task, 4);
  flips(*waker, 15);
  BOOST_TEST(select() == 0u);
}
BOOST_AUTO_TEST_CASE(a_flip_is_counted_when_the_wakee_changes_and_halves_after_a_second) {
  build_queues(2, 1);
  waker->last_wakee = nullptr;
  select();
  select();
  BOOST_TEST(waker->wakee_flips == 1u);
  flips(*waker, 8);
  cpu().advance(1'000'000'000'001);
  select();
  BOOST_TEST(waker->wakee_flips == 4u);
}

// Where it may run
BOOST_AUTO_TEST_CASE(a_task_bound_to_one_cpu_goes_there_without_a_look_at_others) {
  build_queues(4, 1);
  task->allowed = mask({1});
  run(1, 3);
  BOOST_TEST(select(true) == 1u);
  BOOST_TEST(trace().size() == 0u);
  BOOST_TEST(cpu().instructions() == 0u);
}
BOOST_AUTO_TEST_CASE(a_task_that_may_not_run_on_the_waker_is_not_pulled_there) {
  wake.affine = WakeAffine::v4_14;
  build_queues(4, 1);
  run(0, 0);
  task->allowed = mask({1, 2});
  run(1, 1);
  BOOST_TEST(select(true) == 2u);
}
BOOST_AUTO_TEST_CASE(a_new_task_goes_to_the_allowed_cpu_with_the_fewest_tasks_the_lowest_of_several) {
  build_queues(4, 1);
  for (unsigned c = 0; c < 4; ++c) run(c, c == 0 ? 0 : 2);
  run(3, 1);
  BOOST_TEST(placement->find_idlest_cpu(&cpu(), *task) == 0u);
  task->allowed = mask({1, 2, 3});
  BOOST_TEST(placement->find_idlest_cpu(&cpu(), *task) == 3u);
  run(1, 1);
  BOOST_TEST(placement->find_idlest_cpu(&cpu(), *task) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

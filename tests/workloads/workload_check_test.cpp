// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_fixture.h"

namespace switchyard::test {

using workloads::LoopParams;
using workloads::PinKind;

BOOST_FIXTURE_TEST_SUITE(workload_check, WorkloadTest)

BOOST_AUTO_TEST_CASE(the_vocabulary_has_all_actions) {
  const std::vector<std::string> expected{"mmap",       "munmap", "touch",       "madvise", "read",      "write",
                                          "close",      "pipe",   "socketpair",  "poll",    "nanosleep", "compute",
                                          "atomic_add", "expect", "sched_yield", "spawn",   "fork",      "wait",
                                          "exec",       "exit",   "cancel",      "join",    "pin",       "loop"};
  BOOST_TEST(registry.names() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_workload_without_anything_is_accepted) { BOOST_TEST(params->check() == ""); }

BOOST_AUTO_TEST_CASE(a_process_with_an_unknown_program_is_refused_with_the_known_ones) {
  program("a", {});
  program("b", {});
  process("c");
  BOOST_TEST(params->check() == "no program 'c'; programs: a, b");
}

BOOST_AUTO_TEST_CASE(a_spawn_of_an_unknown_program_is_refused) {
  Steps steps;
  spawn(steps, "sleper", 1, PinKind::none);
  program("main", std::move(steps));
  program("sleeper", {});
  BOOST_TEST(params->check() == "program 'main' names 'sleper', which is no program; programs: main, sleeper");
}

BOOST_AUTO_TEST_CASE(a_spawn_inside_a_loop_is_checked_too) {
  Steps inner, outer, steps;
  spawn(inner, "nobody", 1, PinKind::none);
  loop(outer, 2, std::move(inner));
  loop(steps, 2, std::move(outer));
  program("main", std::move(steps));
  BOOST_TEST(params->check() == "program 'main' names 'nobody', which is no program; programs: main");
}

BOOST_AUTO_TEST_CASE(a_join_or_cancel_of_an_unknown_program_is_refused) {
  for (const char* action : {"join", "cancel"}) {
    params = std::make_unique<workloads::WorkloadParams>(registry);
    Steps steps;
    on_threads(steps, action, "sleper");
    program("main", std::move(steps));
    program("sleeper", {});
    BOOST_TEST(params->check() == "program 'main' names 'sleper', which is no program; programs: main, sleeper");
  }
}

BOOST_AUTO_TEST_CASE(a_join_of_a_program_that_nobody_spawns_is_refused) {
  Steps steps;
  on_threads(steps, "join", "sleeper");
  program("main", std::move(steps));
  program("sleeper", {});
  BOOST_TEST(params->check() == "program 'main' names 'sleeper', which no step spawns; spawned: none");
}

BOOST_AUTO_TEST_CASE(a_region_that_nobody_maps_is_refused) {
  Steps steps;
  mmap(steps, "p", 4096);
  touch(steps, "q", cpu::Access::load, 4096);
  program("main", std::move(steps));
  BOOST_TEST(params->check() == "program 'main' names 'q', which no step maps; mapped regions: p");
}

BOOST_AUTO_TEST_CASE(one_measured_loop_is_accepted) {
  Steps body, steps;
  compute(body, 1);
  loop(steps, 2, std::move(body), true);
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "");
}

BOOST_AUTO_TEST_CASE(two_measured_loops_are_refused_wherever_they_are) {
  for (const char* name : {"a", "b"}) {
    Steps inner, outer, steps;
    compute(inner, 1);
    loop(outer, 2, std::move(inner), true);
    loop(steps, 2, std::move(outer));
    program(name, std::move(steps));
  }
  BOOST_TEST(params->check() == "only one loop can have `measure: true`, got 2");
}

BOOST_AUTO_TEST_CASE(a_measured_loop_within_a_measured_loop_is_refused) {
  Steps inner, outer, steps;
  compute(inner, 1);
  loop(outer, 2, std::move(inner), true);
  loop(steps, 2, std::move(outer), true);
  program("main", std::move(steps));
  BOOST_TEST(params->check() == "only one loop can have `measure: true`, got 2");
}

BOOST_AUTO_TEST_CASE(a_loop_both_without_end_and_measured_is_refused) {
  LoopParams loop(registry);
  compute(loop.body, 1);
  loop.forever = loop.measure = true;
  BOOST_TEST(loop.check() == "a loop cannot be both forever and measured: its count scales the results");
}

BOOST_AUTO_TEST_CASE(a_loop_with_an_empty_body_is_refused) {
  BOOST_TEST(LoopParams(registry).check() == "body is empty: such a loop takes no simulated time and might never end");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

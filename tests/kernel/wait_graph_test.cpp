// SPDX-License-Identifier: Apache-2.0
#include "kernel/wait_graph.h"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "base/errors.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

using kernel::WaitGraph;

namespace {

constexpr Address kA = 0x100, kB = 0x200, kC = 0x300;
constexpr auto kFifo = WaitGraph::Order::fifo, kAny = WaitGraph::Order::any;

/// CPUs that run the task of their number.
struct WaitGraphTest {
  using Wait = WaitGraph::Wait;
  cpu::FunctionTable functions;
  WaitGraph graph;
  FakeCpu cpu0{0}, cpu1{1}, cpu2{2}, cpu3{3};

  WaitGraphTest() {
    graph.set_names({[](unsigned c) { return "t" + std::to_string(c); },
                     [](Address lock) { return lock == kA   ? "A"
                                               : lock == kB ? "B"
                                                            : "C"; }});
    const cpu::FunctionId spins = functions.add("spins", cpu::Domain::kernel);
    for (FakeCpu* cpu : {&cpu0, &cpu1, &cpu2, &cpu3}) {
      cpu->set_functions(&functions);
      cpu->root().function = spins;
      cpu->set_interrupts(false);
    }
  }
  /// What the start of a wait reports; empty for nothing.
  template <class... Arguments>
  std::string report(Arguments&&... arguments) {
    try {
      const Wait wait(graph, std::forward<Arguments>(arguments)...);
    } catch (const base::CheckError& e) {
      return e.what();
    }
    return "";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_graph, WaitGraphTest)

BOOST_AUTO_TEST_CASE(two_cpus_that_wait_for_each_others_locks_are_named) {
  graph.acquired(cpu0, kA);
  graph.acquired(cpu1, kB);
  const Wait first(graph, cpu0, kB, kFifo);
  BOOST_TEST(report(cpu1, kA, kFifo) ==
             "deadlock: cpu1 (task t1) in spins with interrupts off waits for lock A held by cpu0; "
             "cpu0 (task t0) in spins with interrupts off waits for lock B held by cpu1");
}

BOOST_AUTO_TEST_CASE(interrupts_do_not_help_against_locks) {
  cpu0.set_interrupts(true);
  cpu1.set_interrupts(true);
  graph.acquired(cpu0, kA);
  graph.acquired(cpu1, kB);
  const Wait first(graph, cpu0, kB, kFifo);
  BOOST_TEST(report(cpu1, kA, kAny) ==
             "deadlock: cpu1 (task t1) in spins waits for lock A held by cpu0; "
             "cpu0 (task t0) in spins waits for lock B held by cpu1");
}

BOOST_AUTO_TEST_CASE(a_holder_that_gets_on_is_waited_for) {
  graph.acquired(cpu0, kA);
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
  graph.acquired(cpu1, kB);
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
}

BOOST_AUTO_TEST_CASE(a_lock_that_was_released_or_a_wait_that_is_over_blocks_nobody) {
  graph.acquired(cpu0, kA);
  graph.acquired(cpu1, kB);
  { const Wait over(graph, cpu0, kB, kFifo); }
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
  const Wait again(graph, cpu0, kB, kFifo);
  graph.released(cpu0, kA);
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
}

BOOST_AUTO_TEST_CASE(locks_may_be_released_in_any_order) {
  graph.acquired(cpu0, kA);
  graph.acquired(cpu0, kB);
  graph.released(cpu0, kA);
  graph.acquired(cpu1, kC);
  const Wait first(graph, cpu0, kC, kFifo);
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
  BOOST_TEST(report(cpu1, kB, kFifo) != "");
}

BOOST_AUTO_TEST_CASE(a_lock_that_its_own_holder_waits_for_is_reported) {
  graph.acquired(cpu2, kC);
  BOOST_TEST(report(cpu2, kC, kAny) ==
             "deadlock: cpu2 (task t2) in spins with interrupts off waits for lock C held by itself");
}

BOOST_AUTO_TEST_CASE(a_cycle_of_three_is_found_and_a_bystander_left_out) {
  graph.acquired(cpu0, kA);
  graph.acquired(cpu1, kB);
  graph.acquired(cpu2, kC);
  const Wait bystander(graph, cpu3, kA, kFifo);
  const Wait first(graph, cpu0, kB, kFifo);
  const Wait second(graph, cpu1, kC, kFifo);
  BOOST_TEST(report(cpu2, kA, kFifo) ==
             "deadlock: cpu2 (task t2) in spins with interrupts off waits for lock A held by cpu0; "
             "cpu0 (task t0) in spins with interrupts off waits for lock B held by cpu1; "
             "cpu1 (task t1) in spins with interrupts off waits for lock C held by cpu2");
}

// cpu0 holds a lock and calls cpu1, which spins for the lock.
struct CallTest : WaitGraphTest {
  bool outstanding = true;
  CallTest() {
    cpu0.set_interrupts(true);
    graph.acquired(cpu0, kA);
  }
};
BOOST_FIXTURE_TEST_CASE(a_call_to_a_cpu_that_spins_with_interrupts_off_for_a_lock_of_the_caller, CallTest) {
  const Wait spinning(graph, cpu1, kA, kFifo);
  BOOST_TEST(report(cpu0, 1u, outstanding, "acknowledgement") ==
             "deadlock: cpu0 (task t0) in spins waits for cpu1's acknowledgement; "
             "cpu1 (task t1) in spins with interrupts off waits for lock A held by cpu0");
}
BOOST_FIXTURE_TEST_CASE(the_same_when_the_call_comes_first, CallTest) {
  const Wait calling(graph, cpu0, 1, outstanding, "acknowledgement");
  BOOST_TEST(report(cpu1, kA, kFifo) ==
             "deadlock: cpu1 (task t1) in spins with interrupts off waits for lock A held by cpu0; "
             "cpu0 (task t0) in spins waits for cpu1's acknowledgement");
}
BOOST_FIXTURE_TEST_CASE(a_target_that_lets_interrupts_in_answers, CallTest) {
  cpu1.set_interrupts(true);
  const Wait spinning(graph, cpu1, kA, kFifo);
  BOOST_TEST(report(cpu0, 1u, outstanding, "acknowledgement") == "");
}
BOOST_FIXTURE_TEST_CASE(a_target_that_has_answered_is_not_waited_for, CallTest) {
  const Wait calling(graph, cpu0, 1, outstanding, "acknowledgement");
  outstanding = false;
  BOOST_TEST(report(cpu1, kA, kFifo) == "");
}
BOOST_FIXTURE_TEST_CASE(callers_that_let_interrupts_in_may_call_each_other, CallTest) {
  cpu1.set_interrupts(true);
  const Wait calling(graph, cpu0, 1, outstanding, "acknowledgement");
  BOOST_TEST(report(cpu1, 0u, outstanding, "acknowledgement") == "");
}
BOOST_FIXTURE_TEST_CASE(callers_with_interrupts_off_may_not, CallTest) {
  cpu0.set_interrupts(false);
  const Wait calling(graph, cpu0, 1, outstanding, "acknowledgement");
  BOOST_TEST(report(cpu1, 0u, outstanding, "acknowledgement") ==
             "deadlock: cpu1 (task t1) in spins with interrupts off waits for cpu0's acknowledgement; "
             "cpu0 (task t0) in spins with interrupts off waits for cpu1's acknowledgement");
}

// cpu1 spins for an answer of cpu0; its interrupt handler takes A, which cpu0 wants. The handler will be back.
BOOST_AUTO_TEST_CASE(a_lock_taken_in_a_handler_does_not_depend_on_what_was_interrupted) {
  const bool outstanding = true;
  cpu1.set_interrupts(true);
  const Wait interrupted(graph, cpu1, 0, outstanding, "acknowledgement");
  cpu1.set_interrupts(false);
  graph.acquired(cpu1, kA);
  BOOST_TEST(report(cpu0, kA, kFifo) == "");
}

// The same with a handler that spins for a lock of cpu0.
BOOST_AUTO_TEST_CASE(a_wait_in_a_handler_counts) {
  const bool outstanding = true;
  cpu1.set_interrupts(true);
  const Wait interrupted(graph, cpu1, 2, outstanding, "acknowledgement");
  cpu1.set_interrupts(false);
  graph.acquired(cpu1, kA);
  graph.acquired(cpu0, kB);
  const Wait inner(graph, cpu1, kB, kFifo);
  BOOST_TEST(report(cpu0, kA, kFifo) != "");
}

// cpu1 has its place in the queue for A and is interrupted; the handler wants B of cpu2, which is behind it in the
// queue.
struct QueueTest : WaitGraphTest {
  std::optional<Wait> place;
  QueueTest() {
    graph.acquired(cpu0, kA);
    graph.acquired(cpu2, kB);
    cpu1.set_interrupts(true);
  }
};
BOOST_FIXTURE_TEST_CASE(who_stands_before_others_in_a_queue_blocks_them, QueueTest) {
  place.emplace(graph, cpu1, kA, kFifo);
  cpu1.set_interrupts(false);
  const Wait inner(graph, cpu1, kB, kFifo);
  BOOST_TEST(report(cpu2, kA, kFifo) ==
             "deadlock: cpu2 (task t2) in spins with interrupts off waits for lock A behind cpu1; "
             "cpu1 (task t1) in spins with interrupts off waits for lock B held by cpu2");
}
BOOST_FIXTURE_TEST_CASE(a_lock_that_anybody_may_grab_has_no_queue, QueueTest) {
  place.emplace(graph, cpu1, kA, kAny);
  cpu1.set_interrupts(false);
  const Wait inner(graph, cpu1, kB, kAny);
  BOOST_TEST(report(cpu2, kA, kAny) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernel/x86_machine.h"

namespace switchyard::test {

using kernel::IdleKind;

namespace {

constexpr std::uint64_t kUs = 1'000'000;

}  // namespace

namespace {

/// Processes on a machine: one sends ten words through a pipe, and the other one reads them as they come.
struct IdleMachineTest : X86MachineTest {
  void send_ten(IdleKind kind) {
    idle(kind);
    build(2);
    Ends ends;
    Task& reader = kernel->spawn_process("reader", [&](Task& task) {
      for (int i = 0; i < 10; ++i) kernel->read(task, ends.read, 4);
    });
    Task& writer = kernel->spawn_process("writer", [&](Task& task) {
      for (int i = 0; i < 10; ++i) {
        kernel->compute(task, 50'000);
        kernel->write(task, ends.write, 4);
      }
    });
    ends = pipe(reader, writer, "words");
    run_ms(20);
    BOOST_TEST_REQUIRE(kernel->all_ended());
    BOOST_TEST(count("context_switches") >= 20u);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(idle_machine, IdleMachineTest)

BOOST_AUTO_TEST_CASE(a_cpu_that_polls_is_woken_without_an_interrupt) {
  send_ten(IdleKind::poll);
  BOOST_TEST(ipi.sent.size() == 0u);
}
BOOST_AUTO_TEST_CASE(a_cpu_that_monitors_is_woken_without_an_interrupt) {
  send_ten(IdleKind::mwait);
  BOOST_TEST(ipi.sent.size() == 0u);
}
BOOST_AUTO_TEST_CASE(a_cpu_that_halts_is_woken_by_one_interrupt_each_time) {
  send_ten(IdleKind::halt);
  BOOST_TEST(ipi.sent == (std::vector<unsigned>(10, 0)), boost::test_tools::per_element());
}

// The interrupt comes at every distance from the last look, with interrupts off.
BOOST_AUTO_TEST_CASE(a_timer_wakes_a_cpu_that_monitors_whenever_it_comes) {
  for (auto& state : params.scheduler.idle.states) state.kind = IdleKind::mwait;
  build(1);
  std::uint64_t latest = 0;
  kernel->spawn_process("main", [&](Task& task) {
    for (std::uint64_t ps = kUs / 2; ps < 8 * kUs; ps += kUs / 50) {
      const std::uint64_t due = task.cpu().now_ps() + ps;
      kernel->nanosleep(task, ps);
      latest = std::max(latest, task.cpu().now_ps() - due);
    }
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(latest < 50 * kUs);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

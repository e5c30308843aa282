// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::CpuOps;

namespace {

struct InterruptTest : CpuTest {
  Handler machine, supervisor;
  std::string order;                   ///< letters of what ran
  std::vector<std::uint64_t> entered;  ///< nanoseconds

  /// Handlers that write a letter, take `machine_cycles` and `supervisor_cycles`, and clear what was pending.
  void handle(unsigned i, std::uint64_t machine_cycles = 50, std::uint64_t supervisor_cycles = 50) {
    machine.body = [this, i, machine_cycles](CpuOps& c, std::uint32_t pending) {
      enter('m', i);
      BOOST_TEST((c.privilege() == Privilege::machine));
      c.set_pending(pending, false);
      c.execute(machine_cycles);
      order += 'M';
    };
    supervisor.body = [this, i, supervisor_cycles](CpuOps& c, std::uint32_t pending) {
      enter('s', i);
      BOOST_TEST((c.privilege() == Privilege::supervisor));
      c.set_pending(pending, false);
      c.execute(supervisor_cycles);
      order += 'S';
    };
    cpu(i).set_machine_handler(&machine);
    cpu(i).set_supervisor_handler(&supervisor);
  }
  void enter(char letter, unsigned i) {
    order += letter;
    entered.push_back(ns(i));
  }
  /// Raises the input `port` of CPU 0 at `at_ns`.
  void raise(std::uint64_t at_ns, const std::string& port) {
    at(at_ns, [this, port] { cpu().interrupt_in(port).set(true); });
  }
  void expect_entered(std::initializer_list<std::uint64_t> expected) {
    BOOST_TEST(entered == std::vector<std::uint64_t>(expected), boost::test_tools::per_element());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(interrupts, InterruptTest)

BOOST_AUTO_TEST_CASE(a_handler_starts_at_the_time_of_its_interrupt_however_far_the_cpu_ran_ahead) {
  build(1, 10'000);
  handle(0);
  raise(300, "msip");
  on(0, [&](Cpu& c) {
    c.execute(5000);
    c.synchronise();
    BOOST_TEST(c.cycle() == 5050u);  // the work is paid for all the same
  });
  run();
  expect_entered({300});
  BOOST_TEST(order == "mM");
}

BOOST_AUTO_TEST_CASE(machine_interrupts_go_before_supervisor_interrupts) {
  build(1);
  handle(0);
  at(300, [&] {
    cpu().interrupt_in("seip").set(true);
    cpu().interrupt_in("mtip").set(true);
  });
  on(0, [&](Cpu& c) {
    c.set_interrupts(true);
    c.execute(1000);
    c.synchronise();
  });
  run();
  BOOST_TEST(order == "mMsS");
  expect_entered({300, 350});
}

BOOST_AUTO_TEST_CASE(a_machine_interrupt_interrupts_a_supervisor_handler) {
  build(1);
  handle(0, 50, 200);
  raise(300, "ssip");
  raise(400, "msip");
  on(0, [&](Cpu& c) {
    c.set_interrupts(true);
    c.execute(1000);
    c.synchronise();
    BOOST_TEST(c.cycle() == 1250u);
  });
  run();
  BOOST_TEST(order == "smMS");
  expect_entered({300, 400});
}

BOOST_AUTO_TEST_CASE(no_handler_is_interrupted_by_its_own_level_or_a_lower_one) {
  build(1);
  handle(0, 200, 200);
  raise(300, "msip");
  raise(350, "mtip");
  raise(360, "ssip");
  raise(710, "seip");
  on(0, [&](Cpu& c) {
    c.set_interrupts(true);
    c.execute(2000);
    c.synchronise();
  });
  run();
  BOOST_TEST(order == "mMmMsSsS");
  expect_entered({300, 500, 700, 900});
}

BOOST_AUTO_TEST_CASE(a_supervisor_handler_may_allow_others_of_its_level) {
  build(1);
  handle(0);
  supervisor.body = [&](CpuOps& c, std::uint32_t pending) {
    enter('s', 0);
    c.set_pending(pending, false);
    c.set_interrupts(true);
    c.execute(200);
    order += 'S';
  };
  raise(300, "ssip");
  raise(350, "seip");
  on(0, [&](Cpu& c) {
    c.set_interrupts(true);
    c.execute(1000);
    c.synchronise();
    BOOST_TEST(c.set_interrupts(true));
  });
  run();
  BOOST_TEST(order == "ssSS");
  expect_entered({300, 350});
}

BOOST_AUTO_TEST_CASE(disabled_supervisor_interrupts_wait_until_they_are_enabled) {
  build(1, 100);
  handle(0);
  raise(300, "ssip");
  on(0, [&](Cpu& c) {
    c.execute(1000);
    c.synchronise();
    BOOST_TEST(order == "");
    BOOST_TEST(c.pending_interrupts() == cpu::kSupervisorSoftware);
    BOOST_TEST(!c.set_interrupts(true));
    BOOST_TEST(order == "sS");
  });
  run();
  expect_entered({1000});
}

BOOST_AUTO_TEST_CASE(machine_interrupts_cannot_be_disabled_from_below) {
  build(1);
  handle(0);
  raise(300, "mtip");
  on(0, [&](Cpu& c) {
    c.set_interrupts(false);
    c.execute(1000);
    c.synchronise();
  });
  run();
  expect_entered({300});
}

BOOST_AUTO_TEST_CASE(user_mode_takes_supervisor_interrupts_whether_enabled_or_not) {
  build(1);
  handle(0);
  raise(300, "seip");
  on(0, [&](Cpu& c) {
    c.set_privilege(Privilege::user);
    c.execute(1000);
    c.synchronise();
    BOOST_TEST((c.privilege() == Privilege::user));
  });
  run();
  expect_entered({300});
}

BOOST_AUTO_TEST_CASE(machine_mode_takes_none) {
  build(1);
  handle(0);
  raise(300, "msip");
  raise(300, "ssip");
  on(0, [&](Cpu& c) {
    c.set_privilege(Privilege::machine);
    c.execute(1000);
    c.synchronise();
    BOOST_TEST(order == "");
    c.set_privilege(Privilege::supervisor);
    c.execute(1000);
    c.synchronise();
  });
  run();
  BOOST_TEST(order == "mM");
  expect_entered({1000});
}

BOOST_AUTO_TEST_CASE(a_cleared_interrupt_is_not_taken) {
  build(1);
  handle(0);
  raise(300, "ssip");
  at(400, [&] { cpu().interrupt_in("ssip").set(false); });
  on(0, [&](Cpu& c) {
    c.execute(1000);
    c.synchronise();
    c.set_interrupts(true);
    c.execute(1000);
    c.synchronise();
  });
  run();
  BOOST_TEST(order == "");
  BOOST_TEST(count(cpu(), "interrupts") == 0u);
}

BOOST_AUTO_TEST_CASE(a_level_that_stays_is_taken_again) {
  build(1);
  int entries = 0;
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    if (++entries == 3) c.set_pending(pending, false);
    c.execute(10);
  };
  cpu().set_machine_handler(&machine);
  raise(100, "msip");
  on(0, [&](Cpu& c) {
    c.execute(1000);
    c.synchronise();
    BOOST_TEST(c.cycle() == 1030u);
  });
  run();
  BOOST_TEST(entries == 3);
}

BOOST_AUTO_TEST_CASE(each_input_is_a_pending_bit) {
  build(1);
  const std::pair<const char*, std::uint32_t> inputs[] = {{"msip", cpu::kMachineSoftware},
                                                          {"mtip", cpu::kMachineTimer},
                                                          {"ssip", cpu::kSupervisorSoftware},
                                                          {"seip", cpu::kSupervisorExternal}};
  for (const auto& [port, bit] : inputs) {
    cpu().interrupt_in(port).set(true);
    BOOST_TEST(cpu().pending_interrupts() == bit);
    cpu().interrupt_in(port).set(false);
    BOOST_TEST(cpu().pending_interrupts() == 0u);
  }
  BOOST_CHECK_THROW(cpu().interrupt_in("nmi"), base::InternalError);
}

BOOST_AUTO_TEST_CASE(an_interrupt_during_a_miss_costs_its_handler_and_no_more) {
  build(1, 0);
  handle(0);
  raise(50, "msip");
  on(0, [&](Cpu& c) {
    c.load(0x1000);  // until 125
    c.execute(10);
    c.synchronise();
  });
  run();
  BOOST_TEST(order == "mM");
  BOOST_TEST(cpu().cycle() == kMiss + 10 + 50);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(wait_for_interrupt, InterruptTest)

BOOST_AUTO_TEST_CASE(the_wake_up_is_paid_before_the_handler_starts) {
  build(1);  // wakes in 10 cycles
  handle(0);
  raise(500, "msip");
  on(0, [&](Cpu& c) {
    c.execute(100);
    c.wait_for_interrupt();
    BOOST_TEST(c.cycle() == 560u);
  });
  run();
  expect_entered({510});
  BOOST_TEST(spent(Cause::idle) == 410u);
}

BOOST_AUTO_TEST_CASE(a_disabled_interrupt_wakes_without_being_taken) {
  build(1);
  handle(0);
  raise(500, "ssip");
  on(0, [&](Cpu& c) {
    c.wait_for_interrupt();
    BOOST_TEST(c.cycle() == 510u);
    BOOST_TEST(order == "");
  });
  run();
}

BOOST_AUTO_TEST_CASE(with_an_interrupt_pending_it_does_not_sleep) {
  build(1);
  handle(0);
  cpu().interrupt_in("ssip").set(true);
  on(0, [&](Cpu& c) {
    c.execute(100);
    c.wait_for_interrupt();
    BOOST_TEST(c.cycle() == 100u);
  });
  run();
  BOOST_TEST(spent(Cause::idle) == 0u);
}

BOOST_AUTO_TEST_CASE(an_interrupt_at_the_moment_of_falling_asleep_is_not_lost) {
  build(1);
  raise(100, "ssip");
  on(0, [&](Cpu& c) {
    c.execute(100);
    c.wait_for_interrupt();
    order += 'w';
  });
  run();
  BOOST_TEST(order == "w");
}

BOOST_AUTO_TEST_CASE(it_sleeps_again_after_each_wake_up) {
  build(1);
  handle(0, 50);
  for (const std::uint64_t when : {1000u, 2000u, 3000u}) raise(when, "mtip");
  on(0, [&](Cpu& c) {
    for (int i = 0; i < 3; ++i) c.wait_for_interrupt();
  });
  run();
  expect_entered({1010, 2010, 3010});
  BOOST_TEST(spent(Cause::idle) == 3060u - 3 * 50);
  BOOST_TEST(spent(Cause::firmware) == 3u * 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

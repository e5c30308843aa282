// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "cpu/interrupt_fixture.h"

namespace switchyard::test {

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

BOOST_AUTO_TEST_CASE(an_interrupt_that_came_while_they_were_disabled_starts_when_they_are_enabled) {
  build(1, 10'000);
  handle(0);
  raise(300, "ssip");
  on(0, [&](Cpu& c) {
    c.synchronise();
    c.set_interrupts(true);
    c.set_interrupts(false);
    c.barrier();
    c.load(0x1000);
    for (int i = 0; i < 100; ++i) c.load(0x1000);  // runs ahead, past the interrupt
    const std::uint64_t enabled = c.cycle();
    BOOST_TEST(enabled == 5 + kMiss + 300);
    c.set_interrupts(true);
    c.execute(1000);
    c.synchronise();
    expect_entered({enabled});
  });
  run();
}

BOOST_AUTO_TEST_CASE(an_interrupt_that_came_during_firmware_starts_when_firmware_returns) {
  build(1, 10'000);
  handle(0);
  raise(200, "msip");
  on(0, [&](Cpu& c) {
    c.load(0x1000);
    {
      const cpu::PrivilegeScope firmware(c, Privilege::machine);
      for (int i = 0; i < 100; ++i) c.load(0x1000);
    }
    c.execute(1000);
    c.synchronise();
  });
  run();
  expect_entered({kMiss + 300});
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

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "cpu/interrupt_fixture.h"

namespace switchyard::test {

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

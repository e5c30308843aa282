// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::CpuOps;

namespace {

constexpr Address kFlag = 0x1000, kOther = 0x2000;

struct SpinTest : CpuTest {
  unsigned looks = 0;
  Handler machine;

  /// Spins on CPU `i` until the word at `address` is not zero.
  void wait_for(Cpu& c, Address address, Cause cause = Cause::lock_spin) {
    c.spin_until(
        {address},
        [&, address] {
          ++looks;
          return c.load(address) != 0;
        },
        cause);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(spin, SpinTest)

BOOST_AUTO_TEST_CASE(what_holds_already_is_not_waited_for) {
  build(1);
  on(0, [&](Cpu& c) {
    c.store(kFlag, 1);
    const std::uint64_t before = c.cycle();
    wait_for(c, kFlag);
    BOOST_TEST(c.cycle() - before == kL1);
  });
  run();
  BOOST_TEST(spent(Cause::lock_spin) == 0u);
}

BOOST_AUTO_TEST_CASE(a_spinner_looks_again_when_its_line_is_taken_and_charges_the_wait_to_its_cause) {
  build(2);
  std::uint64_t stored = 0;
  on(0, [&](Cpu& c) { wait_for(c, kFlag, Cause::ack_wait); });
  on(1, [&](Cpu& c) {
    c.execute(5000);
    stored = c.cycle();
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(looks == 2u);
  BOOST_TEST(stored == 5000u);
  // First look: a miss. The store takes the line after the look-up in the second level; the second look gets it back.
  BOOST_TEST(spent(Cause::ack_wait) == 5000 + kL2 - kMiss);
  BOOST_TEST(cpu(0).cycle() > 5000 + kL2 + kTransfer);
}

BOOST_AUTO_TEST_CASE(other_words_of_the_line_wake_it_too_and_it_goes_on_spinning) {
  build(2);
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  on(1, [&](Cpu& c) {
    for (unsigned i = 1; i < 5; ++i) {
      c.execute(1000);
      c.store(kFlag + 8 * i, i);
    }
    c.execute(1000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(looks == 6u);
}

BOOST_AUTO_TEST_CASE(either_of_two_lines_wakes) {
  build(2);
  std::uint64_t sum = 0;
  on(0, [&](Cpu& c) {
    c.spin_until(
        {kFlag, kOther},
        [&] {
          ++looks;
          sum = c.load(kFlag) + c.load(kOther);
          return sum == 2;
        },
        Cause::lock_spin);
  });
  on(1, [&](Cpu& c) {
    c.execute(1000);
    c.store(kOther, 1);
    c.execute(1000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(sum == 2u);
  BOOST_TEST(looks == 3u);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_taken_between_the_look_and_the_wait_is_not_missed) {
  build(2);
  on(0, [&](Cpu& c) {
    c.spin_until(
        {kFlag},
        [&] {
          const bool set = c.load(kFlag) != 0;
          c.execute(3000);  // the other CPU stores meanwhile
          return set;
        },
        Cause::lock_spin);
  });
  on(1, [&](Cpu& c) {
    c.execute(1500);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(cpu(0).cycle() > 6000u);
  BOOST_TEST(cpu(0).cycle() < 7000u);
}

BOOST_AUTO_TEST_CASE(no_wake_up_is_lost_at_any_distance) {
  build(2);
  const unsigned rounds = 400;
  for (unsigned i = 0; i < 2; ++i)
    on(i, [&, i](Cpu& c) {
      base::RandomStream random(3, "cpu" + std::to_string(i));
      const Address mine = i == 0 ? kFlag : kOther, other = i == 0 ? kOther : kFlag;
      for (unsigned n = 1; n <= rounds; ++n) {
        c.execute(random.below(200));
        c.store(mine, n);
        c.spin_until(
            {other}, [&] { return c.load(other) >= n; }, Cause::lock_spin);
      }
    });
  run();
  BOOST_TEST(cpu(0).debug_memory().peek(kFlag) == rounds);
  BOOST_TEST(cpu(0).debug_memory().peek(kOther) == rounds);
}

BOOST_AUTO_TEST_CASE(eight_cpus_pass_a_ticket_lock_on_and_count_exactly) {
  build(8, 500);
  const Address next = 0x3000, serving = 0x3040, counter = 0x3080;
  for (unsigned i = 0; i < 8; ++i)
    on(i, [&](Cpu& c) {
      for (int n = 0; n < 50; ++n) {
        const std::uint64_t ticket = c.atomic(cpu::AtomicOp::add, next, 1);
        c.spin_until(
            {serving}, [&] { return c.load(serving) == ticket; }, Cause::lock_spin);
        const std::uint64_t value = c.load(counter);
        c.execute(20);
        c.store(counter, value + 1);
        c.store(serving, ticket + 1);
      }
    });
  run();
  BOOST_TEST(cpu(0).debug_memory().peek(counter) == 400u);
}

BOOST_AUTO_TEST_CASE(an_interrupt_is_taken_at_its_time_within_the_wait) {
  build(2);
  std::vector<std::uint64_t> entered;
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    entered.push_back(ns(0));
    c.set_pending(pending, false);
    c.execute(100);
  };
  cpu(0).set_machine_handler(&machine);
  at(2000, [&] { cpu(0).interrupt_in("msip").set(true); });
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  on(1, [&](Cpu& c) {
    c.execute(5000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(entered == std::vector<std::uint64_t>{2000}, boost::test_tools::per_element());
  BOOST_TEST(spent(Cause::firmware) == 100u);
  BOOST_TEST(looks == 3u);
}

BOOST_AUTO_TEST_CASE(a_handler_that_takes_the_line_itself_does_not_put_the_spinner_to_sleep_for_good) {
  build(2);
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    c.set_pending(pending, false);
    c.store(kFlag, 1);
  };
  cpu(0).set_machine_handler(&machine);
  at(2000, [&] { cpu(0).interrupt_in("msip").set(true); });
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  run();
  BOOST_TEST(cpu(0).cycle() > 2000u);
  BOOST_TEST(cpu(0).cycle() < 2200u);
}

BOOST_AUTO_TEST_CASE(a_replaced_line_wakes_the_spinner_too) {
  build(1);
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    c.set_pending(pending, false);
    for (unsigned i = 1; i <= 8; ++i) c.load(kFlag + i * 4096);  // its whole set
  };
  cpu(0).set_machine_handler(&machine);
  at(2000, [&] { cpu(0).interrupt_in("msip").set(true); });
  at(9000, [&] { cpu(0).interrupt_in("msip").set(true); });
  on(0, [&](Cpu& c) {
    c.spin_until(
        {kFlag}, [&] { return c.load(kFlag) != 0 || c.cycle() > 9000; }, Cause::lock_spin);
  });
  run();
  BOOST_TEST(cpu(0).cycle() > 9000u);
}

BOOST_AUTO_TEST_CASE(watched_addresses_are_translated) {
  build(2);
  const Address root = new_root();
  map(root, 0x10000, kFlag);
  on(0, [&](Cpu& c) {
    c.write_translation_base(root, 1);
    wait_for(c, 0x10000);
  });
  on(1, [&](Cpu& c) {
    c.execute(5000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(looks == 2u);
}

BOOST_AUTO_TEST_CASE(without_a_cache_it_looks_once_in_each_quantum) {
  build_bare(2, 1000);
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  on(1, [&](Cpu& c) {
    c.execute(10'000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(looks >= 10u);
  BOOST_TEST(looks <= 12u);
  BOOST_TEST(spent(Cause::lock_spin) == (looks - 1) * 1000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// CPUs that are the threads of a core: what they see of each other's accesses, and when.
#include <boost/test/data/test_case.hpp>

#include "base/random.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

namespace data = boost::unit_test::data;

namespace {

constexpr Address kFlag = 0x1000, kOther = 0x2000;

struct SharedL1Test : CpuTest {
  unsigned looks = 0;

  void wait_for(Cpu& c, Address address, std::uint64_t value = 1) {
    c.spin_until(
        {address},
        [&, address, value] {
          ++looks;
          return c.load(address) >= value;
        },
        Cause::lock_spin);
  }
  /// A store at `at` of CPU `i`'s cycles.
  void store_at(unsigned i, std::uint64_t at, Address address, std::uint64_t value = 1) {
    on(i, [=](Cpu& c) {
      c.execute(at);
      c.store(address, value);
    });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_l1, SharedL1Test)

BOOST_AUTO_TEST_CASE(what_one_thread_brings_the_other_hits) {
  build_threads(1, 2);
  on(0, [&](Cpu& c) { c.load(kFlag); });
  on(1, [&](Cpu& c) {
    c.execute(500);
    c.load(kFlag);
    BOOST_TEST(c.cycle() == 500 + kL1);
  });
  run();
  BOOST_TEST(count(cpu(0), "l1_misses") == 1u);
  BOOST_TEST(count(cpu(1), "l1_misses") == 0u);
  BOOST_TEST(l1[0]->check_wiring() == "");
}

BOOST_AUTO_TEST_CASE(hits_in_lines_of_its_own_let_a_thread_run_ahead) {
  build_threads(1, 2, 100'000);
  for (unsigned i = 0; i < 2; ++i)
    on(i, [&, i](Cpu& c) {
      const Address mine = i == 0 ? kFlag : kOther;
      c.store(mine, 1);
      const std::uint64_t before = count(c, "syncs");
      for (unsigned n = 0; n < 1000; ++n) c.store(mine, c.load(mine) + 1);
      BOOST_TEST(count(c, "syncs") <= before + 1);
      BOOST_TEST(c.load(mine) == 1001u);
    });
  run();
}

BOOST_AUTO_TEST_CASE(a_line_that_both_only_read_lets_them_run_ahead) {
  build_threads(1, 2, 100'000);
  for (unsigned i = 0; i < 2; ++i)
    on(i, [&](Cpu& c) {
      for (unsigned n = 0; n < 10; ++n) c.load(kFlag);
      c.synchronise();
      const std::uint64_t before = count(c, "syncs");
      for (unsigned n = 0; n < 1000; ++n) c.load(kFlag);
      BOOST_TEST(count(c, "syncs") <= before + 1);
    });
  run();
}

BOOST_AUTO_TEST_CASE(a_store_of_the_sibling_wakes_a_spinner) {
  build_threads(1, 2);
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  store_at(1, 5000, kFlag);
  run();
  BOOST_TEST(looks == 3u);  // before and after the line is watched, and after the store
  BOOST_TEST(cpu(0).cycle() >= 5000u);
  BOOST_TEST(cpu(0).cycle() < 5020u);
}

BOOST_AUTO_TEST_CASE(a_store_of_the_sibling_in_a_line_that_it_wrote_last_wakes_too) {
  build_threads(1, 2);
  on(0, [&](Cpu& c) {
    c.execute(2000);
    wait_for(c, kFlag, 3);
  });
  on(1, [&](Cpu& c) {
    for (std::uint64_t value = 1; value <= 3; ++value) {
      c.store(kFlag, value);
      c.execute(3000);
    }
  });
  run();
  BOOST_TEST(cpu(0).cycle() > 6000u);
  BOOST_TEST(cpu(0).cycle() < 6200u);
}

BOOST_DATA_TEST_CASE_F(SharedL1Test, a_store_between_the_look_and_the_wait_is_not_missed,
                       data::make({100u, 1000u, 1500u, 3200u, 4500u, 5900u}), when) {
  build_threads(1, 2);
  on(0, [&](Cpu& c) {
    c.spin_until(
        {kFlag},
        [&] {
          const bool set = c.load(kFlag) != 0;
          c.execute(3000);
          return set;
        },
        Cause::lock_spin);
  });
  store_at(1, when, kFlag);
  run();
  BOOST_TEST(cpu(0).cycle() < 13'000u);
}

BOOST_AUTO_TEST_CASE(a_store_of_another_core_wakes_every_watcher_of_the_core) {
  build_threads(2, 2);
  for (unsigned i = 0; i < 2; ++i) on(i, [&](Cpu& c) { wait_for(c, kFlag); });
  store_at(2, 5000, kFlag);
  run();
  for (unsigned i = 0; i < 2; ++i) {
    BOOST_TEST(cpu(i).cycle() >= 5000u);
    BOOST_TEST(cpu(i).cycle() < 5200u);
  }
}

BOOST_AUTO_TEST_CASE(its_own_store_does_not_wake_a_cpu) {
  build_threads(1, 2);
  Handler machine;
  machine.body = [&](cpu::CpuOps& c, std::uint32_t pending) {
    c.set_pending(pending, false);
    c.store(kFlag + 8, 1);  // the line that the interrupted code watches
  };
  cpu(0).set_machine_handler(&machine);
  at(2000, [&] { cpu(0).interrupt_in("msip").set(true); });
  on(0, [&](Cpu& c) { wait_for(c, kFlag); });
  store_at(1, 9000, kFlag);
  run();
  BOOST_TEST(cpu(0).cycle() >= 9000u);
  BOOST_TEST(looks <= 5u);
}

BOOST_AUTO_TEST_CASE(a_watcher_of_two_lines_hears_of_either) {
  build_threads(1, 2);
  std::uint64_t sum = 0;
  on(0, [&](Cpu& c) {
    c.spin_until(
        {kFlag, kOther}, [&] { return (sum = c.load(kFlag) + c.load(kOther)) == 2; }, Cause::lock_spin);
  });
  on(1, [&](Cpu& c) {
    c.execute(1000);
    c.store(kOther, 1);
    c.execute(1000);
    c.store(kFlag, 1);
  });
  run();
  BOOST_TEST(sum == 2u);
  BOOST_TEST(cpu(0).cycle() < 2100u);
}

BOOST_AUTO_TEST_CASE(a_thread_keeps_a_line_for_the_hold_before_the_other_gets_it) {
  l1_params.hold = base::cycles(50);
  build_threads(1, 2);
  std::uint64_t taken = 0;
  on(0, [&](Cpu& c) {
    c.execute(1000);
    c.store(kFlag, 1);
    taken = c.cycle();
  });
  on(1, [&](Cpu& c) {
    c.load(kFlag);
    c.execute(1005 - c.cycle());
    c.store(kFlag, 2);
    BOOST_TEST(c.cycle() >= 1000 + 50u);
    BOOST_TEST(c.cycle() <= 1000 + 50 + kL1);
  });
  run();
  BOOST_TEST(taken == 1000 + kL1);
  BOOST_TEST(spent(Cause::coherence, 1) > 0u);
}

BOOST_DATA_TEST_CASE_F(SharedL1Test, counters_of_all_threads_add_up_whatever_the_quantum,
                       data::make({0u, 1000u, 50'000u}), quantum) {
  build_threads(2, 2, quantum);
  for (unsigned i = 0; i < 4; ++i)
    on(i, [&](Cpu& c) {
      for (unsigned n = 0; n < 500; ++n) {
        c.atomic(cpu::AtomicOp::add, kFlag, 1);
        c.execute(n % 7);
      }
    });
  run();
  BOOST_TEST(cpu().debug_memory().peek(kFlag) == 2000u);
}

BOOST_AUTO_TEST_CASE(random_accesses_of_the_threads_of_several_cores_stay_coherent) {
  l1_params.size = base::Bytes{1024};
  l1_params.ways = 2;
  build_threads(3, 2, 500);
  for (unsigned i = 0; i < 6; ++i)
    on(i, [&, i](Cpu& c) {
      base::RandomStream random(i + 1, "shared_l1");
      for (unsigned n = 0; n < 20'000; ++n) {
        const Address pa = random.below(24 * 64 / 8) * 8 * (random.below(8) == 0 ? 64 : 1);
        const std::uint64_t choice = random.below(10);
        if (choice < 5)
          c.load(pa);
        else if (choice < 9)
          c.store(pa, random.next());
        else
          c.atomic(cpu::AtomicOp::swap, pa, random.next());
        if (choice == 0) c.execute(random.below(300));
      }
    });
  run();
  BOOST_TEST(check.checked() > 60'000u);
}

BOOST_AUTO_TEST_CASE(more_than_eight_threads_are_refused) {
  build_threads(1, 9);
  BOOST_TEST(l1[0]->check_wiring() == "9 CPUs share this cache as their first level; at most 8 threads can");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

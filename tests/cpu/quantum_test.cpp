// SPDX-License-Identifier: Apache-2.0
// When the actions of CPUs happen, seen from outside: local time against SystemC time.
#include <algorithm>

#include "base/random.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000;

struct Happened {
  std::uint64_t ps;
  unsigned cpu;
};

struct QuantumTest : CpuTest {
  std::vector<Happened> log;  ///< accesses in the order in which they took effect, with the time they began at

  /// Random accesses to a few shared lines and computation.
  void mix(Cpu& c, unsigned steps) {
    base::RandomStream random(1, "cpu" + std::to_string(c.id()));
    for (unsigned i = 0; i < steps; ++i) {
      c.execute(random.below(30));
      const std::uint64_t began = c.now_ps();
      const Address pa = kX + random.below(64) * 8;
      if (random.below(2) == 0)
        c.store(pa, random.next());
      else
        c.load(pa);
      log.push_back({began, c.id()});
    }
  }
  /// Something else to do at each nanosecond, so that no wait can be left out.
  void tick(unsigned ns) {
    sc_core::sc_spawn([ns] {
      for (unsigned i = 0; i < ns; ++i) sc_core::wait(1, sc_core::SC_NS);
    });
  }
};

bool in_order(const std::vector<Happened>& log) {
  return std::is_sorted(log.begin(), log.end(), [](const Happened& a, const Happened& b) { return a.ps < b.ps; });
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(quantum, QuantumTest)

BOOST_AUTO_TEST_CASE(with_quantum_zero_accesses_of_all_cpus_happen_in_the_order_of_their_times) {
  build(4, 0);
  for (unsigned i = 0; i < 4; ++i) on(i, [&](Cpu& c) { mix(c, 2000); });
  run();
  BOOST_TEST(log.size() == 8000u);
  BOOST_TEST(in_order(log));
}

BOOST_AUTO_TEST_CASE(with_quantum_zero_clocks_of_different_speed_are_in_order_too) {
  for (const std::uint64_t hz : {1'000'000'000u, 1'850'000'000u, 3'000'000'000u}) {
    CpuParams p;
    p.clock = {hz};
    add_cpu(p);
    const auto i = static_cast<unsigned>(cpus.size() - 1);
    memory::CacheParams l1p;
    l1p.clock = {hz};
    l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), l1p));
    bind_ports(cpus[i]->initiator("data"), l1[i]->target("cpu"));
    bind_ports(l1[i]->initiator("mem"), l2.target("cpu"));
  }
  start(0);
  for (unsigned i = 0; i < 3; ++i) on(i, [&](Cpu& c) { mix(c, 2000); });
  run();
  BOOST_TEST(in_order(log));
}

BOOST_AUTO_TEST_CASE(with_any_quantum_misses_happen_in_the_order_of_their_times) {
  build(4, 500);
  for (unsigned i = 0; i < 4; ++i)
    on(i, [&](Cpu& c) {
      base::RandomStream random(2, "cpu" + std::to_string(c.id()));
      for (unsigned n = 0; n < 500; ++n) {
        c.execute(random.below(100));
        const std::uint64_t began = c.now_ps();
        c.load(0x100000 * (c.id() + 1) + n * 64);  // never there before
        log.push_back({began, c.id()});
      }
    });
  run();
  BOOST_TEST(in_order(log));
}

BOOST_AUTO_TEST_CASE(a_cpu_that_hits_runs_ahead_by_the_quantum_and_one_access_at_most) {
  build(1, 100);
  tick(20'000);
  std::uint64_t furthest = 0;
  on(0, [&](Cpu& c) {
    c.store(kX, 1);
    while (c.cycle() < 15'000) {
      c.load(kX);
      furthest = std::max(furthest, ns() - sc_ns());
      c.execute(7);
      BOOST_TEST_REQUIRE(ns() - sc_ns() <= 100u);
    }
  });
  run();
  BOOST_TEST(furthest > 90u);
  BOOST_TEST(furthest < 100u + kL1);
}

BOOST_AUTO_TEST_CASE(two_cpus_that_store_to_one_line_alternate_at_each_access) {
  build(2, 1000);
  const unsigned stores = 200;
  for (unsigned i = 0; i < 2; ++i)
    on(i, [&](Cpu& c) {
      c.load(kX);
      c.spend(2000 - c.cycle(), Cause::instructions);
      for (unsigned n = 0; n < stores; ++n) {
        const std::uint64_t began = c.now_ps();
        c.store(kX + 8 * c.id(), n);
        log.push_back({began, c.id()});
      }
    });
  run();
  BOOST_TEST(in_order(log));
  for (std::size_t i = 1; i < log.size(); ++i) BOOST_TEST_REQUIRE(log[i].cpu != log[i - 1].cpu);
  BOOST_TEST(count(l2, "invalidations") == 2 * stores);
  // Both begin at 2000; after the first look-up one transfer follows the other.
  BOOST_TEST(cpu(1).cycle() == 2000 + kL2 + 2 * stores * kTransfer + kL1);
  BOOST_TEST(cpu(0).cycle() == 2000 + kL2 + (2 * stores - 1) * kTransfer + kL1);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_left_alone_becomes_ordinary_again) {
  build(2, 1000);
  tick(4000);
  std::uint64_t syncs = 0;
  on(0, [&](Cpu& c) { c.store(kX, 1); });
  on(1, [&](Cpu& c) {
    c.execute(1500);
    c.store(kX, 2);
    for (int i = 0; i < 3; ++i) c.load(kX);
    syncs = count(c, "syncs");
    for (int i = 0; i < 100; ++i) c.load(kX);
    syncs = count(c, "syncs") - syncs;
  });
  run();
  BOOST_TEST(syncs == 0u);
}

BOOST_AUTO_TEST_CASE(alone_a_cpu_never_waits_for_time) {
  build(1, 100);
  on(0, [&](Cpu& c) {
    for (unsigned i = 0; i < 1000; ++i) c.load(i * 64);
    c.execute(1'000'000);
    BOOST_TEST(sc_ns() == 0u);
  });
  run();
  BOOST_TEST(count(cpu(), "syncs") == 0u);
  BOOST_TEST(cpu().cycle() >= 1'000'000 + 1000 * kMiss);
}

BOOST_AUTO_TEST_CASE(to_synchronise_is_to_wait_whoever_else_is_there) {
  build(1);
  on(0, [&](Cpu& c) {
    c.execute(12'345);
    c.synchronise();
    BOOST_TEST(sc_ns() == 12'345u);
  });
  run();
}

BOOST_AUTO_TEST_CASE(an_event_between_two_accesses_sees_the_first_and_not_the_second) {
  build(1, 0);
  std::vector<std::uint64_t> seen;
  for (const std::uint64_t when : {500u, 1500u, 1501u})
    at(when, [&] { seen.push_back(cpu().debug_memory().peek(kX)); });
  on(0, [&](Cpu& c) {
    c.store(kX, 1);  // at 0
    c.execute(1000);
    c.store(kX, 2);  // at 1125
    c.execute(372);
    c.store(kX, 3);  // at 1500
  });
  run();
  BOOST_TEST(seen[0] == 1u);
  BOOST_TEST((seen[1] == 2u || seen[1] == 3u));  // at the same time: either order
  BOOST_TEST(seen[2] == 3u);
}

BOOST_AUTO_TEST_CASE(a_run_ahead_of_a_whole_quantum_still_comes_after_events_before_it) {
  build(1, 1000);
  std::uint64_t seen = 99;
  at(999, [&] { seen = cpu().debug_memory().peek(0x2000); });
  on(0, [&](Cpu& c) {
    c.execute(1000);
    c.store(0x2000, 1);  // a miss at 1000
  });
  run();
  BOOST_TEST(seen == 0u);
}

BOOST_AUTO_TEST_CASE(an_idle_cpu_costs_no_events) {
  build(8);
  for (unsigned i = 0; i < 8; ++i) on(i, [](Cpu& c) { c.wait_for_interrupt(); });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_SEC);
  BOOST_TEST(sc_core::sc_delta_count() == deltas);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_spins_on_a_quiet_line_costs_no_events) {
  build(2);
  on(0, [](Cpu& c) {
    c.spin_until(
        {kX}, [&] { return c.load(kX) != 0; }, Cause::lock_spin);
  });
  sc_core::sc_start(1, sc_core::SC_MS);
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_SEC);
  BOOST_TEST(sc_core::sc_delta_count() == deltas);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

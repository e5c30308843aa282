// SPDX-License-Identifier: Apache-2.0
// Memory that waits within a transaction, as foreign models may: other requests arrive while one is under way.
#include "base/random.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000, kY = 0x2000, kZ = 0x3000;

/// Waits before and after it passes a transaction on.
class Slow : public sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
 public:
  TargetSocket in{"in"};
  InitiatorSocket out{"out"};
  std::function<std::uint64_t()> before_ps, after_ps;

  explicit Slow(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

 private:
  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override {
    sc_core::wait(sim::from_ps(before_ps()));
    out->b_transport(tx, delay);
    sc_core::wait(sim::from_ps(after_ps()));
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override { return out->transport_dbg(tx); }
};

/// Caches above memory that waits 40 ns before and 60 ns after each of its accesses.
struct WaitTest : CacheTest {
  Slow slow{"slow"};
  std::string order;  ///< letters of finished steps

  WaitTest() {
    bind_ports({&slow.out, nullptr}, bus.target("in"));
    bottom = [this] { return Module::Target{&slow.in, nullptr}; };
    slow.before_ps = [] { return 40'000; };
    slow.after_ps = [] { return 60'000; };
  }
  /// At `ns` does `step` in a process of its own.
  void at(unsigned ns, char letter, const std::function<void()>& step) {
    sc_core::sc_spawn([this, ns, letter, step] {
      sc_core::wait(sc_core::sc_time(ns, sc_core::SC_NS));
      step();
      order += letter;
    });
  }
  void run() { sc_core::sc_start(); }
  /// `count` agents each do `steps` random accesses to `lines` lines, with random pauses and random waits in memory.
  void storm(unsigned steps, unsigned lines);
};

void WaitTest::storm(unsigned steps, unsigned lines) {
  base::RandomStream waits(8, "waits");
  slow.before_ps = slow.after_ps = [&] { return waits.below(3) * 10'000; };
  unsigned finished = 0;
  for (unsigned i = 0; i < agents.size(); ++i)
    sc_core::sc_spawn([&, i] {
      base::RandomStream random(9, "agent" + std::to_string(i));
      for (unsigned n = 0; n < steps; ++n) {
        const Address pa = random.below(lines * 8) * 8;
        if (random.below(2) == 0)
          agents[i]->store(pa, random.next());
        else
          agents[i]->load(pa);
        sc_core::wait(sim::from_ps(random.below(3) * 10'000));
      }
      ++finished;
    });
  sc_core::sc_start();
  BOOST_TEST(finished == agents.size());
  for (Address pa = 0; pa < lines * 64; pa += 8) check.read(99, pa, agents[0]->peek(pa), 8);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(waiting_memory, WaitTest)

BOOST_AUTO_TEST_CASE(two_that_miss_at_once_each_get_their_line) {
  build(2);
  devices[0]->poke(kX, 0x1111);
  devices[0]->poke(kY, 0x2222);
  std::uint64_t x = 0, y = 0;
  at(1, 'x', [&] { x = agents[0]->load(kX); });
  at(1, 'y', [&] { y = agents[1]->load(kY); });
  run();
  BOOST_TEST(x == 0x1111u);
  BOOST_TEST(y == 0x2222u);
  BOOST_TEST(states(kX) == "EI");
  BOOST_TEST(states(kY) == "IE");
}

BOOST_AUTO_TEST_CASE(two_that_miss_the_same_line_share_it) {
  build(2);
  devices[0]->poke(kX, 0x1111);
  at(1, 'a', [&] { BOOST_TEST(agents[0]->load(kX) == 0x1111u); });
  at(2, 'b', [&] { BOOST_TEST(agents[1]->load(kX) == 0x1111u); });
  run();
  BOOST_TEST(states(kX) == "SS");
  BOOST_TEST(count(l2(), "misses") == 1u);
}

BOOST_AUTO_TEST_CASE(a_reader_that_loses_its_line_while_it_waits_to_write_gets_the_new_data) {
  build(3);
  at(1, 'p', [&] { agents[0]->load(kX); });
  at(200, 'q', [&] { agents[1]->load(kX); });
  at(1000, 'c', [&] { agents[2]->load(kZ); });  // busy below until 1100 ns
  at(1010, 'b', [&] { agents[1]->store(kX + 8, 2); });
  at(1020, 'a', [&] { agents[0]->store(kX, 1); });
  run();
  BOOST_TEST(order == "pqcba");
  BOOST_TEST(states(kX) == "MII");
  BOOST_TEST(agents[0]->peek(kX) == 1u);
  BOOST_TEST(agents[0]->peek(kX + 8) == 2u);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_taken_while_it_waits_to_be_written_back_does_not_come_back) {
  build(3, params(1, 1));
  at(1, 'p', [&] { agents[0]->store(kX, 1); });
  at(500, 'q', [&] { agents[1]->load(kY); });
  at(1000, 'c', [&] { agents[2]->load(kZ); });  // busy below until 1100 ns
  at(1010, 'b', [&] {
    agents[1]->store(kX, 2);
    agents[1]->load(kY);  // gives the newer line back at once
  });
  at(1020, 'a', [&] { agents[0]->load(kY); });  // has to give the older one back
  run();
  BOOST_TEST(order == "pqcba");
  BOOST_TEST(agents[2]->peek(kX) == 2u);
}

BOOST_AUTO_TEST_CASE(a_storm_on_two_levels_loses_nothing) {
  build(4, params(2, 2), params(8, 4, 64, 12, 20));
  storm(5000, 16);
}

BOOST_AUTO_TEST_CASE(a_storm_on_three_levels_loses_nothing) {
  Cache& l3 = add_cache(params(8, 4, 128, 30, 60));
  for (int i = 0; i < 2; ++i) {
    Cache& l2 = add_cache(params(4, 2, 64, 12, 20), &l3);
    for (int k = 0; k < 2; ++k) add_agent(add_cache(params(4, 2, 32), &l2));
  }
  start();
  storm(5000, 32);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

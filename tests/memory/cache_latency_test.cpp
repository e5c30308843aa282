// SPDX-License-Identifier: Apache-2.0
// What a request costs below the first level, as the sum of parameters. The first level's own latency is the CPU's.
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000, kY = 0x2000;
constexpr std::uint64_t kL2 = 12'000, kTransfer = 20'000;
constexpr std::uint64_t kMiss = kL2 + CacheTest::kBus + CacheTest::kRam;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cache_latency, CacheTest)

BOOST_AUTO_TEST_CASE(a_cold_read_pays_look_up_bus_and_memory) {
  build(2);
  agents[0]->load(kX);
  BOOST_TEST(agents[0]->took_ps == kMiss);
  BOOST_TEST(agents[0]->spent.cache == kL2);
  BOOST_TEST(agents[0]->spent.memory == kBus + kRam);
  BOOST_TEST(agents[0]->spent.coherence == 0u);
  BOOST_TEST(agents[0]->spent.last_level == 0u);
  BOOST_TEST(count(l2(), "misses") == 1u);
}

BOOST_AUTO_TEST_CASE(a_cold_write_pays_the_same) {
  build(2);
  agents[0]->store(kX, 1);
  BOOST_TEST(agents[0]->took_ps == kMiss);
}

BOOST_AUTO_TEST_CASE(a_first_level_hit_asks_nobody) {
  build(1);
  agents[0]->load(kX);
  agents[0]->load(kX + 56);
  agents[0]->store(kX + 8, 1);
  BOOST_TEST(agents[0]->fills == 1u);
  BOOST_TEST(count(l2(), "requests") == 1u);
}

BOOST_AUTO_TEST_CASE(a_second_level_hit_pays_its_look_up) {
  build(1, params(1, 1));
  agents[0]->load(kX);
  agents[0]->load(kY);
  agents[0]->load(kX);
  BOOST_TEST(agents[0]->took_ps == kL2);
  BOOST_TEST(agents[0]->spent.cache == kL2);
  BOOST_TEST(count(l2(), "misses") == 2u);
}

BOOST_AUTO_TEST_CASE(sharing_a_clean_line_that_nobody_may_write_is_a_second_level_hit) {
  build(3);
  agents[0]->load(kX);
  agents[1]->load(kX);
  agents[2]->ahead_ps = 1'000'000;  // long after the transfer from the first reader to the second
  agents[2]->load(kX);
  BOOST_TEST(agents[2]->took_ps == kL2);
  BOOST_TEST(agents[2]->spent.coherence == 0u);
}

BOOST_AUTO_TEST_CASE(a_line_that_another_cpu_may_have_written_is_transferred) {
  build(2);
  agents[0]->load(kX);  // exclusive: may be written without asking
  agents[1]->load(kX);
  BOOST_TEST(agents[1]->took_ps == kL2 + kTransfer);
  BOOST_TEST(agents[1]->spent.coherence == kTransfer);
  BOOST_TEST(count(l2(), "transfers") == 0u);
  agents[0]->store(kY, 1);
  agents[1]->load(kY);
  BOOST_TEST(agents[1]->took_ps == kL2 + kTransfer);
  BOOST_TEST(count(l2(), "transfers") == 1u);
  BOOST_TEST(count(l2(), "invalidations") == 0u);
}

BOOST_AUTO_TEST_CASE(a_write_takes_a_modified_line_for_one_transfer) {
  build(2);
  agents[0]->store(kX, 1);
  agents[1]->store(kX, 2);
  BOOST_TEST(agents[1]->took_ps == kL2 + kTransfer);
  BOOST_TEST(count(l2(), "invalidations") == 1u);
  BOOST_TEST(count(l2(), "transfers") == 1u);
}

BOOST_AUTO_TEST_CASE(an_upgrade_pays_one_transfer_however_many_readers_there_are) {
  build(8);
  for (const auto& agent : agents) agent->load(kX);
  agents[3]->ahead_ps = 1'000'000;  // long after the transfer from the first reader to the second
  agents[3]->store(kX, 1);
  BOOST_TEST(agents[3]->took_ps == kL2 + kTransfer);
  BOOST_TEST(agents[3]->spent.coherence == kTransfer);
  BOOST_TEST(count(l2(), "invalidations") == 7u);
  BOOST_TEST(count(agents[3]->l1(), "upgrades") == 1u);
}

BOOST_AUTO_TEST_CASE(an_upgrade_of_the_last_copy_pays_the_look_up_only) {
  build(2, params(1, 1));
  agents[0]->load(kX);
  agents[1]->load(kX);
  agents[1]->load(kY);              // drops its copy of X
  agents[0]->ahead_ps = 1'000'000;  // long after the transfer
  agents[0]->store(kX, 1);
  BOOST_TEST(agents[0]->took_ps == kL2);
  BOOST_TEST(agents[0]->spent.coherence == 0u);
}

BOOST_AUTO_TEST_CASE(writing_a_first_level_line_back_is_not_waited_for) {
  build(1, params(1, 1));
  agents[0]->load(kY);
  agents[0]->store(kX, 1);
  agents[0]->load(kY);
  BOOST_TEST(agents[0]->took_ps == kL2);
  BOOST_TEST(count(agents[0]->l1(), "evictions") == 2u);
  BOOST_TEST(count(agents[0]->l1(), "writebacks") == 1u);
}

BOOST_AUTO_TEST_CASE(writing_a_second_level_line_back_is_not_waited_for) {
  build(1, params(16, 4), params(1, 1, 64, 12, 20));
  agents[0]->store(kX, 1);
  agents[0]->load(kY);
  BOOST_TEST(agents[0]->took_ps == kMiss);
  BOOST_TEST(count(l2(), "writebacks") == 1u);
  BOOST_TEST(count(l2(), "evictions") == 1u);
  BOOST_TEST(count(ram, "writes") == 1u);
}

BOOST_AUTO_TEST_CASE(a_clean_line_is_dropped_without_a_write) {
  build(1, params(1, 1), params(1, 1, 64, 12, 20));
  agents[0]->load(kX);
  agents[0]->load(kY);
  BOOST_TEST(count(agents[0]->l1(), "writebacks") + count(l2(), "writebacks") == 0u);
  BOOST_TEST(count(ram, "writes") == 0u);
}

BOOST_AUTO_TEST_CASE(requests_for_a_line_in_transfer_queue) {
  build(4);
  agents[0]->store(kX, 1);
  for (unsigned i : {1u, 2u, 3u}) {
    agents[i]->store(kX, i);  // all at the same instant
    BOOST_TEST(agents[i]->took_ps == kL2 + i * kTransfer);
    BOOST_TEST(agents[i]->spent.coherence == i * kTransfer);
  }
  BOOST_TEST(count(l2(), "waits") == 2u);
}

BOOST_AUTO_TEST_CASE(a_reader_waits_for_a_transfer_too) {
  build(3);
  agents[0]->store(kX, 1);
  agents[1]->load(kX);
  agents[2]->ahead_ps = 5'000;
  agents[2]->load(kX);  // at 17 ns in the directory; the transfer ends at 32 ns and leaves no writer
  BOOST_TEST(agents[2]->took_ps == kL2 + 15'000);
}

BOOST_AUTO_TEST_CASE(a_request_after_the_transfer_does_not_wait) {
  build(3);
  agents[0]->store(kX, 1);
  agents[1]->store(kX, 2);
  agents[2]->ahead_ps = kTransfer;
  agents[2]->store(kX, 3);
  BOOST_TEST(agents[2]->took_ps == kL2 + kTransfer);
  BOOST_TEST(count(l2(), "waits") == 0u);
}

BOOST_AUTO_TEST_CASE(other_lines_do_not_wait_for_a_transfer) {
  build(3);
  agents[0]->store(kX, 1);
  agents[0]->store(kY, 1);
  agents[1]->store(kX, 2);
  agents[2]->store(kY, 3);
  BOOST_TEST(agents[2]->took_ps == kL2 + kTransfer);
}

BOOST_AUTO_TEST_CASE(a_request_for_a_line_on_its_way_from_memory_waits_for_it) {
  build(2);
  agents[0]->load(kX);
  agents[1]->now_ps = nullptr;  // at the same instant as the first
  agents[1]->load(kX);
  BOOST_TEST(agents[1]->took_ps >= kL2 + kBus + kRam);
  BOOST_TEST(count(l2(), "waits") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// Memory and bus that take no time, so that a fill can be faster than a transfer.
struct FastMemory : SimTest {
  memory::Memory ram{"ram", params()};
  Cache l2{"l2", CacheTest::params(1, 1, 64, 12, 20)};
  Cache l1a{"l1a", CacheTest::params(4, 4)}, l1b{"l1b", CacheTest::params(4, 4)};
  Agent a{"a", 0, l1a}, b{"b", 1, l1b};

  FastMemory() {
    bind_ports(l2.initiator("mem"), ram.target("in"));
    for (Agent* agent : {&a, &b}) {
      bind_ports({&agent->out, nullptr}, agent->l1().target("cpu"));
      bind_ports(agent->l1().initiator("mem"), l2.target("cpu"));
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  static memory::MemoryParams params() {
    memory::MemoryParams p = CacheTest::ram_params();
    p.latency = base::nanoseconds(0);
    return p;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_line_does_not_wait_for_the_transfer_of_the_line_whose_place_it_took, FastMemory) {
  a.store(kX, 1);
  b.store(kX, 2);  // in transfer until 32 ns
  a.load(kY);      // replaces X
  BOOST_TEST(a.took_ps == kL2);
  BOOST_TEST(CacheTest::count(l2, "waits") == 0u);
}

}  // namespace switchyard::test

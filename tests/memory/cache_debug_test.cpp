// SPDX-License-Identifier: Apache-2.0
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000;

/// Two pairs of agents below two second levels and a third; devices 0 to 2 at the bus, the third level, a first level.
struct DebugTest : CacheTest {
  Cache* l3 = nullptr;

  DebugTest() {
    l3 = &add_cache(params(64, 4, 128, 30, 60));
    for (int i = 0; i < 2; ++i) {
      Cache& l2 = add_cache(params(16, 2, 64, 12, 20), l3);
      for (int k = 0; k < 2; ++k) add_agent(add_cache(params(4, 2, 32), &l2));
    }
    add_device(bus.target("in"));
    add_device(l3->target("cpu"));
    add_device(agents[3]->l1().target("cpu"));
    start();
  }
  /// Everything that an access could leave behind.
  std::string traces() {
    std::string text = states(kX) + " " + states(kX + 64);
    for (const auto& cache : caches)
      for (const auto* counter : cache->stats().counters()) text += " " + std::to_string(counter->value());
    return text + " " + std::to_string(count(ram, "reads") + count(ram, "writes"));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(debug_access, DebugTest)

BOOST_AUTO_TEST_CASE(the_newest_copy_is_seen_wherever_it_is) {
  std::uint64_t newest = 0x1111;
  for (const auto& agent : agents) {
    agent->store(kX, ++newest);
    for (Device* device : {devices[1].get(), devices[2].get()}) BOOST_TEST(device->peek(kX) == newest);
    for (const auto& other : agents) BOOST_TEST(other->peek(kX) == newest);
  }
}

BOOST_AUTO_TEST_CASE(data_modified_in_a_lower_level_only_is_seen) {
  agents[0]->store(kX, 0x1111);
  agents[0]->load(kX + 128);
  agents[0]->load(kX + 256);  // X leaves the first level
  BOOST_TEST(agents[0]->state(kX) == LineState::invalid);
  for (const auto& agent : agents) BOOST_TEST(agent->peek(kX) == 0x1111u);
  BOOST_TEST(devices[1]->peek(kX) == 0x1111u);
  BOOST_TEST(in_ram(kX) == 0u);
}

BOOST_AUTO_TEST_CASE(a_read_over_several_lines_is_put_together_from_their_holders) {
  for (unsigned i = 0; i < 4; ++i) agents[i]->store(kX + 32 * i, 0x100 + i);
  std::uint64_t data[16] = {};
  BOOST_TEST(devices[1]->debug(tlm::TLM_READ_COMMAND, kX, data, 128) == 128u);
  for (unsigned i = 0; i < 4; ++i) BOOST_TEST(data[4 * i] == 0x100u + i);
  std::uint64_t across = 0;
  devices[2]->debug(tlm::TLM_READ_COMMAND, kX + 28, &across, 8);
  BOOST_TEST(across == std::uint64_t{0x101} << 32);
}

BOOST_AUTO_TEST_CASE(looking_takes_no_time_and_leaves_no_trace) {
  agents[0]->store(kX, 1);
  agents[1]->load(kX + 64);
  agents[2]->load(kX + 64);
  const std::string before = traces();
  for (const auto& agent : agents) agent->peek(kX);
  for (const auto& device : devices) device->peek(kX + 64);
  BOOST_TEST(traces() == before);
  BOOST_TEST(sim::to_ps(sc_core::sc_time_stamp()) == 0u);
}

BOOST_AUTO_TEST_CASE(looking_does_not_change_what_is_replaced_next) {
  Agent& agent = *agents[0];
  agent.load(kX);
  agent.load(kX + 128);
  agent.peek(kX);
  agent.load(kX + 256);  // two ways: the older one goes
  BOOST_TEST(agent.state(kX) == LineState::invalid);
  BOOST_TEST(agent.state(kX + 128) != LineState::invalid);
}

BOOST_AUTO_TEST_CASE(a_write_reaches_memory_and_every_copy) {
  agents[0]->load(kX);
  agents[2]->load(kX);
  agents[1]->store(kX + 32, 5);
  devices[2]->poke(kX, 0xaaaa);
  devices[1]->poke(kX + 32, 0xbbbb);
  check.wrote(kX, 0xaaaa, 8);
  check.wrote(kX + 32, 0xbbbb, 8);
  BOOST_TEST(in_ram(kX) == 0xaaaau);
  BOOST_TEST(in_ram(kX + 32) == 0xbbbbu);
  for (const auto& agent : agents) {
    BOOST_TEST(agent->load(kX) == 0xaaaau);
    BOOST_TEST(agent->load(kX + 32) == 0xbbbbu);
  }
}

BOOST_AUTO_TEST_CASE(a_write_over_the_edge_of_a_line_changes_just_its_bytes) {
  agents[0]->store(kX + 24, 0x1111111111111111);
  agents[3]->store(kX + 32, 0x2222222222222222);
  devices[1]->poke(kX + 28, 0xaaaaaaaabbbbbbbb);
  BOOST_TEST(agents[1]->peek(kX + 24) == 0xbbbbbbbb11111111u);
  BOOST_TEST(agents[1]->peek(kX + 32) == 0x22222222aaaaaaaau);
}

BOOST_AUTO_TEST_CASE(where_no_memory_is_nothing_is_done) {
  std::uint64_t value = 0x77;
  for (const auto& device : devices) BOOST_TEST(device->debug(tlm::TLM_READ_COMMAND, 0x200000, &value, 8) == 0u);
  BOOST_TEST(agents[0]->debug(tlm::TLM_WRITE_COMMAND, 0x200000, &value, 8) == 0u);
  BOOST_TEST(value == 0x77u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

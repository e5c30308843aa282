// SPDX-License-Identifier: Apache-2.0
// Plain transactions (a DMA engine's, or a CPU's to a device) through caches.
#include "base/random.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000;

/// Two agents; devices 0 to 2 at the bus, the second level, and agent 0's first level.
struct PlainTest : CacheTest {
  void build_plain(const CacheParams& l1 = params(16, 4), const CacheParams& below = l2_params()) {
    Cache& l2 = add_cache(below);
    for (int i = 0; i < 2; ++i) add_agent(add_cache(l1, &l2));
    add_device(bus.target("in"));
    add_device(l2.target("cpu"));
    add_device(agents[0]->l1().target("cpu"));
    start();
  }
  Device& at_l2() { return *devices[1]; }
  Device& at_l1() { return *devices[2]; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plain_access, PlainTest)

BOOST_AUTO_TEST_CASE(a_read_sees_a_line_that_is_modified_in_any_first_level) {
  build_plain();
  agents[0]->store(kX, 0x1111);
  agents[1]->store(kX + 64, 0x2222);
  for (Device* device : {&at_l2(), &at_l1()}) {
    BOOST_TEST(device->read(kX) == 0x1111u);
    BOOST_TEST(device->read(kX + 64) == 0x2222u);
  }
}

BOOST_AUTO_TEST_CASE(a_read_sees_a_line_that_is_modified_in_the_second_level_only) {
  build_plain(params(1, 1));
  agents[0]->store(kX, 0x1111);
  agents[0]->load(0x2000);
  BOOST_TEST(at_l2().read(kX) == 0x1111u);
}

BOOST_AUTO_TEST_CASE(a_write_removes_every_copy_and_is_seen_by_the_next_read) {
  build_plain();
  std::uint64_t value = 0x1111;
  for (Device* device : {&at_l2(), &at_l1()}) {
    agents[0]->load(kX);
    agents[1]->load(kX);
    device->write(kX, ++value);
    BOOST_TEST(states(kX) == "II");
    BOOST_TEST(in_ram(kX) == value);
    BOOST_TEST(agents[1]->load(kX) == value);
    BOOST_TEST(agents[0]->load(kX) == value);
  }
}

BOOST_AUTO_TEST_CASE(a_write_of_part_of_a_modified_line_keeps_the_rest) {
  build_plain();
  agents[1]->store(kX, 0x1111);
  agents[1]->store(kX + 8, 0x2222);
  at_l2().write(kX + 12, 0xabcd, 4);
  BOOST_TEST(agents[0]->load(kX) == 0x1111u);
  BOOST_TEST(agents[0]->load(kX + 8) == 0x0000abcd'00002222u);
}

BOOST_AUTO_TEST_CASE(the_cpus_go_on_coherently_after_a_plain_read) {
  build_plain();
  for (Device* device : {&at_l2(), &at_l1()}) {
    agents[0]->store(kX, 1);
    device->read(kX);
    agents[0]->store(kX, 2);
    BOOST_TEST(agents[1]->load(kX) == 2u);
    agents[1]->store(kX, 3);
    BOOST_TEST(agents[0]->load(kX) == 3u);
  }
}

BOOST_AUTO_TEST_CASE(a_line_read_by_a_device_at_the_first_level_is_not_lost_when_it_is_written_and_replaced) {
  build_plain(params(1, 1));
  agents[0]->store(kX, 1);
  at_l1().read(kX);
  agents[0]->store(kX, 2);
  agents[0]->load(0x2000);
  BOOST_TEST(agents[1]->load(kX) == 2u);
}

BOOST_AUTO_TEST_CASE(an_unaligned_access_over_several_lines_is_coherent_in_all_of_them) {
  build_plain();
  for (unsigned i = 0; i < 4; ++i) agents[i % 2]->store(kX + 64 * i, 0x100 + i);
  std::uint64_t data[25] = {};
  BOOST_TEST(at_l2().transport(tlm::TLM_READ_COMMAND, kX, data, 25 * 8) == tlm::TLM_OK_RESPONSE);
  for (unsigned i = 0; i < 4; ++i) BOOST_TEST(data[8 * i] == 0x100u + i);
  BOOST_TEST(at_l2().transport(tlm::TLM_WRITE_COMMAND, kX + 60, data, 8) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(states(kX) == "II");
  BOOST_TEST(states(kX + 64) == "II");
  BOOST_TEST(states(kX + 128) != "II");
}

BOOST_AUTO_TEST_CASE(a_plain_access_pays_for_bus_and_memory) {
  build_plain();
  agents[0]->store(kX, 1);
  at_l2().read(kX);
  BOOST_TEST(at_l2().took_ps == kBus + kRam);
}

BOOST_AUTO_TEST_CASE(a_plain_access_to_a_hole_is_an_address_error) {
  build_plain();
  std::uint64_t value = 0;
  for (Device* device : {&at_l2(), &at_l1()})
    BOOST_TEST(device->transport(tlm::TLM_READ_COMMAND, 0x200000, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_CASE(what_a_device_writes_through_a_cache_is_no_violation_of_coherence) {
  build_plain();
  for (Device* device : {&at_l2(), &at_l1()}) {
    agents[0]->store(kX, 1);
    agents[0]->store(kX + 8, 2);
    device->write(kX + 4, 0x0506070801020304);  // over both words
    BOOST_TEST(agents[1]->load(kX) == 0x01020304'00000001u);
    BOOST_TEST(agents[1]->load(kX + 8) == 0x00000000'05060708u);
  }
}

BOOST_AUTO_TEST_CASE(devices_and_cpus_at_all_levels_agree_on_random_sequences) {
  build_plain(params(4, 2, 16), params(8, 2, 64, 12, 20));
  base::RandomStream random(7, "dma");
  std::vector<std::uint64_t> expected(128);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t word = random.below(128), value = random.next();
    const Address pa = word * 8;
    const unsigned who = static_cast<unsigned>(random.below(4));
    Device& device = who == 2 ? at_l2() : at_l1();
    if (random.below(2) == 0) {
      BOOST_TEST_REQUIRE((who < 2 ? agents[who]->load(pa) : device.read(pa)) == expected[word]);
      continue;
    }
    expected[word] = value;
    if (who < 2)
      agents[who]->store(pa, value);
    else
      device.write(pa, value);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "memory/interconnect.h"

#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

using memory::DirectoryFabric;
using memory::InterconnectParams;
using memory::SnoopBus;

constexpr std::uint64_t kNs = 1000, kNear = 100 * kNs, kFar = 160 * kNs, kAddress = 8 * kNs, kBeat = 4 * kNs;
constexpr std::uint64_t kData = 8 * kBeat;  // 64 bytes, 8 a beat
constexpr std::uint64_t kMemory = 30 * kNs + CacheTest::kBus + CacheTest::kRam;
constexpr Address kLine = 0x1000, kOther = 0x2000;

InterconnectParams fabric_params(std::uint64_t caches_per_bus = 2) {
  InterconnectParams p;
  p.caches_per_bus = caches_per_bus;
  p.transfer.latency = base::nanoseconds(caches_per_bus == 0 ? 100 : 160);
  p.transfer.same_bus_saves = base::nanoseconds(60);
  p.memory = base::nanoseconds(30);
  p.address = base::nanoseconds(8);
  p.beat = base::nanoseconds(4);
  return p;
}

/// Four agents with a cache each, two on a bus.
template <class Fabric>
struct Four : CacheTest {
  Fabric fabric;
  explicit Four(const InterconnectParams& params = fabric_params(), unsigned agents_wanted = 4)
      : fabric("fabric", params) {
    bind_ports(fabric.initiator("mem"), bus.target("in"));
    bottom = [this] { return fabric.target("cpu"); };
    for (unsigned i = 0; i < agents_wanted; ++i) add_agent(add_cache(CacheTest::params(16, 4)));
    add_device(bus.target("in"));
  }
  void begin() {
    start();
    BOOST_TEST_REQUIRE(fabric.check_wiring() == "");
    fabric.set_check(&check);
    for (const auto& agent : agents) agent->now_ps = nullptr;
  }
  Agent& at(unsigned i) { return *agents[i]; }
  /// The time of one access that starts `after` the instant at which everything happens.
  std::uint64_t load_ps(unsigned i, Address pa, std::uint64_t after = kLater) {
    at(i).ahead_ps = after;
    at(i).load(pa);
    return at(i).took_ps;
  }
  std::uint64_t store_ps(unsigned i, Address pa, std::uint64_t after = kLater) {
    at(i).ahead_ps = after;
    at(i).store(pa, after + i);
    return at(i).took_ps;
  }
  static constexpr std::uint64_t kLater = 1'000'000 * kNs;  ///< far from what came before
};

/// A test case for each type of interconnect, which its body knows as Fabric.
#define ON_BOTH_FABRICS(name)                                          \
  template <class Fabric>                                              \
  void name();                                                         \
  BOOST_AUTO_TEST_CASE(name##__bus) { name<SnoopBus>(); }              \
  BOOST_AUTO_TEST_CASE(name##__directory) { name<DirectoryFabric>(); } \
  template <class Fabric>                                              \
  void name()

}  // namespace

BOOST_AUTO_TEST_SUITE(interconnect)

ON_BOTH_FABRICS(a_line_that_nobody_has_comes_from_memory_and_is_exclusive) {
  Four<Fabric> t;
  t.begin();
  BOOST_TEST(t.load_ps(0, kLine) == kMemory);
  BOOST_TEST(t.states(kLine) == "EIII");
  BOOST_TEST(t.at(0).spent.memory == kMemory);
  BOOST_TEST(t.at(0).spent.coherence == 0u);
}

ON_BOTH_FABRICS(a_modified_line_comes_from_its_owner_at_the_distance_and_reaches_memory) {
  Four<Fabric> t;
  t.begin();
  t.store_ps(0, kLine);
  BOOST_TEST(t.load_ps(1, kLine, 2 * t.kLater) == kNear);
  BOOST_TEST(t.at(1).spent.coherence == kNear);
  BOOST_TEST(t.states(kLine) == "SSII");
  BOOST_TEST(t.in_ram(kLine) == t.kLater);
  t.store_ps(0, kOther, 3 * t.kLater);
  BOOST_TEST(t.load_ps(3, kOther, 4 * t.kLater) == kFar);
}

ON_BOTH_FABRICS(a_writer_takes_every_copy_and_memory_stays_old) {
  Four<Fabric> t;
  t.begin();
  t.store_ps(0, kLine);
  BOOST_TEST(t.store_ps(2, kLine, 2 * t.kLater) == kFar);
  BOOST_TEST(t.states(kLine) == "IIMI");
  BOOST_TEST(t.in_ram(kLine) == 0u);
  BOOST_TEST(t.load_ps(3, kLine, 3 * t.kLater) == kNear);
  BOOST_TEST(t.load_ps(0, kLine, 4 * t.kLater) == kMemory);  // clean now: memory supplies
  BOOST_TEST(t.states(kLine) == "SISS");
  t.store_ps(3, kLine, 5 * t.kLater);
  BOOST_TEST(t.states(kLine) == "IIIM");
}

ON_BOTH_FABRICS(permission_to_write_costs_the_distance_without_a_beat) {
  Four<Fabric> t;
  t.begin();
  t.store_ps(0, kLine);
  t.load_ps(1, kLine, 2 * t.kLater);
  // A bus shows the request to both buses; a directory asks only the one neighbour that has a copy.
  const std::uint64_t distance = std::is_same_v<Fabric, SnoopBus> ? kFar : kNear;
  BOOST_TEST(t.store_ps(1, kLine, 3 * t.kLater) == distance - kBeat);
  BOOST_TEST(t.count(t.fabric, "upgrades") == 1u);
}

ON_BOTH_FABRICS(requests_for_one_line_are_served_in_order_whole_transfers_apart) {
  Four<Fabric> t(fabric_params(0));
  t.begin();
  t.store_ps(0, kLine);
  const std::uint64_t start = 2 * t.kLater;
  BOOST_TEST(t.store_ps(1, kLine, start) == kNear);
  BOOST_TEST(t.store_ps(2, kLine, start) == 2 * kNear);
  BOOST_TEST(t.store_ps(3, kLine, start + 10 * kNs) == 3 * kNear - 10 * kNs);
  BOOST_TEST(t.count(t.fabric, "line_waits") == 2u);
  BOOST_TEST(t.count(t.fabric, "line_wait_time") == (kNear - kAddress - kData) + (2 * kNear - 2 * kAddress - kData));
}

ON_BOTH_FABRICS(a_request_that_waits_has_its_snoop_behind_it) {
  InterconnectParams params = fabric_params(0);
  params.transfer.snoop = base::nanoseconds(40);
  Four<Fabric> t(params);
  t.begin();
  t.store_ps(0, kLine);
  const std::uint64_t start = 2 * t.kLater;
  BOOST_TEST(t.store_ps(1, kLine, start) == kNear);
  BOOST_TEST(t.store_ps(2, kLine, start) == 2 * kNear - 40 * kNs);
}

ON_BOTH_FABRICS(readers_of_what_memory_supplies_wait_for_each_other_or_not) {
  for (const auto order : {memory::LineOrder::requests, memory::LineOrder::transfers}) {
    InterconnectParams params = fabric_params(0);
    params.line_order = order;
    Four<Fabric> t(params);
    t.begin();
    t.store_ps(0, kLine);
    t.load_ps(1, kLine, 2 * t.kLater);  // clean now
    const std::uint64_t start = 3 * t.kLater,
                        behind = order == memory::LineOrder::requests ? kMemory : kAddress + kData;
    BOOST_TEST(t.load_ps(2, kLine, start) == kMemory);
    BOOST_TEST(t.load_ps(3, kLine, start) == kMemory + behind);
  }
}

ON_BOTH_FABRICS(a_modified_line_migrates_to_its_reader_where_the_machine_does_that) {
  InterconnectParams params = fabric_params(0);
  params.dirty_read = memory::DirtyRead::migrates;
  Four<Fabric> t(params);
  t.begin();
  t.store_ps(0, kLine);
  BOOST_TEST(t.load_ps(1, kLine, 2 * t.kLater) == kNear);
  BOOST_TEST(t.states(kLine) == "IMII");
  BOOST_TEST(t.in_ram(kLine) == 0u);
  t.store_ps(1, kLine, 3 * t.kLater);
  BOOST_TEST(t.count(t.fabric, "upgrades") == 0u);
}

ON_BOTH_FABRICS(a_bus_carries_one_thing_at_a_time) {
  Four<Fabric> t(fabric_params(0));
  t.begin();
  t.store_ps(0, kLine);
  t.store_ps(0, kOther, 2 * t.kLater);
  const std::uint64_t start = 3 * t.kLater;
  BOOST_TEST(t.load_ps(1, kLine, start) == kNear);
  BOOST_TEST(t.load_ps(2, kOther, start) == kNear + kAddress + kData);
  BOOST_TEST(t.count(t.fabric, "bus_time") == 4 * (kAddress + kData));
}

ON_BOTH_FABRICS(a_request_that_waits_for_its_line_leaves_the_bus_to_others) {
  Four<Fabric> t(fabric_params(0));
  t.begin();
  t.store_ps(0, kLine);
  t.store_ps(0, kOther, 2 * t.kLater);
  const std::uint64_t start = 3 * t.kLater;
  t.store_ps(1, kLine, start);
  t.store_ps(2, kLine, start);  // its address phase follows, its beats come a whole transfer later
  BOOST_TEST(t.load_ps(3, kOther, start + 2 * kAddress + kData) == kNear);
}

BOOST_AUTO_TEST_CASE(a_snooping_bus_shows_each_request_to_every_bus) {
  Four<SnoopBus> t;
  t.begin();
  t.store_ps(0, kLine);
  t.load_ps(1, kLine, 2 * t.kLater);
  BOOST_TEST(t.count(t.fabric, "bus_time") == 2 * (2 * kAddress + kData));
}

BOOST_AUTO_TEST_CASE(a_directory_occupies_only_the_buses_of_requester_and_owner) {
  Four<DirectoryFabric> t;
  t.begin();
  t.store_ps(0, kLine);
  t.load_ps(1, kLine, 2 * t.kLater);
  BOOST_TEST(t.count(t.fabric, "bus_time") == 2 * (kAddress + kData));
}

ON_BOTH_FABRICS(a_clean_line_comes_from_another_cache_where_the_machine_does_that) {
  InterconnectParams params = fabric_params(0);
  params.forward_clean = true;
  Four<Fabric> t(params);
  t.begin();
  t.load_ps(0, kLine);
  BOOST_TEST(t.load_ps(1, kLine, 2 * t.kLater) == kNear);
  BOOST_TEST(t.at(1).spent.memory == 0u);
  BOOST_TEST(t.count(t.fabric, "transfers") == 1u);
}

ON_BOTH_FABRICS(a_replaced_modified_line_reaches_memory) {
  Four<Fabric> t;
  t.begin();
  for (unsigned way = 0; way < 5; ++way) t.store_ps(0, kLine + way * 0x100, way * t.kLater);  // one set of four ways
  BOOST_TEST(t.in_ram(kLine + 0x100) == 0u);
  BOOST_TEST(t.count(t.fabric, "writebacks") == 1u);
  BOOST_TEST(t.load_ps(1, kLine, 9 * t.kLater) == kMemory);
}

ON_BOTH_FABRICS(debug_reads_and_plain_accesses_see_the_newest_copy) {
  Four<Fabric> t;
  Device& device = t.add_device(t.fabric.target("cpu"));
  t.begin();
  t.at(2).store(kLine, 0x1234);
  BOOST_TEST(t.at(0).peek(kLine) == 0x1234u);
  BOOST_TEST(device.peek(kLine) == 0x1234u);
  BOOST_TEST(t.states(kLine) == "IIMI");
  BOOST_TEST(device.read(kLine) == 0x1234u);
  BOOST_TEST(t.states(kLine) == "IISI");
  t.at(2).store(kLine + 8, 0x99);
  device.write(kLine, 0x55, 1);
  BOOST_TEST(t.states(kLine) == "IIII");
  BOOST_TEST(t.at(1).load(kLine) == 0x1255u);
  BOOST_TEST(t.at(1).load(kLine + 8) == 0x99u);
}

ON_BOTH_FABRICS(a_request_for_a_copy_that_nobody_could_snoop_is_refused) {
  Four<Fabric> t;
  Device& device = t.add_device(t.fabric.target("cpu"));
  t.begin();
  CoherenceExtension ext;
  ext.request = Coherence::read_shared;
  std::uint64_t value = 0;
  tlm::tlm_generic_payload tx;
  Device::fill(tx, tlm::TLM_READ_COMMAND, kLine, &value, 8);
  tx.set_extension(&ext);
  sc_core::sc_time delay;
  device.out->b_transport(tx, delay);
  BOOST_TEST(tx.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  tx.clear_extension(&ext);
}

ON_BOTH_FABRICS(an_address_that_the_bus_refuses_is_an_error_and_leaves_no_copy) {
  Four<Fabric> t;
  t.begin();
  t.at(0).load(0x10000000);
  BOOST_TEST(t.at(0).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(t.states(0x10000000) == "IIII");
}

BOOST_AUTO_TEST_CASE(caches_with_different_lines_are_refused_with_both_sizes) {
  Four<SnoopBus> t;
  t.add_agent(t.add_cache(CacheTest::params(16, 4, 128)));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::string error = t.fabric.check_wiring();
  BOOST_TEST(error.find("128 B") != std::string::npos, error);
  BOOST_TEST(error.find("64 B") != std::string::npos, error);
}

BOOST_AUTO_TEST_CASE(a_transfer_shorter_than_its_phases_is_refused) {
  InterconnectParams params = fabric_params(0);
  params.transfer.latency = base::nanoseconds(11);  // 8 ns address, a beat of 4 ns
  Four<SnoopBus> t(params);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BOOST_TEST(t.fabric.check_wiring().find("12000 ps") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(times_in_cycles_are_refused) {
  InterconnectParams params;
  params.beat = base::cycles(2);
  BOOST_TEST(params.check().find("must be times") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

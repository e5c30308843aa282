// SPDX-License-Identifier: Apache-2.0
#include "memory/bus.h"

#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

memory::MemoryParams ram_at(Address base, std::uint64_t latency_ns) {
  memory::MemoryParams p;
  p.base = base;
  p.size = base::kib(4);
  p.latency = base::nanoseconds(latency_ns);
  return p;
}

/// Two memories with a hole between them, two devices.
struct BusTest : SimTest {
  memory::Bus bus{"bus", CacheTest::bus_params()};
  memory::Memory low{"low", ram_at(0x1000, 100)}, high{"high", ram_at(0x3000, 50)};
  Device a{"a"}, b{"b"};

  BusTest() {
    attach(low, low.address_range());
    attach(high, high.address_range());
    bind_ports({&a.out, nullptr}, bus.target("in"));
    bind_ports({&b.out, nullptr}, bus.target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void attach(Module& target, AddressRange range) {
    bind_ports(bus.initiator("out"), target.target("in"));
    bus.route("out", range);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(address_bus, BusTest)

BOOST_AUTO_TEST_CASE(an_address_reaches_its_target_unchanged_from_every_initiator) {
  a.write(0x1008, 1);
  b.write(0x3ff8, 2);
  BOOST_TEST(b.read(0x1008) == 1u);
  BOOST_TEST(a.read(0x3ff8) == 2u);
  BOOST_TEST(CacheTest::count(low, "writes") == 1u);
  BOOST_TEST(CacheTest::count(bus, "transactions") == 4u);
}

BOOST_AUTO_TEST_CASE(the_latency_is_added_to_that_of_the_target) {
  a.read(0x1000);
  BOOST_TEST(a.took_ps == 110'000u);
  a.read(0x3000);
  BOOST_TEST(a.took_ps == 60'000u);
}

BOOST_AUTO_TEST_CASE(an_address_that_nobody_claims_gets_an_address_error) {
  std::uint64_t value = 0;
  for (const Address pa : {Address{0}, Address{0xfff}, Address{0x2000}, Address{0x4000}, ~Address{0}})
    BOOST_TEST(a.transport(tlm::TLM_READ_COMMAND, pa, &value, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(CacheTest::count(bus, "unclaimed") == 5u);
  BOOST_TEST(a.debug(tlm::TLM_READ_COMMAND, 0x2000, &value, 8) == 0u);
}

BOOST_AUTO_TEST_CASE(an_access_that_leaves_its_target_is_an_address_error) {
  std::uint64_t value = 0;
  BOOST_TEST(a.transport(tlm::TLM_WRITE_COMMAND, 0x1ffc, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_CASE(debug_accesses_are_routed_and_not_counted) {
  a.poke(0x3000, 5);
  BOOST_TEST(b.peek(0x3000) == 5u);
  BOOST_TEST(CacheTest::count(bus, "transactions") == 0u);
}

BOOST_AUTO_TEST_CASE(nonblocking_requests_are_completed_at_once) {
  std::uint64_t value = 9;
  tlm::tlm_generic_payload tx;
  Device::fill(tx, tlm::TLM_WRITE_COMMAND, 0x1000, &value, 8);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  BOOST_TEST(a.out->nb_transport_fw(tx, phase, delay) == tlm::TLM_COMPLETED);
  BOOST_TEST(a.peek(0x1000) == 9u);
  BOOST_TEST(sim::to_ps(delay) == 110'000u);
}

BOOST_AUTO_TEST_CASE(neighbouring_targets_are_well_wired) { BOOST_TEST(bus.check_wiring() == ""); }

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(bus_wiring)

BOOST_AUTO_TEST_CASE(overlapping_targets_are_refused_with_both_ranges) {
  struct Case {
    AddressRange first, second;
    const char* text;
  };
  const Case cases[] = {
      {{0x1000, 0x1000}, {0x1fff, 0x10}, "targets on port out overlap: 0x1000 + 0x1000 and 0x1fff + 0x10"},
      {{0x1000, 0x1000}, {0x800, 0x801}, "targets on port out overlap: 0x1000 + 0x1000 and 0x800 + 0x801"},
      {{0x1000, 0x1000}, {0x1000, 0x1000}, "targets on port out overlap: 0x1000 + 0x1000 and 0x1000 + 0x1000"},
      {{0x1400, 0x10}, {0x1000, 0x1000}, "targets on port out overlap: 0x1400 + 0x10 and 0x1000 + 0x1000"},
      {{0x1000, 0x1000}, {0x2000, 0x1000}, ""},
      {{0xfffffffffffff000, 0x1000}, {0, 0x1000}, ""}};
  for (const Case& c : cases) {
    SimTest fresh;
    memory::Bus bus("bus", {});
    for (const AddressRange range : {c.first, c.second}) {
      bus.initiator("out");
      bus.route("out", range);
    }
    BOOST_TEST(bus.check_wiring() == c.text);
  }
}

BOOST_FIXTURE_TEST_CASE(a_target_without_addresses_is_refused, SimTest) {
  memory::Bus bus("bus", {});
  bus.initiator("out");
  BOOST_TEST(bus.check_wiring() == "target 0 on port out has no address range");
}

BOOST_AUTO_TEST_CASE(a_latency_in_cycles_is_refused_because_a_bus_has_no_clock) {
  memory::BusParams p;
  BOOST_TEST(p.check() == "");
  p.latency = base::cycles(2);
  BOOST_TEST(p.check() == "latency must be a time such as `10 ns`, not cycles");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

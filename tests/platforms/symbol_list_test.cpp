// SPDX-License-Identifier: Apache-2.0
#include "platforms/symbol_list.h"

#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

struct GranuleTest : PlatformTest {
  /// The granule of hart 0 with these wires.
  platforms::CoherenceGranule granule(const std::string& wires) const {
    const std::string text =
        "schema: 1\n"
        "modules:\n"
        "  hart: {type: cpu, count: 2, params: {clock: 1 GHz}}\n"
        "  big: {type: cache, params: {size: 32 KiB, line: 128 B}}\n"
        "  small: {type: cache, params: {size: 32 KiB, line: 32 B}}\n"
        "  bus: {type: bus}\n"
        "  ram: {type: memory, params: {base: 0x80000000, size: 1 GiB}}\n"
        "wires:\n";
    return find_granule(load({write("machine.yaml", text + wires)})->config, "hart");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(symbol_list, GranuleTest)

BOOST_AUTO_TEST_CASE(the_cache_of_hart_0_decides) {
  const auto found =
      granule("  - {from: \"hart[1].data\", to: small.cpu}\n  - {from: \"hart[0].data\", to: big.cpu}\n");
  BOOST_TEST(found.bytes == 128u);
  BOOST_TEST(found.cache == "big");
}

BOOST_AUTO_TEST_CASE(the_first_cache_on_the_way_decides) {
  const auto found = granule(
      "  - {from: \"hart[*].data\", to: bus.in}\n  - {from: bus.out, to: small.cpu}\n  - {from: small.mem, to: "
      "big.cpu}\n");
  BOOST_TEST(found.bytes == 32u);
  BOOST_TEST(found.cache == "small");
}

BOOST_AUTO_TEST_CASE(a_machine_without_a_cache_has_no_granule) {
  BOOST_TEST(granule("  - {from: \"hart[*].data\", to: bus.in}\n  - {from: bus.out, to: ram.in}\n").bytes == 0u);
}

BOOST_AUTO_TEST_CASE(a_loop_of_wires_ends) {
  BOOST_TEST(granule("  - {from: \"hart[*].data\", to: bus.in}\n  - {from: bus.out, to: bus.in}\n").bytes == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

struct WiringTest : PlatformTest {
  /// What is refused when this wire is added to the machine; it is wires[7] on line 17.
  std::string added(const std::string& from, const std::string& to) const {
    return refusal(kModules + kWires + "  - {from: \"" + from + "\", to: \"" + to + "\"}\n");
  }
  static std::string without(const std::string& wire) {
    std::string text = kMachine;
    const std::size_t at = text.find(wire);
    BOOST_TEST_REQUIRE(at != std::string::npos);
    const std::size_t start = text.rfind('\n', at) + 1;
    return text.erase(start, text.find('\n', at) + 1 - start);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wiring, WiringTest)

BOOST_AUTO_TEST_CASE(the_small_machine_is_wired_completely) { BOOST_TEST(refusal(kMachine) == "nothing was refused"); }

BOOST_AUTO_TEST_CASE(a_part_of_an_array_can_be_wired) {
  std::string text = without("hart[*].data");
  text.insert(
      text.find("  - {from: \"l1[*].mem"),
      "  - {from: \"hart[0..0].data\", to: \"l1[0..0].cpu\"}\n  - {from: \"hart[1].data\", to: \"l1[1..1].cpu\"}\n");
  BOOST_TEST(refusal(text) == "nothing was refused");
}

BOOST_AUTO_TEST_CASE(a_part_of_an_array_has_an_end_that_exists_and_does_not_come_first) {
  BOOST_TEST(added("clint.msip", "hart[0..2].ssip") == "machine.yaml:17: wires[7].to: index 2 is beyond hart[1]");
  BOOST_TEST(added("clint.msip", "hart[1..0].ssip") ==
             "machine.yaml:17: wires[7].to: 'hart[1..0].ssip' counts down: 1 is behind 0");
}

BOOST_AUTO_TEST_CASE(an_unknown_module_is_refused_with_the_nearest_name) {
  BOOST_TEST(added("clnt.msip", "hart[*].ssip") ==
             "machine.yaml:17: wires[7].from: unknown module 'clnt'; did you mean clint? allowed: hart, l1, l2, bus, "
             "ram, clint");
}

BOOST_AUTO_TEST_CASE(an_unknown_module_like_no_other_is_refused_with_all_names) {
  BOOST_TEST(added("clint.msip", "processor.ssip") ==
             "machine.yaml:17: wires[7].to: unknown module 'processor'; allowed: hart, l1, l2, bus, ram, clint");
}

BOOST_AUTO_TEST_CASE(an_unknown_port_is_refused_with_the_nearest_name) {
  BOOST_TEST(added("clint.msip", "hart[0].sip") ==
             "machine.yaml:17: wires[7].to: 'hart' has no port 'sip'; did you mean msip? allowed: data, msip, mtip, "
             "ssip, seip");
}

BOOST_AUTO_TEST_CASE(an_index_beyond_the_array_is_refused) {
  BOOST_TEST(added("clint.msip", "hart[2].ssip") == "machine.yaml:17: wires[7].to: index 2 is beyond hart[1]");
}

BOOST_AUTO_TEST_CASE(an_array_without_an_index_is_refused) {
  BOOST_TEST(added("clint.msip", "hart.ssip") ==
             "machine.yaml:17: wires[7].to: 'hart' is an array of 2; write hart[*] or hart[0]");
}

BOOST_AUTO_TEST_CASE(a_single_module_with_an_index_is_refused) {
  BOOST_TEST(added("clint[0].msip", "hart[*].ssip") ==
             "machine.yaml:17: wires[7].from: 'clint' is a single module; write it without an index");
}

BOOST_AUTO_TEST_CASE(a_wire_that_starts_at_a_target_is_refused) {
  BOOST_TEST(
      added("l2.cpu", "l1[0].mem") ==
      "machine.yaml:17: wires[7].from: l2.cpu is a target; a wire starts at an initiator or an interrupt output");
}

BOOST_AUTO_TEST_CASE(a_wire_that_starts_at_an_interrupt_input_is_refused) {
  BOOST_TEST(added("hart[0].msip", "clint.msip") ==
             "machine.yaml:17: wires[7].from: hart[0].msip is an interrupt input; a wire starts at an initiator or an "
             "interrupt output");
}

BOOST_AUTO_TEST_CASE(an_interrupt_into_a_memory_port_is_refused) {
  BOOST_TEST(added("clint.msip", "l2.cpu") ==
             "machine.yaml:17: wires[7].to: l2.cpu is a target; clint.msip needs an interrupt input");
}

BOOST_AUTO_TEST_CASE(a_memory_port_into_an_interrupt_is_refused) {
  BOOST_TEST(added("bus.out", "hart[0].ssip") ==
             "machine.yaml:17: wires[7].to: hart[0].ssip is an interrupt input; bus.out needs a target");
}

BOOST_AUTO_TEST_CASE(two_initiators_are_refused) {
  BOOST_TEST(added("bus.out", "l2.mem") ==
             "machine.yaml:17: wires[7].to: l2.mem is an initiator; bus.out needs a target");
}

BOOST_AUTO_TEST_CASE(text_that_is_no_port_is_refused) {
  for (const char* text : {"clint", "clint.", ".msip", "clint.msip.x", "clint[].msip", "clint[-1].msip", "a b.c", ""})
    BOOST_TEST(added(text, "hart[*].ssip") ==
               "machine.yaml:17: wires[7].from: '" + std::string(text) +
                   "' is no port; expected module.port, module[2].port, module[0..2].port or module[*].port");
}

BOOST_AUTO_TEST_CASE(arrays_of_unequal_sizes_are_refused) {
  std::string text = kMachine;
  text.replace(text.find("l1: {type: cache, count: 2"), 26, "l1: {type: cache, count: 3");
  BOOST_TEST(refusal(text) ==
             "machine.yaml:3: modules.hart: port hart[0].data is not wired\n"
             "machine.yaml:10: wires[0]: pairs 2 modules with 3");
}

BOOST_AUTO_TEST_CASE(a_port_wired_twice_is_refused) {
  BOOST_TEST(added("hart[1].data", "l2.cpu") ==
             "machine.yaml:17: wires[7]: hart[1].data is wired already and takes one wire");
}

BOOST_AUTO_TEST_CASE(an_interrupt_input_wired_twice_is_refused) {
  BOOST_TEST(added("clint.mtip", "hart[0].msip") ==
             "machine.yaml:17: wires[7]: hart[0].msip is wired already and takes one wire");
}

BOOST_AUTO_TEST_CASE(one_port_spread_over_an_array_is_refused_once) {
  std::string text = without("l1[*].mem");
  text.replace(text.find("l1: {type: cache, count: 2"), 26, "l1: {type: cache, count: 4");
  text.replace(text.find("hart[*].data\", to: \"l1[*]"), 25, "hart[0].data\", to: \"l1[*]");
  const std::string error = refusal(text);
  const std::string line = "wires[0]: hart[0].data is wired already and takes one wire";
  BOOST_TEST(error.find(line) != std::string::npos);
  BOOST_TEST(error.find(line) == error.rfind(line));
}

BOOST_AUTO_TEST_CASE(a_required_port_without_a_wire_is_refused_once_per_array) {
  BOOST_TEST(refusal(without("hart[*].data")) == "machine.yaml:3: modules.hart: port hart[0].data is not wired");
}

BOOST_AUTO_TEST_CASE(the_first_module_of_an_array_that_lacks_a_wire_is_named) {
  std::string text = kMachine;
  text.replace(text.find("hart[*].data\", to: \"l1[*]"), 25, "hart[0].data\", to: \"l1[0]");
  BOOST_TEST(refusal(text) == "machine.yaml:3: modules.hart: port hart[1].data is not wired");
}

BOOST_AUTO_TEST_CASE(all_wrong_wires_are_reported_in_one_go) {
  BOOST_TEST(refusal(kModules + kWires +
                     "  - {from: nobody.out, to: nothing.in}\n"
                     "  - {from: bus.out, to: l2.mem}\n"
                     "  - {from: \"hart[7].data\", to: l2.cpu}\n") ==
             "machine.yaml:17: wires[7].from: unknown module 'nobody'; allowed: hart, l1, l2, bus, ram, clint\n"
             "machine.yaml:17: wires[7].to: unknown module 'nothing'; allowed: hart, l1, l2, bus, ram, clint\n"
             "machine.yaml:18: wires[8].to: l2.mem is an initiator; bus.out needs a target\n"
             "machine.yaml:19: wires[9].from: index 7 is beyond hart[1]");
}

BOOST_AUTO_TEST_CASE(a_wire_from_the_command_line_is_named_as_such) {
  const std::string file = write("machine.yaml", kMachine);
  BOOST_TEST(error_of([&] {
               const SimTest context;
               elaborate_only(*load({file}, {"wires[2].to=buss.in"}));
             }).starts_with("--set: wires[2].to: unknown module 'buss'; did you mean bus?"));
}

BOOST_AUTO_TEST_CASE(interrupt_wires_in_another_order_than_the_harts_are_refused) {
  for (const std::string port : {"msip", "mtip"}) {
    std::string text = kMachine;
    const std::string all = "  - {from: clint." + port + ", to: \"hart[*]." + port + "\"}\n";
    const std::size_t at = text.find(all);
    BOOST_TEST_REQUIRE(at != std::string::npos);
    const auto to = [&](unsigned hart) {
      return "  - {from: clint." + port + ", to: \"hart[" + std::to_string(hart) + "]." + port + "\"}\n";
    };
    const std::string in_order = to(0) + to(1), swapped = to(1) + to(0);
    BOOST_TEST(refusal(std::string(text).replace(at, all.size(), in_order)) == "nothing was refused");
    const std::string where = port == "msip" ? "machine.yaml:15: wires[5]" : "machine.yaml:16: wires[6]";
    const std::string then = port == "msip" ? "machine.yaml:16: wires[6]" : "machine.yaml:17: wires[7]";
    BOOST_TEST(refusal(std::string(text).replace(at, all.size(), swapped)) ==
               where + ": wire 0 of clint." + port +
                   " interrupts hart 0, but leads to hart[1], which is hart 1; wire the harts in their order\n" + then +
                   ": wire 1 of clint." + port +
                   " interrupts hart 1, but leads to hart[0], which is hart 0; wire the harts in their order");
  }
}

BOOST_AUTO_TEST_CASE(an_interrupt_device_that_leaves_out_a_hart_is_refused_at_the_first_wrong_wire) {
  std::string text = kMachine;
  const std::string all = "  - {from: clint.msip, to: \"hart[*].msip\"}\n";
  text.replace(text.find(all), all.size(), "  - {from: clint.msip, to: \"hart[1].msip\"}\n");
  BOOST_TEST(
      refusal(text).starts_with("machine.yaml:15: wires[5]: wire 0 of clint.msip interrupts hart 0, but leads to "
                                "hart[1]"));
}

BOOST_AUTO_TEST_CASE(caches_wired_in_a_circle_are_refused) {
  std::string text = kMachine;
  text.replace(text.find("to: bus.in"), 10, "to: l2.cpu");
  BOOST_TEST(refusal(text).find("circle") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

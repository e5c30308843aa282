// SPDX-License-Identifier: Apache-2.0
#include "platforms/config_fixture.h"

using namespace switchyard;

namespace {

const char* const kMachine =
    "schema: 1\n"
    "tags: [a, b]\n"
    "modules:\n"
    "  l1: {type: cache, params: {size: {value: 32 KiB, from: measured, ref: lab}, banks: [1, 2]}}\n"
    "wires: [{from: a, to: b}]\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_override, test::ConfigTest)

BOOST_AUTO_TEST_CASE(a_value_is_replaced) {
  const auto machine = read(kMachine, {"modules.l1.params.ways=16"});
  BOOST_TEST(machine->params.cache("l1").ways == 16u);
  BOOST_TEST(machine->provenance.find("modules.l1.params.ways")->origin == "--set");
}

BOOST_AUTO_TEST_CASE(the_last_one_wins) {
  BOOST_TEST(read(kMachine, {"seed=1", "seed=2", "seed=3"})->params.seed == 3u);
}

BOOST_AUTO_TEST_CASE(quantities_with_spaces_are_read) {
  BOOST_TEST(read(kMachine, {"modules.l1.params.size=64 KiB"})->params.cache("l1").size.value == 65536u);
}

BOOST_AUTO_TEST_CASE(list_items_are_reached_by_number) {
  const auto machine = read(kMachine, {"wires[0].to=c", "tags[1]=x", "modules.l1.params.banks[0]=7"});
  BOOST_TEST(machine->params.wires[0].from == "a");
  BOOST_TEST(machine->params.wires[0].to == "c");
  BOOST_TEST(machine->params.tags[1] == "x");
  BOOST_TEST(machine->params.cache("l1").banks[0] == 7u);
  BOOST_TEST(machine->provenance.find("tags[0]")->origin == "m.yaml:2");
  BOOST_TEST(machine->provenance.find("tags[1]")->origin == "--set");
}

BOOST_AUTO_TEST_CASE(lists_and_maps_are_values_too) {
  const auto machine = read(kMachine, {"tags=[x, y, z]", "modules.l2={type: cpu, params: {clock: 2 GHz}}", "wires=[]"});
  BOOST_TEST(machine->params.tags.size() == 3u);
  BOOST_TEST(machine->params.module("l2").type == "cpu");
  BOOST_TEST(machine->params.wires.empty());
}

BOOST_AUTO_TEST_CASE(a_map_replaces_what_was_there) {
  const auto machine = read(kMachine, {"modules={b: {type: bus}}"});
  BOOST_REQUIRE(machine->params.modules.size() == 1u);
  BOOST_TEST(machine->params.modules[0].first == "b");
}

BOOST_AUTO_TEST_CASE(a_value_may_be_annotated) {
  const auto machine = read(kMachine, {"seed={value: 5, from: assumed, ref: \"a, b\"}"});
  BOOST_TEST(machine->params.seed == 5u);
  BOOST_TEST(machine->provenance.find("seed")->ref == "a, b");
}

BOOST_AUTO_TEST_CASE(a_plain_value_replaces_an_annotated_one) {
  for (const std::string path : {"modules.l1.params.size", "modules.l1.params.size.value"}) {
    const auto machine = read(kMachine, {path + "=64 KiB"});
    BOOST_TEST(machine->params.cache("l1").size.value == 65536u);
    BOOST_TEST(machine->provenance.find("modules.l1.params.size")->from == "");
  }
}

BOOST_AUTO_TEST_CASE(the_reference_of_an_annotated_value_is_replaced_alone) {
  const auto machine = read(kMachine, {"modules.l1.params.size.ref=other"});
  BOOST_TEST(machine->provenance.find("modules.l1.params.size")->ref == "other");
  BOOST_TEST(machine->params.cache("l1").size.value == 32768u);
}

BOOST_AUTO_TEST_CASE(a_value_that_no_file_states_may_be_set) {
  BOOST_TEST(read(kMachine, {"run.until=5 ns"})->params.run.until.ps == 5000u);
}

BOOST_AUTO_TEST_CASE(names_with_dots_are_quoted) {
  BOOST_TEST(read("schema: 1\nmodules: {\"4.13\": {type: bus}}\n", {"modules.\"4.13\".count=3"})
                 ->params.module("4.13")
                 .count == 3u);
}

BOOST_AUTO_TEST_CASE(an_empty_text_needs_quotes) {
  BOOST_TEST(read(kMachine, {"name=\"\""})->params.name == "");
  BOOST_TEST(refusal(kMachine, {"name="}) == "--set name: expected text, found nothing");
}

BOOST_AUTO_TEST_CASE(a_value_may_hold_equals_signs) { BOOST_TEST(read(kMachine, {"name=a=b"})->params.name == "a=b"); }

BOOST_AUTO_TEST_CASE(an_unknown_path_is_refused_with_the_nearest) {
  BOOST_TEST(
      refusal(kMachine, {"modules.l1.params.wais=16"}) ==
      "--set modules.l1.params.wais: unknown key; did you mean ways? allowed: size, ways, latency, protocol, banks");
  BOOST_TEST(refusal(kMachine, {"modles.l1.count=16"}) ==
             "--set modles.l1.count: modles: unknown key; did you mean modules? allowed: name, seed, scale, check_all, "
             "base, tags, run, modules, wires, program");
  BOOST_TEST(refusal(kMachine, {"modules.l1.params={sise: 1}"})
                 .find("--set modules.l1.params: modules.l1.params.sise: unknown key; did you mean size?") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_key_below_a_plain_value_is_refused) {
  BOOST_TEST(refusal(kMachine, {"seed.x=1"}) == "--set seed.x: seed: expected a whole number, found a map");
}

BOOST_AUTO_TEST_CASE(a_list_item_that_does_not_exist_is_refused) {
  BOOST_TEST(refusal(kMachine, {"tags[2]=x"}) ==
             "--set tags[2]: item 2 does not exist; the list has 2 and counts from 0");
  BOOST_TEST(refusal(kMachine, {"program[0]=x"}) ==
             "--set program[0]: no file has a list below program; set the whole list");
  BOOST_TEST(refusal(kMachine, {"modules[0]=x"}) ==
             "--set modules[0]: found a map where [0] needs a list; set the whole list");
}

BOOST_AUTO_TEST_CASE(a_key_of_a_list_is_refused) {
  BOOST_TEST(refusal(kMachine, {"wires.to=x"}) ==
             "--set wires.to: found a list of 1 where a key was expected; name an item, such as [0].to");
}

BOOST_AUTO_TEST_CASE(a_faulty_value_is_refused) {
  BOOST_TEST(refusal(kMachine, {"seed=010"}) ==
             "--set seed: 010 has two readings; write 10 (decimal) or 0x8 (if it is octal, 8)");
  BOOST_TEST(refusal(kMachine, {"tags=[a"}) ==
             "--set tags: a list or map cannot be a key; or a bracket is left open here");
  BOOST_TEST(refusal(kMachine, {"run={until: 1 s, until: 2 s}"}) == "--set run: until: duplicate key; give it once");
}

BOOST_AUTO_TEST_CASE(what_is_no_override_is_refused) {
  BOOST_TEST(refusal(kMachine, {"seed"}) == "--set seed: expected PATH=VALUE, such as modules.l1.params.ways=8");
  BOOST_TEST(refusal(kMachine, {"=3"}) ==
             "--set =3: a key is missing in the path; expected PATH=VALUE, such as modules.l1.params.ways=8");
  BOOST_TEST(refusal(kMachine, {"a..b=3"}) ==
             "--set a..b=3: a key is missing in the path; expected PATH=VALUE, such as modules.l1.params.ways=8");
  BOOST_TEST(refusal(kMachine, {"tags[x]=3"}) ==
             "--set tags[x]=3: expected the number of a list item in brackets, such as [2]");
  BOOST_TEST(refusal(kMachine, {"tags[0=3"}) ==
             "--set tags[0=3: expected the number of a list item in brackets, such as [2]");
  BOOST_TEST(refusal(kMachine, {"a.\"b=3"}) == "--set a.\"b=3: the closing \" is missing");
  BOOST_TEST(refusal(kMachine, {""}) ==
             "--set : a key is missing in the path; expected PATH=VALUE, such as modules.l1.params.ways=8");
}

BOOST_AUTO_TEST_CASE(faulty_overrides_are_reported_together) {
  BOOST_TEST(refusal(kMachine, {"seed=x", "scale=y"}) ==
             "--set seed: expected a whole number such as 12 or 0x1f, found x\n"
             "--set scale: expected a number such as 0.5, found y");
}

BOOST_AUTO_TEST_SUITE_END()

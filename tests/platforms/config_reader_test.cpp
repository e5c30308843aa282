// SPDX-License-Identifier: Apache-2.0
#include "platforms/config_fixture.h"

using namespace switchyard;

namespace {

/// A type that has a default, and whose parameters do not.
struct DefaultTypeParams : test::ParamSet {
  std::string type = "cache";
  std::unique_ptr<test::ParamSet> params;
  void visit(test::ParamVisitor& v) override {
    v.typed({"type", "Model"}, type, {"params", "Parameters of the model"}, params, test::module_types());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_reader, test::ConfigTest)

BOOST_AUTO_TEST_CASE(what_is_not_written_keeps_its_default) {
  const auto machine = read("schema: 1\n");
  BOOST_TEST(machine->params.name == "unnamed");
  BOOST_TEST(machine->params.base == 0x80000000u);
  BOOST_TEST(machine->provenance.find("name") == nullptr);
}

BOOST_AUTO_TEST_CASE(every_kind_of_value_is_read) {
  const auto machine = read(
      "schema: 1\nname: board\nseed: 0xFFFFFFFFFFFFFFFF\nscale: -2.5\ncheck_all: false\nbase: 0x1000\n"
      "tags: [a, \"b c\", 3]\nrun: {until: 1 ms, precision: 0.5 %}\n"
      "modules: {l1: {type: cache, count: 2, params: {size: 64 KiB, ways: 4, latency: 80 ns, protocol: moesi, "
      "banks: [3, 0x4]}}}\nwires: [{from: a, to: b}]\n");
  const test::MachineParams& params = machine->params;
  BOOST_TEST(params.seed == ~std::uint64_t{0});
  BOOST_TEST(params.scale == -2.5);
  BOOST_TEST(params.check_all == false);
  BOOST_TEST(params.base == 0x1000u);
  BOOST_TEST(params.tags == (std::vector<std::string>{"a", "b c", "3"}), boost::test_tools::per_element());
  BOOST_TEST(params.run.until.ps == 1'000'000'000u);
  BOOST_TEST(params.run.precision.value == 0.005);
  const test::CacheParams& cache = params.cache("l1");
  BOOST_TEST(cache.size.value == 65536u);
  BOOST_TEST((cache.latency == base::nanoseconds(80)));
  BOOST_TEST((cache.protocol == test::Protocol::moesi));
  BOOST_TEST(cache.banks == (std::vector<std::uint64_t>{3, 4}), boost::test_tools::per_element());
  BOOST_REQUIRE(params.wires.size() == 1u);
  BOOST_TEST(params.wires[0].to == "b");
}

BOOST_AUTO_TEST_CASE(named_groups_keep_the_order_of_the_file) {
  const auto machine = read("schema: 1\nmodules: {z: {type: bus}, a: {type: bus}, m: {type: bus}}\n");
  BOOST_REQUIRE(machine->params.modules.size() == 3u);
  BOOST_TEST(machine->params.modules[0].first == "z");
  BOOST_TEST(machine->params.modules[2].first == "m");
}

BOOST_AUTO_TEST_CASE(an_empty_group_is_a_group_of_defaults) {
  BOOST_TEST(read("schema: 1\nmodules:\n")->params.modules.empty());
  BOOST_TEST(read("schema: 1\nmodules: {b: {type: cpu, params: }}\n")->params.module("b").type == "cpu");
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_refused_with_the_nearest) {
  BOOST_TEST(refusal("schema: 1\nsed: 1\n") ==
             "m.yaml:2:1: sed: unknown key; did you mean seed? allowed: name, seed, scale, check_all, base, tags, run, "
             "modules, wires, program");
  BOOST_TEST(refusal("schema: 1\nrun: {until: 1 s, precison: 1 %}\n") ==
             "m.yaml:2:19: run.precison: unknown key; did you mean precision? allowed: until, precision");
  BOOST_TEST(refusal("schema: 1\nrun: {until: 1 s, xyz: 1 %}\n") ==
             "m.yaml:2:19: run.xyz: unknown key; allowed: until, precision");
}

BOOST_AUTO_TEST_CASE(a_missing_required_key_is_reported_at_its_group) {
  BOOST_TEST(refusal("schema: 1\nrun: {precision: 1 %}\n") ==
             "m.yaml:2:6: run.until: the key is missing; it is required: End of the run");
  BOOST_TEST(refusal("schema: 1\nmodules:\n  l1: {type: cache}\n") ==
             "m.yaml:3:7: modules.l1.params.size: the key is missing; it is required: Capacity");
}

BOOST_AUTO_TEST_CASE(wrong_kinds_are_refused) {
  BOOST_TEST(refusal_of_value("seed: {a: 1}") == "expected a whole number, found a map");
  BOOST_TEST(refusal_of_value("seed: [1]") == "expected a whole number, found a list");
  BOOST_TEST(refusal_of_value("seed:") == "expected a whole number, found nothing");
  BOOST_TEST(refusal_of_value("name: ~") == "expected text, found nothing");
  BOOST_TEST(refusal_of_value("tags: a") == "expected a list of texts such as [a, b], found the value a");
  BOOST_TEST(refusal_of_value("tags: [a, [b]]") == "expected text, found a list");
  BOOST_TEST(refusal_of_value("run: 1 s") == "expected keys and values, found the value 1 s");
  BOOST_TEST(refusal_of_value("modules: [a]") == "expected a map of names such as {NAME: {...}}, found a list");
  BOOST_TEST(refusal_of_value("wires: {a: b}") == "expected a list of maps such as [{...}, {...}], found a map");
  BOOST_TEST(refusal_of_value("wires: [a]") == "expected keys and values, found the value a");
}

BOOST_AUTO_TEST_CASE(booleans_are_only_true_and_false) {
  BOOST_TEST(refusal_of_value("check_all: yes") == "expected true or false, found yes");
  BOOST_TEST(refusal_of_value("check_all: True") == "expected true or false, found True");
  BOOST_TEST(refusal_of_value("check_all: 1") == "expected true or false, found 1");
  BOOST_TEST(refusal_of_value("check_all: \"true\"") == "found text in quotes; write true without them");
}

BOOST_AUTO_TEST_CASE(a_number_in_quotes_is_refused) {
  BOOST_TEST(refusal_of_value("seed: \"7\"") == "found text in quotes; write 7 without them");
}

BOOST_AUTO_TEST_CASE(a_quantity_may_stand_in_quotes) {
  BOOST_TEST(read("schema: 1\nrun: {until: \"1 ns\"}\n")->params.run.until.ps == 1000u);
}

BOOST_AUTO_TEST_CASE(a_text_may_look_like_a_number) {
  BOOST_TEST(read("schema: 1\nname: 4.10\n")->params.name == "4.10");
  BOOST_TEST(read("schema: 1\nname: true\n")->params.name == "true");
  BOOST_TEST(read("schema: 1\nname: \"null\"\n")->params.name == "null");
}

BOOST_AUTO_TEST_CASE(values_out_of_range_are_refused_with_the_bounds) {
  const auto cache = [](const std::string& line) {
    return "modules: {c: {type: cache, params: {size: 1 KiB, " + line + "}}}";
  };
  BOOST_TEST(refusal_of_value(cache("ways: 65")) == "65 is out of range; allowed: 1 to 64");
  BOOST_TEST(refusal_of_value(cache("ways: 0")) == "0 is out of range; allowed: 1 to 64");
  BOOST_TEST(refusal_of_value(cache("banks: [1, 16]")) == "16 is out of range; allowed: 0 to 15");
  BOOST_TEST(refusal_of_value("modules: {c: {type: cache, params: {size: 2 GiB}}}") ==
             "2 GiB is out of range; allowed: 64 B to 1 GiB");
  BOOST_TEST(refusal_of_value("modules: {c: {type: cpu, params: {clock: 0 Hz}}}") ==
             "0 Hz is out of range; allowed: 1 Hz to 1000 GHz");
  BOOST_TEST(refusal_of_value("scale: -10.5") == "-10.5 is out of range; allowed: -10 to 10");
  BOOST_TEST(refusal_of_value("run: {until: 1 s, precision: 101 %}") == "1.01 is out of range; allowed: 0 to 1");
}

BOOST_AUTO_TEST_CASE(the_ends_of_a_range_are_allowed) {
  BOOST_TEST(read("schema: 1\nscale: 10\n")->params.scale == 10);
  BOOST_TEST(read("schema: 1\nscale: -10\n")->params.scale == -10);
}

BOOST_AUTO_TEST_CASE(a_choice_is_refused_with_the_nearest) {
  BOOST_TEST(refusal_of_value("modules: {c: {type: cache, params: {size: 1 KiB, protocol: moes}}}") ==
             "unknown value moes; did you mean moesi? allowed: mesi, moesi");
}

BOOST_AUTO_TEST_CASE(an_unknown_type_is_refused_with_the_nearest) {
  BOOST_TEST(refusal("schema: 1\nmodules: {l1: {type: cahe, params: {size: 3}}}\n") ==
             "m.yaml:2:22: modules.l1.type: unknown type cahe; did you mean cache? allowed: cache, cpu, bus");
}

BOOST_AUTO_TEST_CASE(a_missing_type_is_refused) {
  BOOST_TEST(refusal("schema: 1\nmodules: {l1: {params: {size: 3}}}\n") ==
             "m.yaml:2:15: modules.l1.type: the key is missing; it is required: Model");
}

BOOST_AUTO_TEST_CASE(a_default_type_demands_its_required_keys) {
  write("m.yaml", "schema: 1\n");
  platforms::Diagnostics diagnostics;
  platforms::Provenance provenance;
  DefaultTypeParams params;
  platforms::read_params(platforms::load_config({"m.yaml"}, {}, diagnostics), params, diagnostics, provenance);
  BOOST_TEST(diagnostics.messages() ==
                 std::vector<std::string>{"m.yaml:1:1: params.size: the key is missing; it is required: Capacity"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fault_of_the_combination_is_reported_at_the_group) {
  BOOST_TEST(refusal("schema: 1\nmodules:\n  l1:\n    type: cache\n    params: {size: 100 B, ways: 3}\n") ==
             "m.yaml:5:13: modules.l1.params: size must be a multiple of ways, got 100");
}

BOOST_AUTO_TEST_CASE(the_combination_is_not_judged_when_a_value_is_wrong) {
  BOOST_TEST(refusal("schema: 1\nmodules: {l1: {type: cache, params: {size: 100 B, ways: x}}}\n") ==
             "m.yaml:2:57: modules.l1.params.ways: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(steps_are_read_with_steps_inside) {
  const auto machine =
      read("schema: 1\nprogram: [{touch: {pages: 3}}, {loop: {count: 2, body: [{yield: {}}, {touch: }]}}]\n");
  BOOST_REQUIRE(machine->params.program.size() == 2u);
  const auto& loop = dynamic_cast<const test::LoopParams&>(*machine->params.program[1].second);
  BOOST_TEST(loop.count == 2u);
  BOOST_REQUIRE(loop.body.size() == 2u);
  BOOST_TEST(loop.body[0].first == "yield");
}

BOOST_AUTO_TEST_CASE(faulty_steps_are_refused) {
  BOOST_TEST(refusal("schema: 1\nprogram: [{tuch: {}}]\n") ==
             "m.yaml:2:12: program[0]: unknown step tuch; did you mean touch? allowed: touch, loop, yield");
  BOOST_TEST(refusal("schema: 1\nprogram: [yield]\n") ==
             "m.yaml:2:11: program[0]: expected one step such as {yield: {...}}, found the value yield");
  BOOST_TEST(refusal("schema: 1\nprogram: [{touch: {}, yield: {}}]\n") ==
             "m.yaml:2:11: program[0]: expected one step such as {NAME: {...}}, found a map with 2 keys");
  BOOST_TEST(refusal("schema: 1\nprogram: [{}]\n") ==
             "m.yaml:2:11: program[0]: expected one step such as {NAME: {...}}, found a map with 0 keys");
  BOOST_TEST(refusal("schema: 1\nprogram: {touch: {}}\n") ==
             "m.yaml:2:10: program: expected a list of steps such as [{NAME: {...}}], found a map");
  BOOST_TEST(refusal("schema: 1\nprogram: [{loop: {count: 1, body: [{touch: {pags: 1}}]}}]\n") ==
             "m.yaml:2:45: program[0].loop.body[0].touch.pags: unknown key; did you mean pages? allowed: pages");
}

BOOST_AUTO_TEST_CASE(ten_faults_give_ten_errors_in_order) {
  const std::string message = refusal(
      "schema: 1\n"
      "seed: 010\n"
      "scale: fast\n"
      "check_all: on\n"
      "colour: red\n"
      "run: {until: 80}\n"
      "modules:\n"
      "  l1: {type: cache, params: {size: 64 KB, ways: 1e1}}\n"
      "  l2: {type: cach}\n"
      "wires:\n"
      "  - {from: a, too: b}\n");
  BOOST_TEST(message ==
             "m.yaml:2:7: seed: 010 has two readings; write 10 (decimal) or 0x8 (if it is octal, 8)\n"
             "m.yaml:3:8: scale: expected a number such as 0.5, found fast\n"
             "m.yaml:4:12: check_all: expected true or false, found on\n"
             "m.yaml:5:1: colour: unknown key; allowed: name, seed, scale, check_all, base, tags, run, modules, wires, "
             "program\n"
             "m.yaml:6:14: run.until: 80 is a time without a unit; write 80 ns, 80 us, 80 ms or 80 s\n"
             "m.yaml:8:36: modules.l1.params.size: 64 KB has two readings; write 64 KiB (65536 B) or 64000 B\n"
             "m.yaml:8:49: modules.l1.params.ways: expected a whole number, found 1e1; write 10\n"
             "m.yaml:9:14: modules.l2.type: unknown type cach; did you mean cache? allowed: cache, cpu, bus\n"
             "m.yaml:11:5: wires[0].to: the key is missing; it is required: Target\n"
             "m.yaml:11:15: wires[0].too: unknown key; did you mean to? allowed: from, to");
}

BOOST_AUTO_TEST_CASE(errors_of_several_files_come_in_the_order_of_files) {
  write("a.yaml", "schema: 1\nseed: x\n");
  write("b.yaml", "scale: y\n");
  BOOST_TEST(refusal_of_files({"a.yaml", "b.yaml"}, {"name=[]"}) ==
             "a.yaml:2:7: seed: expected a whole number such as 12 or 0x1f, found x\n"
             "b.yaml:1:8: scale: expected a number such as 0.5, found y\n"
             "--set name: expected text, found a list");
}

BOOST_AUTO_TEST_CASE(a_flood_of_errors_is_cut) {
  std::string text = "schema: 1\n";
  for (int i = 0; i < 2000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const std::string message = refusal(text);
  BOOST_TEST(std::count(message.begin(), message.end(), '\n') == 1000);
  BOOST_TEST(message.ends_with("more than 1000 errors; the rest is not shown"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(config_annotation, test::ConfigTest)

BOOST_AUTO_TEST_CASE(a_value_may_say_where_it_is_from) {
  const auto machine = read("schema: 1\nseed: {value: 7, from: documented, ref: \"manual, 3.2\"}\n");
  BOOST_TEST(machine->params.seed == 7u);
  const platforms::SourcedValue* seed = machine->provenance.find("seed");
  BOOST_REQUIRE(seed != nullptr);
  BOOST_TEST(seed->value == "7");
  BOOST_TEST(seed->from == "documented");
  BOOST_TEST(seed->ref == "manual, 3.2");
  BOOST_TEST(seed->origin == "m.yaml:2");
  BOOST_TEST(machine->provenance.count("documented") == 1u);
  BOOST_TEST(machine->provenance.count("assumed") == 0u);
}

BOOST_AUTO_TEST_CASE(an_assumed_value_needs_no_reference) {
  BOOST_TEST(read("schema: 1\nseed: {value: 7, from: assumed}\n")->params.seed == 7u);
  BOOST_TEST(read("schema: 1\nseed: {value: 7, from: assumed, ref: guess}\n")->provenance.find("seed")->ref == "guess");
}

BOOST_AUTO_TEST_CASE(other_values_need_a_reference) {
  for (const std::string from : {"measured", "documented", "calibrated"})
    BOOST_TEST(refusal("schema: 1\nseed: {value: 7, from: " + from + "}\n") ==
               "m.yaml:2:7: seed: a " + from + " value names its source; add ref: \"...\"");
  BOOST_TEST(refusal("schema: 1\nseed: {value: 7, from: measured, ref: \"\"}\n") ==
             "m.yaml:2:39: seed.ref: expected the text that names the source, found the text \"\"");
}

BOOST_AUTO_TEST_CASE(a_wrong_annotation_is_refused) {
  BOOST_TEST(refusal("schema: 1\nseed: {value: 7}\n") ==
             "m.yaml:2:7: seed: the annotated value does not say where it is `from`; allowed: measured, documented, "
             "calibrated, assumed");
  BOOST_TEST(refusal("schema: 1\nseed: {value: 7, from: mesured, ref: x}\n") ==
             "m.yaml:2:24: seed.from: unknown value mesured; did you mean measured? allowed: measured, documented, "
             "calibrated, assumed");
  BOOST_TEST(refusal("schema: 1\nseed: {from: assumed}\n") ==
             "m.yaml:2:7: seed: the annotated value has no `value`; write {value: ..., from: ..., ref: ...}");
  BOOST_TEST(refusal("schema: 1\nseed: {value: 7, from: assumed, reff: x}\n") ==
             "m.yaml:2:33: seed.reff: unknown key; did you mean ref? allowed: value, from, ref");
  BOOST_TEST(refusal("schema: 1\nseed: {value: {value: 7, from: assumed}, from: assumed}\n") ==
             "m.yaml:2:15: seed: expected a whole number, found a map");
}

BOOST_AUTO_TEST_CASE(an_annotated_value_is_checked_like_any_other) {
  BOOST_TEST(refusal("schema: 1\nscale: {value: 11, from: assumed}\n") ==
             "m.yaml:2:16: scale: 11 is out of range; allowed: -10 to 10");
}

BOOST_AUTO_TEST_CASE(lists_and_their_items_may_be_annotated) {
  const auto machine = read(
      "schema: 1\ntags: {value: [a, b], from: measured, ref: lab}\nmodules: {c: {type: cache, params: {size: 1 KiB, "
      "banks: [{value: 3, from: assumed}]}}}\n");
  BOOST_TEST(machine->params.tags.size() == 2u);
  BOOST_TEST(machine->provenance.find("tags")->from == "measured");
  BOOST_TEST(machine->provenance.find("modules.c.params.banks[0]")->from == "assumed");
}

BOOST_AUTO_TEST_SUITE_END()

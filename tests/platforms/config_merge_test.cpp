// SPDX-License-Identifier: Apache-2.0
#include "platforms/config_fixture.h"

using namespace switchyard;

namespace {

const char* const kBase =
    "schema: 1\n"
    "name: base\n"
    "tags: [a, b]\n"
    "modules:\n"
    "  l1: {type: cache, count: 2, params: {size: 32 KiB, ways: 4}}\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_merge, test::ConfigTest)

BOOST_AUTO_TEST_CASE(an_alias_repeats_its_anchor) {
  const auto machine = read(
      "schema: 1\nmodules:\n  a: &cache {type: cache, params: {size: &size 16 KiB}}\n  b: *cache\n"
      "  c: {type: cache, params: {size: *size}}\n");
  BOOST_TEST(machine->params.cache("b").size.value == 16384u);
  BOOST_TEST(machine->params.cache("c").size.value == 16384u);
}

BOOST_AUTO_TEST_CASE(an_anchor_may_be_given_again) {
  const auto machine = read("schema: 1\nname: &x first\ntags: [*x, &x second, *x]\n");
  BOOST_TEST(machine->params.tags == (std::vector<std::string>{"first", "second", "second"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_alias_to_a_word_may_be_a_key) {
  BOOST_TEST(read("schema: 1\nname: &key seed\n*key : 7\n")->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(a_faulty_value_is_reported_where_the_anchor_stands) {
  BOOST_TEST(refusal("schema: 1\nname: &n x\nseed: *n\n") ==
             "m.yaml:2:7: seed: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(an_alias_to_what_contains_it_is_refused) {
  BOOST_TEST(refusal("schema: 1\ntags: &t [*t]\n") ==
             "m.yaml:2:11: tags[0]: the alias refers to the value that contains it");
}

BOOST_AUTO_TEST_CASE(an_alias_bomb_is_refused) {
  std::string text = "schema: 1\na: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += before + ", ";
    text += "]\n";
  }
  BOOST_TEST(
      refusal(text).find("the configuration is too large: it needs more than 64 MiB with its aliases expanded") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_alias_bomb_of_text_is_refused) {
  std::string text = "schema: 1\nname: &n " + std::string(1'000'000, 'x') + "\ntags: [";
  for (int i = 0; i < 1000; ++i) text += "*n, ";
  BOOST_TEST(refusal(text + "]\n").find("the configuration is too large") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(aliases_that_nest_too_deeply_are_refused) {
  std::string text = "schema: 1\na: &a0 [x]\n";
  for (int i = 1; i < 80; ++i)
    text += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  BOOST_TEST(refusal(text) == "m.yaml:65:12: nested too deeply; 64 levels are the limit");
}

BOOST_AUTO_TEST_CASE(a_merge_adds_keys_and_own_keys_win) {
  const auto machine =
      read("schema: 1\nmodules:\n  a: &a {type: cache, count: 2, params: {size: 16 KiB}}\n  b: {count: 5, <<: *a}\n");
  BOOST_TEST(machine->params.cache("b").size.value == 16384u);
  BOOST_TEST(machine->params.module("b").count == 5u);
}

BOOST_AUTO_TEST_CASE(a_merge_of_a_list_takes_the_first_that_has_the_key) {
  const auto machine = read(
      "schema: 1\nmodules:\n  a: &a {type: bus, count: 2}\n  b: &b {type: cpu, count: 3, params: {}}\n"
      "  c: {<<: [*a, *b]}\n");
  BOOST_TEST(machine->params.module("c").type == "bus");
  BOOST_TEST(machine->params.module("c").count == 2u);
}

BOOST_AUTO_TEST_CASE(a_merge_of_something_else_is_refused) {
  BOOST_TEST(refusal("schema: 1\nrun: {<<: 5, until: 1 s}\n") ==
             "m.yaml:2:7: run.<<: `<<` merges a map or a list of maps, found the value 5");
}

BOOST_AUTO_TEST_CASE(a_later_file_merges_maps_and_replaces_the_rest) {
  write("base.yaml", kBase);
  write("over.yaml", "tags: [c]\nmodules:\n  l1: {params: {ways: 2}}\n  l2: {type: bus}\n");
  const auto machine = read_files({"base.yaml", "over.yaml"});
  BOOST_TEST(machine->params.name == "base");
  BOOST_TEST(machine->params.tags.size() == 1u);
  BOOST_TEST(machine->params.module("l1").count == 2u);
  BOOST_TEST(machine->params.cache("l1").size.value == 32768u);
  BOOST_TEST(machine->params.cache("l1").ways == 2u);
  BOOST_TEST(machine->params.module("l2").type == "bus");
}

BOOST_AUTO_TEST_CASE(an_empty_section_in_a_later_file_changes_nothing) {
  write("base.yaml", kBase);
  write("over.yaml", "modules:\n");
  BOOST_TEST(read_files({"base.yaml", "over.yaml"})->params.modules.size() == 1u);
}

BOOST_AUTO_TEST_CASE(another_type_replaces_the_parameters) {
  write("base.yaml", kBase);
  write("over.yaml", "modules: {l1: {type: cpu, params: {clock: 2 GHz}}}\n");
  const auto machine = read_files({"base.yaml", "over.yaml"});
  BOOST_TEST(machine->params.module("l1").type == "cpu");
  BOOST_TEST(machine->params.module("l1").count == 2u);
}

BOOST_AUTO_TEST_CASE(the_same_type_keeps_the_parameters) {
  write("base.yaml", kBase);
  write("over.yaml", "modules: {l1: {type: cache, params: {ways: 2}}}\n");
  BOOST_TEST(read_files({"base.yaml", "over.yaml"})->params.cache("l1").size.value == 32768u);
}

BOOST_AUTO_TEST_CASE(another_type_without_parameters_leaves_the_old_ones_to_be_refused) {
  write("base.yaml", kBase);
  write("over.yaml", "modules: {l1: {type: bus}}\n");
  BOOST_TEST(refusal_of_files({"base.yaml", "over.yaml"}) ==
             "base.yaml:5:40: modules.l1.params.size: unknown key; allowed: none\n"
             "base.yaml:5:54: modules.l1.params.ways: unknown key; allowed: none");
}

BOOST_AUTO_TEST_CASE(an_annotation_is_replaced_as_a_whole) {
  write("base.yaml",
        "schema: 1\nmodules: {l1: {type: cache, params: {size: {value: 1 KiB, from: measured, ref: lab}}}}\n");
  write("over.yaml", "modules: {l1: {params: {size: {value: 2 KiB, from: assumed}}}}\n");
  const auto machine = read_files({"base.yaml", "over.yaml"});
  const platforms::SourcedValue* size = machine->provenance.find("modules.l1.params.size");
  BOOST_REQUIRE(size != nullptr);
  BOOST_TEST(size->value == "2 KiB");
  BOOST_TEST(size->from == "assumed");
  BOOST_TEST(size->ref == "");
  BOOST_TEST(size->origin == "over.yaml:1");
}

BOOST_AUTO_TEST_CASE(an_include_lies_below_the_file_that_names_it) {
  write("common/board.yaml", kBase);
  write("top/m.yaml", "schema: 1\ninclude: [../common/board.yaml]\nmodules: {l1: {params: {ways: 2}}}\n");
  const auto machine = read_files({"top/m.yaml"});
  BOOST_TEST(machine->params.name == "base");
  BOOST_TEST(machine->params.cache("l1").ways == 2u);
  BOOST_TEST(machine->provenance.find("name")->origin == "../common/board.yaml:2");
  BOOST_TEST(machine->provenance.find("modules.l1.params.ways")->origin == "m.yaml:3");
}

BOOST_AUTO_TEST_CASE(a_later_include_lies_above_an_earlier_one) {
  write("a.yaml", "seed: 1\nname: a\n");
  write("b.yaml", "seed: 2\n");
  const auto machine = read("schema: 1\ninclude: [a.yaml, b.yaml]\n");
  BOOST_TEST(machine->params.seed == 2u);
  BOOST_TEST(machine->params.name == "a");
}

BOOST_AUTO_TEST_CASE(includes_nest_and_a_file_may_be_included_twice) {
  write("common.yaml", "seed: 3\n");
  write("a.yaml", "include: [common.yaml]\nname: a\n");
  write("b.yaml", "include: [common.yaml]\n");
  BOOST_TEST(read("schema: 1\ninclude: [a.yaml, b.yaml]\n")->params.seed == 3u);
}

BOOST_AUTO_TEST_CASE(a_missing_include_is_reported_at_the_include) {
  BOOST_TEST(refusal("schema: 1\ninclude: [none.yaml]\n") ==
             "m.yaml:2:11: include: cannot read none.yaml: No such file or directory");
}

BOOST_AUTO_TEST_CASE(an_include_cycle_is_refused) {
  write("a.yaml", "include: [b.yaml]\n");
  write("b.yaml", "include: [./a.yaml]\n");
  BOOST_TEST(refusal("schema: 1\ninclude: [a.yaml]\n") ==
             "b.yaml:1:11: include: the files include each other: a.yaml -> b.yaml -> a.yaml");
  BOOST_TEST(refusal("schema: 1\ninclude: [m.yaml]\n") ==
             "m.yaml:2:11: include: the files include each other: m.yaml -> m.yaml");
}

BOOST_AUTO_TEST_CASE(an_include_bomb_is_refused) {
  for (int i = 0; i < 20; ++i) {
    const std::string next = "f" + std::to_string(i + 1) + ".yaml";
    write("f" + std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  write("f20.yaml", "seed: 1\n");
  BOOST_TEST(refusal("schema: 1\ninclude: [f0.yaml]\n").find("more than 1000 files are included") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_include_that_is_no_list_of_names_is_refused) {
  BOOST_TEST(refusal("schema: 1\ninclude: a.yaml\n") ==
             "m.yaml:2:10: include: expected a list of files such as [common.yaml], found the value a.yaml");
  BOOST_TEST(refusal("schema: 1\ninclude: [{a: 1}]\n") == "m.yaml:2:11: include[0]: expected a file name, found a map");
}

BOOST_AUTO_TEST_CASE(a_fault_in_an_included_file_is_reported_there) {
  write("sub/a.yaml", "seed: x\n");
  BOOST_TEST(refusal("schema: 1\ninclude: [sub/a.yaml]\n") ==
             "sub/a.yaml:1:7: seed: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(an_included_file_of_another_schema_is_refused) {
  write("a.yaml", "schema: 3\n");
  BOOST_TEST(refusal("schema: 1\ninclude: [a.yaml]\n") ==
             "a.yaml:1:9: schema: this program reads schema 1, found the value 3");
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/param_writer.h"
#include "platforms/config_fixture.h"

using namespace switchyard;

namespace {

const char* const kMachine =
    "schema: 1\n"
    "include: [common/cpu.yaml]\n"
    "name: \"board # 1\"\n"
    "tags:\n"
    "  - \"hart[*]\"\n"
    "  - 'true'\n"
    "modules:\n"
    "  l1:\n"
    "    type: cache\n"
    "    params:\n"
    "      size: {value: 64 KiB, from: documented, ref: \"manual # 3: \\\"L1\\\"\\n\"}\n"
    "      banks: {value: [1, 2], from: assumed}\n"
    "program:\n"
    "  - loop: {count: 2, body: [{yield: }, {touch: {pages: 3}}]}\n";

struct ResolvedTest : test::ConfigTest {
  ResolvedTest() { write("common/cpu.yaml", "modules: {hart: {type: cpu, params: {clock: 1.2 GHz}}}\n"); }

  static std::string resolved(test::ReadMachine& machine) {
    return platforms::write_resolved(machine.params, machine.provenance);
  }
  static std::string hash(test::ReadMachine& machine) {
    return platforms::config_hash(machine.params, machine.provenance);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_resolved, ResolvedTest)

BOOST_AUTO_TEST_CASE(everything_is_written_with_its_origin) {
  const auto machine = read(kMachine, {"seed=0x10"});
  BOOST_TEST(resolved(*machine) ==
             "# switchyard resolved configuration\n"
             "# hash: " +
                 hash(*machine) +
                 "\n"
                 "schema: 1\n"
                 "name: \"board # 1\"  # m.yaml:3\n"
                 "seed: 16  # --set\n"
                 "scale: 1  # default\n"
                 "check_all: true  # default\n"
                 "base: 0x80000000  # default\n"
                 "tags:\n"
                 "  - \"hart[*]\"  # m.yaml:5\n"
                 "  - \"true\"  # m.yaml:6\n"
                 "modules:\n"
                 "  hart:\n"
                 "    type: cpu  # common/cpu.yaml:1\n"
                 "    params:\n"
                 "      clock: 1.2 GHz  # common/cpu.yaml:1\n"
                 "      seed: 0  # default\n"
                 "    count: 1  # default\n"
                 "  l1:\n"
                 "    type: cache  # m.yaml:9\n"
                 "    params:\n"
                 "      size: {value: 64 KiB, from: documented, ref: \"manual # 3: \\\"L1\\\"\\n\"}  # m.yaml:11\n"
                 "      ways: 8  # default\n"
                 "      latency: 3 cycles  # default\n"
                 "      protocol: mesi  # default\n"
                 "      banks: {value: [1, 2], from: assumed}  # m.yaml:12\n"
                 "    count: 1  # default\n"
                 "wires: []  # default\n"
                 "program:\n"
                 "  - loop:\n"
                 "      count: 2  # m.yaml:14\n"
                 "      body:\n"
                 "        - yield: {}\n"
                 "        - touch:\n"
                 "            pages: 3  # m.yaml:14\n");
}

BOOST_AUTO_TEST_CASE(the_resolved_file_read_again_gives_the_same_bytes) {
  const auto machine = read(kMachine, {"seed=0xFFFFFFFFFFFFFFFF", "tags[1]=x", "scale=0.1", "run.until=1.5 us"});
  const std::string first = resolved(*machine);
  write("out/config.yaml", first);
  const auto again = read_files({"out/config.yaml"});
  BOOST_TEST(resolved(*again) == first);
  BOOST_TEST(again->params.seed == ~std::uint64_t{0});
  BOOST_TEST(again->params.scale == 0.1);
}

BOOST_AUTO_TEST_CASE(defaults_alone_read_again_give_the_same_bytes) {
  const std::string first = resolved(*read("schema: 1\n"));
  BOOST_TEST(first.find("run:") == std::string::npos);  // a group that must be filled in and was not
  write("config.yaml", first);
  BOOST_TEST(resolved(*read_files({"config.yaml"})) == first);
}

BOOST_AUTO_TEST_CASE(empty_collections_keep_their_origin) {
  const std::string first = resolved(*read("schema: 1\ntags: []\nwires:\nmodules: {}\nprogram: []\n"));
  BOOST_TEST(first.find("tags: []  # m.yaml:2\n") != std::string::npos);
  BOOST_TEST(first.find("wires: []  # m.yaml:3\n") != std::string::npos);
  BOOST_TEST(first.find("modules: {}  # m.yaml:4\n") != std::string::npos);
  write("config.yaml", first);
  BOOST_TEST(resolved(*read_files({"config.yaml"})) == first);
}

BOOST_AUTO_TEST_CASE(a_map_of_names_that_nobody_wrote_is_left_out_and_counts_as_an_empty_one) {
  const auto machine = read("schema: 1\n");
  BOOST_TEST(resolved(*machine).find("modules") == std::string::npos);
  BOOST_TEST(hash(*machine) == hash(*read("schema: 1\nmodules: {}\n")));
}

BOOST_AUTO_TEST_CASE(an_override_of_a_resolved_file_is_named) {
  write("config.yaml", resolved(*read(kMachine)));
  const std::string text = resolved(*read_files({"config.yaml"}, {"seed=5"}));
  BOOST_TEST(text.find("seed: 5  # --set\n") != std::string::npos);
  BOOST_TEST(text.find("type: cache  # m.yaml:9\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_fault_in_a_resolved_file_is_reported_where_it_stands) {
  BOOST_TEST(refusal("# switchyard resolved configuration\nschema: 1\nseed: x  # other.yaml:9\n") ==
             "m.yaml:3:7: seed: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(a_value_added_by_hand_has_the_resolved_file_as_origin) {
  const auto machine = read("# switchyard resolved configuration\nschema: 1\nseed: 5\nscale: 2  # default\n");
  BOOST_TEST(machine->provenance.find("seed")->origin == "m.yaml:3");
  BOOST_TEST(machine->provenance.find("scale")->origin == "default");
}

BOOST_AUTO_TEST_CASE(comments_of_other_files_mean_nothing) {
  BOOST_TEST(read("schema: 1\nseed: 5  # other.yaml:7\n")->provenance.find("seed")->origin == "m.yaml:2");
}

BOOST_AUTO_TEST_CASE(origins_do_not_depend_on_where_the_files_lie) {
  const std::string here = std::filesystem::current_path().string();
  write("top/m.yaml", "schema: 1\ninclude: [../common/cpu.yaml]\nseed: 4\n");
  write("top/over.yaml", "scale: 2\n");
  const std::string relative = resolved(*read_files({"top/m.yaml", "top/over.yaml"}));
  BOOST_TEST(resolved(*read_files({here + "/top/m.yaml", "top/../top/over.yaml"})) == relative);
  BOOST_TEST(relative.find(here) == std::string::npos);
  std::filesystem::current_path("top");
  BOOST_TEST(resolved(*read_files({"m.yaml", "over.yaml"})) == relative);
  BOOST_TEST(relative.find("# ../common/cpu.yaml:1\n") != std::string::npos);
  BOOST_TEST(relative.find("scale: 2  # over.yaml:1\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_hash_depends_on_values_only) {
  const std::string before = hash(*read("schema: 1\nseed: 5\ntags: [a, b]\n"));
  BOOST_TEST(before.size() == 16u);
  BOOST_TEST(hash(*read("schema: 1\n\n\ntags:\n- a\n- b\nseed: {value: 0x5, from: assumed}\nscale: 1.0\n")) == before);
  BOOST_TEST(hash(*read("schema: 1\nseed: 6\ntags: [a, b]\n")) != before);
  BOOST_TEST(hash(*read("schema: 1\nseed: 5\ntags: [\"a, b\"]\n")) != before);
}

BOOST_AUTO_TEST_CASE(the_hash_sees_steps_without_parameters) {
  BOOST_TEST(hash(*read("schema: 1\nprogram: [{yield: }]\n")) !=
             hash(*read("schema: 1\nprogram: [{yield: }, {yield: }]\n")));
}

BOOST_AUTO_TEST_CASE(texts_that_look_like_something_else_survive) {
  for (const std::string text :
       {"null", "~",    "true",  "010",      "1e3", "a: b", "- a", "# x", "*x",  "&x", "",  " a ",
        "<<",   "it's", "a\\tb", "\xC3\xA9", "{a}", "[",    "yes", "0x1", "a#b", "@x", "%", "!x"}) {
    auto machine = read("schema: 1\n");
    machine->params.name = text;
    machine->params.tags = {text, text};
    const std::string first = resolved(*machine);
    write("config.yaml", first);
    const auto again = read_files({"config.yaml"});
    BOOST_TEST(again->params.name == text);
    BOOST_TEST(again->params.tags == machine->params.tags, boost::test_tools::per_element());
    BOOST_TEST(resolved(*again) == first);
  }
}

BOOST_AUTO_TEST_CASE(control_characters_in_texts_survive) {
  auto machine = read("schema: 1\nname: \"a\\n\\t\\x00\\x1b\\x7f\\\\ \\\" b\"\n");
  BOOST_TEST(machine->params.name == std::string("a\n\t\0\x1b\x7f\\ \" b", 11));
  const std::string first = resolved(*machine);
  write("config.yaml", first);
  const auto again = read_files({"config.yaml"});
  BOOST_TEST(again->params.name == machine->params.name);
  BOOST_TEST(resolved(*again) == first);
}

BOOST_AUTO_TEST_CASE(unusual_names_of_groups_survive) {
  const auto machine =
      read("schema: 1\nmodules: {\"4.13 b\": {type: bus}, \"<<\": {type: bus}, \"true\": {type: cpu}}\n",
           {"modules.\"4.13 b\".count=2"});
  const std::string first = resolved(*machine);
  write("config.yaml", first);
  const auto again = read_files({"config.yaml"});
  BOOST_TEST(again->params.modules.size() == 3u);
  BOOST_TEST(again->params.module("4.13 b").count == 2u);
  BOOST_TEST(resolved(*again) == first);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
// What people feed to a program: read exactly, or refused with one clear error and its place.
#include <filesystem>

#include "sc_main/cli_fixture.h"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

struct InputTest : CliTest {
  /// `text` laid over the machine: exit code 2, the message with its place, and nothing else anywhere.
  void check_refused(const std::string& text, const std::vector<std::string>& parts,
                     const std::vector<std::string>& more = {}) const {
    write("m.yaml", text);
    check_refused_files({"machine.yaml", "workload.yaml", "m.yaml"}, parts, more);
  }
  void check_refused_files(const std::vector<std::string>& files, const std::vector<std::string>& parts,
                           const std::vector<std::string>& more = {}) const {
    const auto before = names(".");
    std::vector<std::string> arguments{"run", "--out", "res"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = run(arguments);
    BOOST_TEST(result.code == 2, result.err);
    BOOST_TEST(result.out == "");
    for (const std::string& part : parts) BOOST_TEST(contains(result.err, part), "\"" + part + "\" in: " + result.err);
    BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') == 1, result.err);
    BOOST_TEST(names(".") == before, boost::test_tools::per_element());
  }
  /// The machine with `text` laid over it runs; its resolved configuration.
  std::string resolved(const std::string& text) const {
    write("m.yaml", text);
    const Result result = run_tiny({"m.yaml", "--out", "res"});
    BOOST_TEST(result.code == 0, result.err);
    return read("res/config.yaml");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_input)

BOOST_FIXTURE_TEST_CASE(hex_and_64_bit_numbers_are_exact, InputTest) {
  BOOST_TEST(contains(resolved("schema: 1\nseed: 0x10\n"), "\nseed: 16 "));
  BOOST_TEST(contains(resolved("schema: 1\nseed: 0xFFFFFFFFFFFFFFFF\n"), "\nseed: 18446744073709551615 "));
}

BOOST_FIXTURE_TEST_CASE(line_ends_byte_order_mark_and_missing_final_newline_do_not_matter, InputTest) {
  for (const std::string text :
       {"schema: 1\r\nseed: 77\r\n", "\xEF\xBB\xBFschema: 1\nseed: 77\n", "schema: 1\nseed: 77"})
    BOOST_TEST(contains(resolved(text), "\nseed: 77 "));
}

BOOST_FIXTURE_TEST_CASE(anchors_and_merge_keys_with_overrides_work, InputTest) {
  const std::string text = resolved(
      "schema: 1\n"
      "modules:\n"
      "  l1: {type: cache, count: 2, params: &small {size: 8 KiB, ways: 2}}\n"
      "  l2: {type: cache, params: {<<: *small, size: 128 KiB}}\n");
  BOOST_TEST(contains(text, "size: 128 KiB"));
  BOOST_TEST(contains(text, "size: 8 KiB"));
}

BOOST_FIXTURE_TEST_CASE(keys_must_be_known_and_written_once, InputTest) {
  check_refused("schema: 1\nseed: 1\nname: x\nseed: 2\n", {"m.yaml:4:1: ", "2"});
  check_refused("schema: 1\nsede: 1\n", {"m.yaml:2:1: ", "sede", "did you mean seed?"});
}

BOOST_FIXTURE_TEST_CASE(quantities_must_have_one_reading, InputTest) {
  const std::string size = "schema: 1\nmodules: {l2: {params: {size: ";
  check_refused(size + "64 KB}}}\n", {"m.yaml:2:31: modules.l2.params.size: ", "64 KB", "64 KiB"});
  check_refused(size + "-1}}}\n", {"m.yaml:2:31: modules.l2.params.size: ", "-1"});
  check_refused(size + "64}}}\n", {"m.yaml:2:31: modules.l2.params.size: ", "unit"});
  check_refused(size + "[64 KiB]}}}\n", {"m.yaml:2:31: modules.l2.params.size: ", "a list"});
  check_refused("schema: 1\nseed: 010\n", {"m.yaml:2:7: seed: ", "010"});
}

BOOST_FIXTURE_TEST_CASE(files_that_are_not_yaml_are_refused, InputTest) {
  check_refused("schema: 1\nmodules:\n\tram: {}\n", {"m.yaml:3:1: ", "tab"});
  check_refused("", {"m.yaml", "empty"});
  check_refused("schema: 1\nmodules: {l1: [\n", {"m.yaml:"});
  check_refused(std::string("\x7f"
                            "ELF\x02\x01\x00\x00\xff\xfe",
                            10),
                {"m.yaml:1:"});
}

BOOST_FIXTURE_TEST_CASE(an_alias_bomb_is_refused, InputTest) {
  std::string text = "schema: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) text += last + ", ";
    text += last + "]\n";
  }
  check_refused(text, {"m.yaml:"});
}

BOOST_FIXTURE_TEST_CASE(a_machine_that_cannot_be_held_is_refused, InputTest) {
  check_refused("schema: 1\nmodules: {hart: {count: 1000000000}}\n",
                {"m.yaml:2:25: modules.hart.count: ", "1000000000"});
}

BOOST_FIXTURE_TEST_CASE(an_override_of_nothing_is_refused, InputTest) {
  check_refused("schema: 1\n", {"--set modules.l2.params.wyas", "did you mean ways?"},
                {"--set", "modules.l2.params.wyas=4"});
  check_refused("schema: 1\n", {"--set", "PATH=VALUE"}, {"--set", "seed"});
}

BOOST_FIXTURE_TEST_CASE(files_that_cannot_be_read_are_refused, InputTest) {
  check_refused("schema: 1\ninclude: [gone.yaml]\n", {"m.yaml:2:", "gone.yaml", "No such file"});
  write("b.yaml", "schema: 1\ninclude: [m.yaml]\n");
  check_refused("schema: 1\ninclude: [b.yaml]\n", {"b.yaml:2:", "m.yaml"});
  check_refused_files({"gone.yaml"}, {"gone.yaml: ", "No such file"});
  fs::create_directory("folder");
  check_refused_files({"folder"}, {"folder: "});
}

BOOST_FIXTURE_TEST_CASE(ten_faults_in_one_file_give_ten_errors, InputTest) {
  write("m.yaml",
        "schema: 1\nsede: 1\nseed: 010\nquantum: 5\nnmae: x\ndescription: [a]\nfirmware: {type: opensbee}\n"
        "modules:\n  l2: {params: {size: 64 KB, wyas: 3, line: 7 B}}\n  hart: {count: 1000000000}\n");
  const Result result = run({"run", "machine.yaml", "workload.yaml", "m.yaml"});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(result.out == "");
  BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') == 10, result.err);
  for (const int line : {2, 3, 4, 5, 6, 7, 9, 10})
    BOOST_TEST(contains(result.err, "m.yaml:" + std::to_string(line) + ":"), result.err);
  BOOST_TEST(!fs::exists("out"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

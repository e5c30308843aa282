// SPDX-License-Identifier: Apache-2.0
#include "platforms/config_fixture.h"

using namespace switchyard;
using namespace std::string_literals;

BOOST_FIXTURE_TEST_SUITE(config_load, test::ConfigTest)

BOOST_AUTO_TEST_CASE(a_plain_file_is_read) {
  const auto machine = read("schema: 1\nname: board\nseed: 7\n");
  BOOST_TEST(machine->params.name == "board");
  BOOST_TEST(machine->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_is_skipped) {
  BOOST_TEST(read("\xEF\xBB\xBFschema: 1\nseed: 7\n")->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(windows_line_ends_are_read) {
  const auto machine = read("schema: 1\r\nname: board\r\nseed: 7\r\n");
  BOOST_TEST(machine->params.name == "board");
  BOOST_TEST(machine->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(windows_line_ends_do_not_shift_places) {
  BOOST_TEST(refusal("schema: 1\r\n\r\nseed: x\r\n") ==
             "m.yaml:3:7: seed: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(old_mac_line_ends_are_read) { BOOST_TEST(read("schema: 1\rseed: 7\r")->params.seed == 7u); }

BOOST_AUTO_TEST_CASE(the_final_newline_may_be_missing) { BOOST_TEST(read("schema: 1\nseed: 7")->params.seed == 7u); }

BOOST_AUTO_TEST_CASE(document_marks_around_the_one_document_are_read) {
  BOOST_TEST(read("---\nschema: 1\nseed: 7\n...\n")->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(columns_count_characters_not_bytes) {
  BOOST_TEST(refusal("schema: 1\nrun: {name_\xC3\xA9: 1, until: 1 s}\n") ==
             "m.yaml:2:7: run.name_\xC3\xA9: unknown key; allowed: until, precision");
  BOOST_TEST(refusal("{name: \xC3\xA9, schema: 1, seed: x}\n") ==
             "m.yaml:1:28: seed: expected a whole number such as 12 or 0x1f, found x");
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_refused) {
  const std::string what = "m.yaml: the file is empty; a configuration starts with `schema: 1`";
  BOOST_TEST(refusal("") == what);
  BOOST_TEST(refusal("\n\n") == what);
  BOOST_TEST(refusal("# nothing\n") == what);
  BOOST_TEST(refusal("---\n") == what);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_map_is_refused) {
  BOOST_TEST(refusal("- a\n") == "m.yaml:1:1: expected keys and values, found a list");
  BOOST_TEST(refusal("hello\n") == "m.yaml:1:1: expected keys and values, found the value hello");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_refused) {
  BOOST_TEST(refusal_of_files({"none.yaml"}) == "none.yaml: cannot read this file: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_directory_is_refused) {
  std::filesystem::create_directory("d");
  BOOST_TEST(refusal_of_files({"d"}) == "d: cannot read this file: it is a directory");
}

BOOST_AUTO_TEST_CASE(an_endless_file_is_refused) {
  BOOST_TEST(refusal_of_files({"/dev/zero"}) == "/dev/zero: cannot read this file: it is larger than 16 MiB");
}

BOOST_AUTO_TEST_CASE(two_unreadable_files_give_two_errors) {
  BOOST_TEST(refusal_of_files({"a.yaml", "b.yaml"}) ==
             "a.yaml: cannot read this file: No such file or directory\n"
             "b.yaml: cannot read this file: No such file or directory");
}

BOOST_AUTO_TEST_CASE(the_schema_is_demanded) {
  BOOST_TEST(refusal("seed: 7\n") == "m.yaml:1:1: schema: the key is missing; write `schema: 1`");
}

BOOST_AUTO_TEST_CASE(another_schema_is_refused) {
  BOOST_TEST(refusal("schema: 2\n") == "m.yaml:1:9: schema: this program reads schema 1, found the value 2");
  BOOST_TEST(refusal("schema: \"1\"\n") == "m.yaml:1:9: schema: this program reads schema 1, found the text \"1\"");
  BOOST_TEST(refusal("schema:\n") == "m.yaml:1:1: schema: this program reads schema 1, found nothing");
}

BOOST_AUTO_TEST_CASE(duplicate_keys_are_refused_with_both_lines) {
  BOOST_TEST(refusal("schema: 1\nseed: 1\nname: a\nseed: 2\n") ==
             "m.yaml:4:1: seed: duplicate key; first given at line 2, give it once");
  BOOST_TEST(refusal("schema: 1\nmodules:\n  l1: {type: bus}\n  l1: {type: bus}\n") ==
             "m.yaml:4:3: modules.l1: duplicate key; first given at line 3, give it once");
}

BOOST_AUTO_TEST_CASE(every_duplicate_key_is_reported) {
  BOOST_TEST(refusal("schema: 1\nseed: 1\nseed: 2\nseed: 3\n") ==
             "m.yaml:3:1: seed: duplicate key; first given at line 2, give it once\n"
             "m.yaml:4:1: seed: duplicate key; first given at line 2, give it once");
}

BOOST_AUTO_TEST_CASE(a_tab_as_indentation_is_refused) {
  BOOST_TEST(refusal("schema: 1\nrun:\n\tuntil: 1 s\n") == "m.yaml:3:1: tab used as indentation; indent with spaces");
  BOOST_TEST(refusal("schema: 1\nrun:\n  \tuntil: 1 s\n") == "m.yaml:3:3: tab used as indentation; indent with spaces");
}

BOOST_AUTO_TEST_CASE(tabs_elsewhere_are_read) {
  BOOST_TEST(read("schema: 1\t# one\n\t\n\t# two\nseed:\t7\n")->params.seed == 7u);
}

BOOST_AUTO_TEST_CASE(broken_yaml_is_refused_with_its_place) {
  BOOST_TEST(refusal("schema: 1\ntags: [a, b\nseed: 1\n") ==
             "m.yaml:3:5: not valid YAML: end of sequence flow not found; a ',' or ']' is missing");
  BOOST_TEST(refusal("schema: 1\nrun: {until: 1 s\n") ==
             "m.yaml:3:1: not valid YAML: end of map flow not found; a ',' or '}' is missing");
  BOOST_TEST(
      refusal("schema: 1\nname: a: b\n") ==
      "m.yaml:2:8: not valid YAML: illegal map value; check the indentation, or put a text that holds ':' in quotes");
  BOOST_TEST(refusal("schema: 1\nname: @home\n") ==
             "m.yaml:2:7: not valid YAML: unknown token; put a text that starts with this character in quotes");
  BOOST_TEST(refusal("schema: 1\nname: *nobody\n") ==
             "m.yaml:2:7: not valid YAML: the referenced anchor is not defined");
}

BOOST_AUTO_TEST_CASE(an_unclosed_quote_is_refused) {
  BOOST_TEST(refusal("schema: 1\nname: 'board\n") == "m.yaml:2:7: name: not valid YAML: the closing ' is missing");
  BOOST_TEST(refusal("schema: 1\nname: \"board\n") == "m.yaml:2:7: name: not valid YAML: the closing \" is missing");
  BOOST_TEST(refusal("schema: 1\nname: &a \"board\n") ==
             "m.yaml:2:10: name: not valid YAML: the closing \" is missing");
}

BOOST_AUTO_TEST_CASE(quotes_that_are_closed_are_read) {
  BOOST_TEST(read("schema: 1\nname: 'it''s'\n")->params.name == "it's");
  BOOST_TEST(read("schema: 1\nname: \"a \\\" b\"\n")->params.name == "a \" b");
  BOOST_TEST(read("schema: 1\nname: &x 'a'\n")->params.name == "a");
  BOOST_TEST(read("schema: 1\n\"name\": a\n'seed' : 3\n")->params.seed == 3u);
  BOOST_TEST(read("schema: 1\nname: |\n  it's\n")->params.name == "it's\n");
}

BOOST_AUTO_TEST_CASE(a_key_without_colon_is_refused) {
  BOOST_TEST(refusal("schema: 1\nrun\n") == "m.yaml:2:1: a ':' is missing after run; write `key: value`");
  BOOST_TEST(refusal("schema: 1\nrun: {until}\n") ==
             "m.yaml:2:7: run: a ':' is missing after until; write `key: value`");
}

BOOST_AUTO_TEST_CASE(a_value_without_key_is_refused) {
  BOOST_TEST(refusal("schema: 1\n: x\n") == "m.yaml:2:1: a key is missing in front of ':'; write `key: value`");
}

BOOST_AUTO_TEST_CASE(a_list_as_key_is_refused) {
  BOOST_TEST(refusal("schema: 1\n? [a]\n: b\n") ==
             "m.yaml:2:3: a list or map cannot be a key; or a bracket is left open here");
}

BOOST_AUTO_TEST_CASE(an_open_bracket_is_refused) {
  BOOST_TEST(refusal("schema: 1\ntags: [[a\n") ==
             "m.yaml:2:8: tags[0]: a list or map cannot be a key; or a bracket is left open here");
}

BOOST_AUTO_TEST_CASE(a_tag_is_refused) {
  BOOST_TEST(refusal("schema: 1\nseed: !!int 1\n") ==
             "m.yaml:2:7: seed: tags such as tag:yaml.org,2002:int are not supported; write the value alone");
}

BOOST_AUTO_TEST_CASE(binary_noise_is_refused) {
  const std::string tail = " is not text; a configuration is YAML in UTF-8";
  BOOST_TEST(refusal("schema: 1\nname: a\0b\n"s) == "m.yaml:2:8: byte 0x00" + tail);
  BOOST_TEST(refusal("\x7F"
                     "ELF\x02\x01") == "m.yaml:1:1: byte 0x7F" + tail);
  BOOST_TEST(refusal("schema: 1\n\x04") == "m.yaml:2:1: byte 0x04" + tail);
}

BOOST_AUTO_TEST_CASE(invalid_utf8_is_refused) {
  const std::string tail = " is not text; a configuration is YAML in UTF-8";
  BOOST_TEST(refusal("schema: 1\nname: \xFF\n") == "m.yaml:2:7: byte 0xFF" + tail);
  BOOST_TEST(refusal("schema: 1\nname: \xC3\n") == "m.yaml:2:7: byte 0xC3" + tail);
  BOOST_TEST(refusal("schema: 1\nname: \xC0\xAF\n") == "m.yaml:2:7: byte 0xC0" + tail);
  BOOST_TEST(refusal("schema: 1\nname: \xED\xA0\x80\n") == "m.yaml:2:7: byte 0xED" + tail);
  BOOST_TEST(refusal("schema: 1\nname: \xF4\x90\x80\x80\n") == "m.yaml:2:7: byte 0xF4" + tail);
  BOOST_TEST(refusal("schema: 1\nname: \xE2\x82") == "m.yaml:2:7: byte 0xE2" + tail);
}

BOOST_AUTO_TEST_CASE(all_lengths_of_utf8_are_read) {
  const std::string text = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\xA7";
  BOOST_TEST(read("schema: 1\nname: " + text + "\n")->params.name == text);
}

BOOST_AUTO_TEST_CASE(a_second_document_is_refused) {
  BOOST_TEST(refusal("schema: 1\n---\nseed: 1\n") ==
             "m.yaml:2:1: a second document starts here; a file holds one document");
}

BOOST_AUTO_TEST_CASE(text_behind_the_document_is_refused) {
  BOOST_TEST(refusal("{schema: 1} seed\n") ==
             "m.yaml:1:13: not valid YAML: this does not belong to what stands above; check the indentation");
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_refused_without_deep_recursion) {
  const auto repeated = [](const std::string& text, std::size_t n) {
    std::string result;
    for (std::size_t i = 0; i < n; ++i) result += text;
    return result;
  };
  const std::string what = "nested too deeply; 64 levels are the limit";
  BOOST_TEST(refusal("schema: 1\na: " + repeated("[", 70) + repeated("]", 70) + "\n").find(what) != std::string::npos);
  BOOST_TEST(refusal(repeated("- ", 100000)).find(what) != std::string::npos);
  for (const char* text : {"[", "\n [", "{a: ", "? ", "[{", "[a: ", "&a [", "!!x ", "\"", "'", "{"})
    BOOST_TEST(refusal(repeated(text, 100000)) != "accepted", text);
}

BOOST_AUTO_TEST_CASE(a_huge_flat_file_is_refused) {
  std::string text = "schema: 1\ntags: [";
  for (int i = 0; i < 2'000'000; ++i) text += "a,";
  BOOST_TEST(refusal(text + "]\n").find("the configuration is too large") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

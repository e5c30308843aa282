// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "platforms/config/describe_params.h"
#include "platforms/config/param_writer.h"
#include "platforms/config/schema_writer.h"
#include "platforms/config/value_text.h"
#include "platforms/config_fixture.h"

using namespace switchyard;
using namespace switchyard::platforms;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct SignedParams : test::ParamSet {
  std::int64_t any = -3;
  std::int64_t bounded = 0;
  void visit(test::ParamVisitor& v) override {
    v.value({"any", "Any whole number"}, any);
    v.value({"bounded", "Trim", "steps"}, bounded, {-10, 20});
  }
};

struct SignedTest : test::ConfigTest {
  SignedParams params;
  Provenance provenance;

  /// Reads `text` into `params`; the message of the refusal without its place, or nothing.
  std::string fault(const std::string& text) {
    write("m.yaml", "schema: 1\n" + text + "\n");
    try {
      Diagnostics diagnostics;
      const ConfigTree tree = load_config({"m.yaml"}, {}, diagnostics);
      read_params(tree, params, diagnostics, provenance);
      diagnostics.throw_if_any();
    } catch (const base::ConfigError& error) {
      const std::string message = error.what();
      return message.substr(message.find(": ", message.find(": ") + 2) + 2);
    }
    return "";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_signed, SignedTest)

BOOST_AUTO_TEST_CASE(signed_integers_are_exact_to_64_bits) {
  BOOST_TEST(parse_signed("0").value == 0);
  BOOST_TEST(parse_signed("-0").value == 0);
  BOOST_TEST(parse_signed("-1").value == -1);
  BOOST_TEST(parse_signed("0x10").value == 16);
  BOOST_TEST(parse_signed("-0x10").value == -16);
  BOOST_TEST(parse_signed("-9223372036854775808").value == kLeast);
  BOOST_TEST(parse_signed("9223372036854775807").value == kMost);
  for (const std::int64_t value : {kLeast, std::int64_t{-1}, std::int64_t{0}, kMost})
    BOOST_TEST(parse_signed(value_text(value)).value == value);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_the_range) {
  for (const char* text : {"-9223372036854775809", "9223372036854775808"})
    BOOST_TEST(parse_signed(text).error ==
               std::string(text) + " is out of range; allowed: -9223372036854775808 to 9223372036854775807");
}

BOOST_AUTO_TEST_CASE(other_spellings_are_refused) {
  BOOST_TEST(parse_signed("-010").error ==
             "after the minus sign: 010 has two readings; write 10 (decimal) or 0x8 (if it is octal, 8)");
  BOOST_TEST(parse_signed("x").error == "expected a whole number such as 12 or 0x1f, found x");
  for (const char* text : {"", "-", "--1", "- 1", "+1", "1.5", "-1.5"})
    BOOST_TEST(!parse_signed(text).error.empty(), text);
}

BOOST_AUTO_TEST_CASE(negative_values_are_read_and_bounded) {
  BOOST_TEST(fault("any: -7\nbounded: -10") == "");
  BOOST_TEST(params.any == -7);
  BOOST_TEST(params.bounded == -10);
  BOOST_TEST(fault("bounded: -11") == "-11 is out of range; allowed: -10 to 20");
  BOOST_TEST(fault("bounded: 21") == "21 is out of range; allowed: -10 to 20");
  BOOST_TEST(fault("any: [1]") == "expected a whole number, found a list");
  BOOST_TEST(fault("any: \"-1\"") == "found text in quotes; write -1 without them");
  BOOST_TEST(params.bounded == -10);
}

BOOST_AUTO_TEST_CASE(the_resolved_file_reads_back) {
  BOOST_TEST_REQUIRE(fault("any: -9223372036854775808") == "");
  const std::string text = write_resolved(params, provenance);
  BOOST_TEST(text.find("any: -9223372036854775808  # m.yaml:2\n") != std::string::npos, text);
  BOOST_TEST(text.find("bounded: 0  # default\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(the_description_and_the_schema_have_the_bounds) {
  const std::string text = describe_params(params, DescribeFormat::text);
  BOOST_TEST(text.find("any\n    whole number, default -3\n") != std::string::npos, text);
  BOOST_TEST(text.find("bounded\n    whole number of steps, default 0, -10 to 20\n") != std::string::npos, text);
  const auto schema = json_schema(params);
  const auto bounded = schema.at("properties").at("bounded").at("oneOf").at(0);
  BOOST_TEST(bounded.at("type") == "integer");
  BOOST_TEST(bounded.at("minimum") == -10);
  BOOST_TEST(bounded.at("maximum") == 20);
  BOOST_TEST(schema.at("properties").at("any").at("default") == -3);
}

BOOST_AUTO_TEST_SUITE_END()

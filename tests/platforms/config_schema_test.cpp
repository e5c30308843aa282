// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/schema_writer.h"
#include "platforms/config_fixture.h"

using namespace switchyard;
using Json = nlohmann::ordered_json;

namespace {

struct SchemaTest {
  test::MachineParams machine;
  Json schema = platforms::json_schema(machine);

  Json property(const std::string& name) const { return schema.at("properties").at(name); }
  /// The pattern of a property that is a quantity.
  static std::string pattern(const Json& property) {
    return property.at("oneOf").at(0).at("pattern").get<std::string>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(config_schema, SchemaTest)

BOOST_AUTO_TEST_CASE(the_root_names_the_draft_and_the_top_level_keys) {
  BOOST_TEST(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  BOOST_TEST(schema.at("type") == "object");
  BOOST_TEST(schema.at("additionalProperties") == false);
  BOOST_TEST(property("schema").at("const") == 1);
  BOOST_TEST(property("include").at("type") == "array");
}

BOOST_AUTO_TEST_CASE(a_parameter_has_text_default_and_bounds) {
  const Json scale = property("scale");
  BOOST_TEST(scale.at("description") == "Scale of the result");
  BOOST_TEST(scale.at("default") == 1.0);
  BOOST_TEST(scale.at("oneOf").at(0).at("minimum") == -10);
  BOOST_TEST(scale.at("oneOf").at(0).at("maximum") == 10);
}

BOOST_AUTO_TEST_CASE(a_parameter_may_be_annotated) {
  const Json annotated = property("seed").at("oneOf").at(1);
  BOOST_TEST(annotated.at("required") == Json::array({"value", "from"}));
  BOOST_TEST(annotated.at("additionalProperties") == false);
  BOOST_TEST(annotated.at("properties").at("value").at("type") == "integer");
  BOOST_TEST(schema.at("$defs").at("source").at("properties").at("from").at("enum") ==
             Json::array({"measured", "documented", "calibrated", "assumed"}));
}

BOOST_AUTO_TEST_CASE(a_quantity_is_a_decimal_and_a_unit) {
  const Json cache = schema.at("$defs").at("params.cache").at("properties");
  const Json cpu = schema.at("$defs").at("params.cpu").at("properties");
  BOOST_TEST(pattern(property("run").at("properties").at("until")) == "^(0|[1-9][0-9]*)(\\.[0-9]+)? *(ps|ns|us|ms|s)$");
  BOOST_TEST(pattern(property("run").at("properties").at("precision")) == "^(0|[1-9][0-9]*)(\\.[0-9]+)? *%$");
  BOOST_TEST(pattern(cache.at("size")) == "^(0|[1-9][0-9]*)(\\.[0-9]+)? *(B|KiB|MiB|GiB|TiB|PiB|EiB)$");
  BOOST_TEST(pattern(cache.at("latency")) ==
             "^((0|[1-9][0-9]*)(\\.[0-9]+)? *(ps|ns|us|ms|s)|(0|[1-9][0-9]*) *cycles?)$");
  BOOST_TEST(pattern(cpu.at("clock")) == "^(0|[1-9][0-9]*)(\\.[0-9]+)? *(Hz|kHz|MHz|GHz)$");
}

BOOST_AUTO_TEST_CASE(a_choice_is_an_enumeration) {
  const Json protocol = schema.at("$defs").at("params.cache").at("properties").at("protocol");
  BOOST_TEST(protocol.at("oneOf").at(0).at("enum") == Json::array({"mesi", "moesi"}));
  BOOST_TEST(protocol.at("default") == "mesi");
}

BOOST_AUTO_TEST_CASE(a_type_decides_what_its_parameters_may_be) {
  const Json module = property("modules").at("additionalProperties");
  BOOST_TEST(module.at("properties").at("type").at("enum") == Json::array({"cache", "cpu", "bus"}));
  const Json rule = module.at("allOf").at(1);
  BOOST_TEST(rule.at("if").at("properties").at("type").at("const") == "cpu");
  BOOST_TEST(rule.at("then").at("properties").at("params").at("$ref") == "#/$defs/params.cpu");
}

BOOST_AUTO_TEST_CASE(steps_refer_to_themselves) {
  const Json step = property("program").at("items");
  BOOST_TEST(step.at("maxProperties") == 1);
  BOOST_TEST(step.at("properties").at("loop").at("$ref") == "#/$defs/program.loop");
  const Json body = schema.at("$defs").at("program.loop").at("properties").at("body");
  BOOST_TEST(body.at("items").at("properties").at("loop").at("$ref") == "#/$defs/program.loop");
}

BOOST_AUTO_TEST_CASE(required_keys_are_demanded_in_lists_only) {
  BOOST_TEST(property("wires").at("items").at("required") == Json::array({"from", "to"}));
  BOOST_TEST(schema.at("$defs").at("program.loop").at("required") == Json::array({"count"}));
  BOOST_TEST(!property("run").contains("required"));
}

BOOST_AUTO_TEST_SUITE_END()

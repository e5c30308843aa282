// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/leaf_schema.h"

#include <fmt/format.h>

#include "platforms/config/annotation.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {
namespace {

using Json = nlohmann::ordered_json;

Json pattern(const std::string& text) { return {{"type", "string"}, {"pattern", fmt::format("^{}$", text)}}; }

Json whole(const Leaf& leaf) {
  Json schema{{"type", "integer"}, {"minimum", lowest(leaf.bounds)}};
  if (const std::uint64_t most = highest(leaf.bounds); most != ~std::uint64_t{0}) schema["maximum"] = most;
  return schema;
}

Json signed_whole(const Leaf& leaf) {
  return {{"type", "integer"}, {"minimum", signed_bound(leaf.bounds.min)}, {"maximum", signed_bound(leaf.bounds.max)}};
}

Json number(const Leaf& leaf) {
  Json schema{{"type", "number"}, {"minimum", leaf.bounds.min}};
  if (leaf.bounds.max < base::Bounds{}.max) schema["maximum"] = leaf.bounds.max;
  return schema;
}

Json fraction(const Leaf& leaf) {
  Json schema = number(leaf);
  schema["type"] = {"number", "string"};
  schema["pattern"] = fmt::format("^{} *%$", decimal_pattern());
  return schema;
}

/// The value alone, without annotation.
Json scalar_schema(const Leaf& leaf) {
  switch (leaf.type) {
    case LeafType::boolean:
      return {{"type", "boolean"}};
    case LeafType::integer:
    case LeafType::integer_list:
    case LeafType::address:
      return whole(leaf);
    case LeafType::signed_integer:
      return signed_whole(leaf);
    case LeafType::number:
      return number(leaf);
    case LeafType::text:
    case LeafType::text_list:
      return {{"type", {"string", "number", "boolean"}}};  // the reader takes any scalar as the text it is
    case LeafType::size:
      return pattern(bytes_pattern());
    case LeafType::frequency:
      return pattern(frequency_pattern());
    case LeafType::time:
      return pattern(duration_pattern());
    case LeafType::latency:
      return pattern(latency_pattern());
    case LeafType::fraction:
      return fraction(leaf);
    case LeafType::choice:
      return {{"enum", leaf.names}};
  }
  return {};
}

Json annotatable(const Json& schema) {
  const Json annotated{{"type", "object"},
                       {"properties", {{"value", schema}, {"from", true}, {"ref", true}}},
                       {"required", {"value", "from"}},
                       {"additionalProperties", false},
                       {"allOf", Json::array({{{"$ref", "#/$defs/source"}}})}};
  return {{"oneOf", {schema, annotated}}};
}

Json scalar_default(const Leaf& leaf, const std::string& text) {
  switch (leaf.type) {
    case LeafType::boolean:
      return text == "true";
    case LeafType::integer:
    case LeafType::integer_list:
    case LeafType::address:
      return parse_integer(text).value;
    case LeafType::signed_integer:
      return parse_signed(text).value;
    case LeafType::number:
    case LeafType::fraction:
      return parse_number(text).value;
    default:
      return text;
  }
}

}  // namespace

Json leaf_schema(const Leaf& leaf) {
  const Json schema = annotatable(scalar_schema(leaf));
  return leaf.is_list() ? annotatable({{"type", "array"}, {"items", schema}}) : schema;
}

Json leaf_default(const Leaf& leaf) {
  if (!leaf.is_list()) return scalar_default(leaf, leaf.values.front());
  Json items = Json::array();
  for (const std::string& value : leaf.values) items.push_back(scalar_default(leaf, value));
  return items;
}

Json source_schema() {
  const Json is_assumed{{"properties", {{"from", {{"const", "assumed"}}}}}};
  return {{"properties", {{"from", {{"enum", kKnownFrom}}}, {"ref", {{"type", "string"}, {"minLength", 1}}}}},
          {"if", is_assumed},
          {"else", {{"required", {"ref"}}}}};
}

}  // namespace switchyard::platforms

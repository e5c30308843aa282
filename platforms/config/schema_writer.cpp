// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/schema_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config/config_loader.h"
#include "platforms/config/leaf_schema.h"

namespace switchyard::platforms {

using base::ParamDoc;
using base::ParamSet;
using Json = nlohmann::ordered_json;

namespace {

Json reference(const std::string& definition) { return {{"$ref", "#/$defs/" + definition}}; }

Json with_text(const ParamDoc& doc, Json schema) {
  Json result{{"description", std::string(doc.text)}};
  result.update(schema);
  return result;
}

}  // namespace

Json json_schema(ParamSet& params) {
  SchemaWriter writer;
  Json root = writer.group(params);
  Json result{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Switchyard configuration"}};
  result.update(root);
  result["type"] = "object";
  Json properties{{"schema", {{"description", "Version of the configuration language"}, {"const", kSchemaVersion}}},
                  {"include",
                   {{"description", "Files that this one is laid over, relative to it"},
                    {"type", "array"},
                    {"items", {{"type", "string"}}}}}};
  properties.update(result["properties"]);
  result["properties"] = std::move(properties);
  Json definitions{{"source", source_schema()}};
  definitions.update(writer.definitions());
  result["$defs"] = std::move(definitions);
  return result;
}

Json SchemaWriter::group(ParamSet& params) {
  groups_.push_back({{"type", {"object", "null"}}, {"properties", Json::object()}, {"additionalProperties", false}});
  params.visit(*this);
  Json result = std::move(groups_.back());
  groups_.pop_back();
  return result;
}

void SchemaWriter::add(const ParamDoc& doc, Json schema) {
  Json& group = groups_.back();
  group["properties"][std::string(doc.key)] = with_text(doc, std::move(schema));
  if (doc.required && lists_ > 0) group["required"].push_back(std::string(doc.key));
}

void SchemaWriter::leaf(const Leaf& leaf) {
  Json schema = leaf_schema(leaf);
  if (!leaf.doc.required) schema["default"] = leaf_default(leaf);
  add(leaf.doc, std::move(schema));
}

void SchemaWriter::object(const ParamDoc& doc, ParamSet& field) { add(doc, group(field)); }

void SchemaWriter::typed(const ParamDoc& type_doc, std::string& name, const ParamDoc& doc, std::unique_ptr<ParamSet>&,
                         const base::ParamSetFactory& factory) {
  Json type{{"enum", factory.names()}};
  if (!type_doc.required && !name.empty()) type["default"] = name;
  add(type_doc, std::move(type));
  add(doc, {{"type", {"object", "null"}}});
  const std::string prefix = definition_prefix(std::string(doc.key), factory);
  const std::string type_key(type_doc.key);
  for (const std::string& known : factory.names()) {
    const Json condition{{"properties", {{type_key, {{"const", known}}}}}, {"required", {type_key}}};
    const Json consequence{{"properties", {{std::string(doc.key), reference(prefix + known)}}}};
    groups_.back()["allOf"].push_back({{"if", condition}, {"then", consequence}});
  }
}

void SchemaWriter::steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>&,
                         const base::ParamSetFactory& factory) {
  ++lists_;
  const std::string prefix = definition_prefix(std::string(doc.key), factory);
  --lists_;
  Json step{{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", false}};
  for (const std::string& name : factory.names()) step["properties"][name] = reference(prefix + name);
  add(doc, {{"type", {"array", "null"}}, {"items", std::move(step)}});
}

std::string SchemaWriter::definition_prefix(const std::string& key, const base::ParamSetFactory& factory) {
  if (const auto known = prefixes_.find(&factory); known != prefixes_.end()) return known->second;
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(prefixes_.begin(), prefixes_.end(), [&](const auto& entry) { return entry.second == name; });
  };
  std::string prefix = key + ".";
  for (int i = 2; is_taken(prefix); ++i) prefix = fmt::format("{}{}.", key, i);
  prefixes_.emplace(&factory, prefix);  // before the groups: a step may hold steps
  for (const std::string& name : factory.names()) {
    const std::unique_ptr<ParamSet> params = factory.make(name);
    definitions_[prefix + name] = nullptr;  // keeps the order of the registry
    Json schema = group(*params);
    definitions_[prefix + name] = std::move(schema);
  }
  return prefix;
}

std::size_t SchemaWriter::begin_sequence(const ParamDoc& doc, std::size_t size) {
  collections_.push_back({doc, "items", Json{{"type", {"array", "null"}}}});
  ++lists_;
  return size;
}

std::vector<std::string> SchemaWriter::begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) {
  collections_.push_back({doc, "additionalProperties", Json{{"type", {"object", "null"}}}});
  return keys;
}

void SchemaWriter::item(std::size_t, ParamSet& value) { show_prototype(value); }
void SchemaWriter::named_item(const std::string&, ParamSet& value) { show_prototype(value); }

void SchemaWriter::show_prototype(ParamSet& prototype) {
  const std::string keyword = collections_.back().items_keyword;
  if (collections_.back().schema.contains(keyword)) return;  // the real items look the same
  Json schema = group(prototype);
  collections_.back().schema[keyword] = std::move(schema);
}

void SchemaWriter::end_collection() {
  Collection done = std::move(collections_.back());
  collections_.pop_back();
  if (done.items_keyword == "items") --lists_;
  add(done.doc, std::move(done.schema));
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/params.h"
#include "platforms/config/leaf_visitor.h"

namespace switchyard::platforms {

/// JSON Schema (draft 2020-12) of a configuration file, for editors. A file may be one part of several that are laid
/// over each other, so required keys are demanded only where nothing can be added later: inside lists.
nlohmann::ordered_json json_schema(base::ParamSet& params);

/// Describes parameters in JSON Schema. Lists and maps of groups are described by one default item.
class SchemaWriter : public LeafVisitor {
 public:
  using Json = nlohmann::ordered_json;

  /// The schema of a group.
  Json group(base::ParamSet& params);
  /// What `$ref`s in the schemas so far point to.
  const Json& definitions() const { return definitions_; }

  void object(const base::ParamDoc& doc, base::ParamSet& field) override;
  void typed(const base::ParamDoc& type_doc, std::string& name, const base::ParamDoc& doc,
             std::unique_ptr<base::ParamSet>& field, const base::ParamSetFactory& factory) override;
  void steps(const base::ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<base::ParamSet>>>& field,
             const base::ParamSetFactory& factory) override;

 protected:
  bool wants_prototype() const override { return true; }
  void leaf(const Leaf& leaf) override;
  std::size_t begin_sequence(const base::ParamDoc& doc, std::size_t size) override;
  void item(std::size_t index, base::ParamSet& value) override;
  void end_sequence() override { end_collection(); }
  std::vector<std::string> begin_named(const base::ParamDoc& doc, const std::vector<std::string>& keys) override;
  void named_item(const std::string& name, base::ParamSet& value) override;
  void end_named() override { end_collection(); }

 private:
  /// A list or map whose prototype has not been shown yet.
  struct Collection {
    const base::ParamDoc& doc;
    std::string items_keyword;  // `items` or `additionalProperties`
    Json schema;
  };

  void add(const base::ParamDoc& doc, Json schema);
  void end_collection();
  void show_prototype(base::ParamSet& prototype);
  /// `$ref` to the schemas of the groups of `factory`, which are made when it is seen first.
  std::string definition_prefix(const std::string& key, const base::ParamSetFactory& factory);

  std::vector<Json> groups_;
  std::vector<Collection> collections_;
  std::size_t lists_ = 0;  // enclosing lists
  Json definitions_ = Json::object();
  std::unordered_map<const base::ParamSetFactory*, std::string> prefixes_;
};

}  // namespace switchyard::platforms

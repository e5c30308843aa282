// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.h"
#include "platforms/config/leaf_visitor.h"
#include "platforms/config/place.h"
#include "platforms/config/provenance.h"

namespace switchyard::platforms {

/// The fully resolved configuration as YAML: every parameter with its value, annotation and, as a comment, its origin.
/// Read again and written again it gives the same bytes. `params` is visited, not changed.
std::string write_resolved(base::ParamSet& params, const Provenance& provenance);

/// 16 hex digits over all values of a configuration, defaults included, and nothing else.
std::string config_hash(base::ParamSet& params, const Provenance& provenance);

/// Writes parameters as block YAML, one scalar a line.
class ParamWriter : public LeafVisitor {
 public:
  explicit ParamWriter(const Provenance& provenance) : provenance_(provenance) {}

  void write(base::ParamSet& params) { params.visit(*this); }
  const std::string& text() const { return text_; }
  std::uint64_t hash() const { return hash_; }

  void object(const base::ParamDoc& doc, base::ParamSet& field) override;
  void typed(const base::ParamDoc& type_doc, std::string& name, const base::ParamDoc& doc,
             std::unique_ptr<base::ParamSet>& field, const base::ParamSetFactory& factory) override;
  void steps(const base::ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<base::ParamSet>>>& field,
             const base::ParamSetFactory& factory) override;

 protected:
  void leaf(const Leaf& leaf) override;
  std::size_t begin_sequence(const base::ParamDoc& doc, std::size_t size) override;
  void item(std::size_t index, base::ParamSet& value) override;
  void end_sequence() override { end_collection(); }
  std::vector<std::string> begin_named(const base::ParamDoc& doc, const std::vector<std::string>& keys) override;
  void named_item(const std::string& name, base::ParamSet& value) override;
  void end_named() override { end_collection(); }

 private:
  std::string path_of(std::string_view key) const { return join_path(paths_.back(), key); }
  /// Starts a line: indentation, and the dash of a list item that begins with it.
  void begin_line();
  void hash_value(const std::string& path, const std::string& yaml);
  /// `yaml` with its annotation, and the origin as a comment, to the end of the line; no source means a default.
  void finish_line(const SourcedValue* source, const std::string& yaml);
  void scalar(std::string_view key, const std::string& yaml);
  void write_list(std::string_view key, const Leaf& leaf);
  /// The source that all items of a list share and one line can state; false when they differ.
  bool common_source(const std::string& path, std::size_t items, const SourcedValue*& source) const;
  /// `head` and the parameters of `params` below it, `{}` when it has none.
  void group(const std::string& head, const std::string& path, base::ParamSet& params);
  void list_item(const std::string& path, base::ParamSet& params);
  void begin_collection(std::string_view key, bool is_empty, std::string_view empty_yaml);
  void end_collection();

  const Provenance& provenance_;
  std::string text_;
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
  std::size_t indent_ = 0;
  bool needs_dash_ = false;
  std::vector<std::string> paths_{""};
};

}  // namespace switchyard::platforms

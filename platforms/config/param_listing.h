// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/params.h"
#include "platforms/config/leaf_visitor.h"

namespace switchyard::platforms {

/// What there is to say about one parameter.
struct ParamRow {
  std::string path;      // within the section
  std::string type;      // `size`, `one of mesi, moesi`, `whole number of ways`
  std::string fallback;  // the default, or `required`; empty for groups
  std::string range;     // empty when all values of the type are allowed
  std::string text;
};

/// Parameters that belong together: those of a group, or of one type or step that a key chooses.
struct ParamSection {
  std::string title;  // empty for the group that was asked for
  std::vector<ParamRow> rows;
};

/// All parameters of `params`, those of types and steps in sections of their own.
std::vector<ParamSection> list_params(base::ParamSet& params);

/// Collects sections; every type and step is listed once, however often it may occur.
class ParamListing : public LeafVisitor {
 public:
  /// Lists `params` as a section, followed by the sections that it refers to.
  void section(const std::string& title, base::ParamSet& params);
  std::vector<ParamSection> take_sections() { return std::move(sections_); }

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
  void end_sequence() override { shown_.pop_back(); }
  std::vector<std::string> begin_named(const base::ParamDoc& doc, const std::vector<std::string>& keys) override;
  void named_item(const std::string& name, base::ParamSet& value) override;
  void end_named() override { shown_.pop_back(); }

 private:
  void add(const base::ParamDoc& doc, const std::string& type, const std::string& fallback = "",
           const std::string& range = "");
  void below(const std::string& path, base::ParamSet& params);
  void show_prototype(const std::string& path, base::ParamSet& prototype);
  void add_sections(const std::string& title, const base::ParamSetFactory& factory);

  std::vector<ParamSection> sections_;
  std::size_t current_ = 0;                          // the section that rows go to
  std::vector<std::string> paths_;                   // of the group that is being listed
  std::vector<std::pair<std::string, bool>> shown_;  // path of each open collection; whether its prototype was shown
  std::unordered_set<const base::ParamSetFactory*> listed_;
};

}  // namespace switchyard::platforms

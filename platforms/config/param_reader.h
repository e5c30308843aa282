// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/params.h"
#include "platforms/config/annotation.h"
#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "platforms/config/provenance.h"

namespace switchyard::platforms {

/// Reads `tree` into `params`. All errors go to `diagnostics`, a faulty value leaves its field as it was; origins of
/// all values that were read go to `provenance`.
void read_params(const ConfigTree& tree, base::ParamSet& params, Diagnostics& diagnostics, Provenance& provenance);

/// Fills parameters from a tree of nodes. Groups that nobody wrote are left alone, required keys included.
class ParamReader : public base::ParamVisitor {
 public:
  ParamReader(Diagnostics& diagnostics, Provenance& provenance) : diagnostics_(diagnostics), provenance_(provenance) {}

  /// Reads a map, or nothing at all (`params:` and no more), whose keys are the parameters of `params`.
  void read_group(const ConfigNode& node, const std::string& path, base::ParamSet& params);

  void value(const base::ParamDoc& doc, bool& field) override;
  void value(const base::ParamDoc& doc, std::uint64_t& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, std::int64_t& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, double& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, std::string& field) override;
  void value(const base::ParamDoc& doc, base::Bytes& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, base::Frequency& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, base::Duration& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, base::Latency& field, base::Bounds bounds) override;
  void value(const base::ParamDoc& doc, base::Fraction& field, base::Bounds bounds) override;
  void address(const base::ParamDoc& doc, base::Address& field, base::Bounds bounds) override;
  void list(const base::ParamDoc& doc, std::vector<std::uint64_t>& field, base::Bounds bounds) override;
  void list(const base::ParamDoc& doc, std::vector<std::string>& field) override;
  void choice_index(const base::ParamDoc& doc, std::size_t& field, std::span<const std::string_view> names) override;
  void object(const base::ParamDoc& doc, base::ParamSet& field) override;
  void typed(const base::ParamDoc& type_doc, std::string& name, const base::ParamDoc& doc,
             std::unique_ptr<base::ParamSet>& field, const base::ParamSetFactory& factory) override;
  void steps(const base::ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<base::ParamSet>>>& field,
             const base::ParamSetFactory& factory) override;

 protected:
  std::size_t begin_sequence(const base::ParamDoc& doc, std::size_t size) override;
  void item(std::size_t index, base::ParamSet& value) override;
  void end_sequence() override { collections_.pop_back(); }
  std::vector<std::string> begin_named(const base::ParamDoc& doc, const std::vector<std::string>& keys) override;
  void named_item(const std::string& name, base::ParamSet& value) override;
  void end_named() override { collections_.pop_back(); }

 private:
  /// A group that is being read.
  struct Group {
    const ConfigNode& node;
    std::string path;
    std::vector<std::string> known;  // the keys that its ParamSet has asked for
  };
  /// A list or map of groups that is being read; null when nobody wrote it.
  struct Collection {
    const ConfigNode* node = nullptr;
    std::string path;
  };

  /// The node of a key of the current group, which it marks as known; nullptr when absent, reported when required.
  const ConfigNode* take(const base::ParamDoc& doc);
  std::string path_of(const base::ParamDoc& doc) const { return join_path(groups_.back().path, doc.key); }
  /// Like take(), for a key that must hold `kind`; `expected` says so in the message. Null nodes pass.
  const ConfigNode* take_collection(const base::ParamDoc& doc, ConfigNode::Kind kind, std::string_view expected);
  void refuse_unknown_keys(const Group& group);
  void error(const ConfigNode& node, std::string_view path, std::string_view what);
  void record(const AnnotatedValue& value, const std::string& path, const std::string& text);
  void record_collection(const ConfigNode& node, const std::string& path);

  /// `parse` makes a Parsed<T> of the node of a scalar; `check` gives what is wrong with the value, or nothing.
  template <class T, class Parse, class Check, class Text>
  void read_node(const ConfigNode& node, const std::string& path, T& field, std::string_view expected, Parse parse,
                 Check check, Text text);
  template <class T, class Parse>
  void read_quantity(const base::ParamDoc& doc, T& field, std::uint64_t T::*number, const base::Bounds& bounds,
                     std::string_view expected, Parse parse);
  template <class T, class Read>
  void read_list(const base::ParamDoc& doc, std::vector<T>& field, std::string_view expected, Read read);
  void read_integer(const ConfigNode& node, const std::string& path, std::uint64_t& field, const base::Bounds& bounds);
  void read_text(const ConfigNode& node, const std::string& path, std::string& field, std::string_view expected);
  bool read_step(const ConfigNode& node, const std::string& path,
                 std::pair<std::string, std::unique_ptr<base::ParamSet>>& step, const base::ParamSetFactory& factory);

  Diagnostics& diagnostics_;
  Provenance& provenance_;
  std::vector<Group> groups_;
  std::vector<Collection> collections_;
};

}  // namespace switchyard::platforms

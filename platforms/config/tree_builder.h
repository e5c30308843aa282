// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "platforms/config/source_text.h"
#include "platforms/config/yaml_parser.h"

namespace switchyard::platforms {

/// What makes a document unreadable. Passes through yaml-cpp; never leaves parse_yaml().
struct ParseFailure {
  Place place;
  std::string path;
  std::string what;
};

/// Builds a ConfigNode from the events of yaml-cpp: one call sequence per document.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& text, ParseBudget& budget, Diagnostics& diagnostics)
      : text_(text), budget_(budget), diagnostics_(diagnostics) {}

  ConfigNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  /// A map or sequence whose end has not come yet.
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor = 0;
    std::size_t spent_before = 0;  // spent_ when it was opened
    std::size_t depth = 1;         // levels inside, itself included
    bool has_key = false;
    bool key_merges = false;                        // the key is `<<`, not in quotes
    ConfigNode::Key key;                            // of the value that comes next
    std::unordered_map<std::string, Place> places;  // of the keys so far
    std::vector<ConfigNode> merges;                 // values of `<<`, strongest first
  };
  /// A finished value that aliases may repeat.
  struct Anchored {
    ConfigNode node;
    std::size_t bytes = 0;
    std::size_t depth = 0;
  };

  ConfigNode node(const YAML::Mark& mark, ConfigNode::Kind kind) const;
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ConfigNode::Kind kind);
  void close();
  /// Puts a finished value where the document has it; `bytes` and `depth` are its own.
  void place_value(ConfigNode value, YAML::anchor_t anchor, std::size_t bytes, std::size_t depth);
  void begin_key(const ConfigNode& scalar);
  void end_key(ConfigNode value);
  void add_merge(Open& map, ConfigNode value);
  void apply_merges(Open& map) const;
  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == ConfigNode::Kind::map && !open_.back().has_key;
  }
  void refuse_as_key(const Place& place) const;
  void refuse_tag(const Place& place, const std::string& tag) const;
  /// yaml-cpp takes a text without its closing quote and a key without its colon; both are refused here.
  std::size_t skip_properties(std::size_t offset) const;
  std::size_t end_of_quotes(std::size_t offset) const;
  void check_colon(std::size_t offset, const std::string& key) const;
  void spend(const Place& place, std::size_t bytes);
  void check_depth(const Place& place, std::size_t more) const;
  std::string path() const;
  [[noreturn]] void fail(const Place& place, std::string what) const;

  const SourceText& text_;
  ParseBudget& budget_;
  Diagnostics& diagnostics_;
  std::size_t spent_ = 0;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  ConfigNode root_;
};

}  // namespace switchyard::platforms

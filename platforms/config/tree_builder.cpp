// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config/text.h"

namespace switchyard::platforms {
namespace {

using Kind = ConfigNode::Kind;

constexpr std::string_view kMergeKey = "<<";

std::size_t bytes_of(const ConfigNode& node) {
  return sizeof(ConfigNode) + node.text.size() + node.recorded_origin.size();
}

std::size_t offset_of(const YAML::Mark& mark) { return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos); }

}  // namespace

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  ConfigNode value = node(mark, Kind::null);
  if (expects_key()) fail(value.place, "a key is missing in front of ':'; write `key: value`");
  if (!open_.empty() && open_.back().has_key) value.place = open_.back().key.place;
  spend(value.place, bytes_of(value));
  place_value(std::move(value), anchor, sizeof(ConfigNode), 0);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Place place = text_.place(offset_of(mark));
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(place, "the alias refers to the value that contains it");
  const Anchored& target = found->second;
  if (expects_key()) {
    if (target.node.kind != Kind::scalar) refuse_as_key(place);
    return begin_key(target.node);
  }
  check_depth(place, target.depth);
  spend(place, target.bytes);
  place_value(target.node, 0, target.bytes, target.depth);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  ConfigNode scalar = node(mark, Kind::scalar);
  refuse_tag(scalar.place, tag);
  scalar.quoted = tag == "!";
  scalar.text = value;
  const std::size_t bytes = bytes_of(scalar);
  spend(scalar.place, bytes);
  const std::size_t start = skip_properties(offset_of(mark));
  if (scalar.quoted) end_of_quotes(start);
  if (!expects_key()) return place_value(std::move(scalar), anchor, bytes, 0);
  check_colon(start, value);
  begin_key(scalar);
  if (anchor != 0) anchors_[anchor] = {std::move(scalar), bytes, 0};
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  open(mark, tag, anchor, Kind::sequence);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(mark, tag, anchor, Kind::map);
}

ConfigNode TreeBuilder::node(const YAML::Mark& mark, Kind kind) const {
  ConfigNode result;
  result.kind = kind;
  result.place = text_.place(offset_of(mark));
  result.recorded_origin = text_.recorded_origin(result.place);
  return result;
}

void TreeBuilder::open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
  Open next;
  next.node = node(mark, kind);
  next.anchor = anchor;
  next.spent_before = spent_;
  refuse_tag(next.node.place, tag);
  if (expects_key()) refuse_as_key(next.node.place);
  check_depth(next.node.place, 1);
  spend(next.node.place, bytes_of(next.node));
  open_.push_back(std::move(next));
}

void TreeBuilder::close() {
  Open done = std::move(open_.back());
  open_.pop_back();
  apply_merges(done);
  place_value(std::move(done.node), done.anchor, spent_ - done.spent_before, done.depth);
}

void TreeBuilder::place_value(ConfigNode value, YAML::anchor_t anchor, std::size_t bytes, std::size_t depth) {
  if (anchor != 0) {
    spend(value.place, bytes);  // the copy for the aliases
    anchors_[anchor] = {value, bytes, depth};
  }
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& parent = open_.back();
  parent.depth = std::max(parent.depth, depth + 1);
  if (parent.node.kind == Kind::map) {
    end_key(std::move(value));
  } else {
    parent.node.items.push_back(std::move(value));
  }
}

void TreeBuilder::begin_key(const ConfigNode& scalar) {
  Open& map = open_.back();
  spend(scalar.place, sizeof(ConfigNode::Key) + 2 * scalar.text.size());
  map.key = {scalar.text, scalar.place};
  map.has_key = true;
  map.key_merges = scalar.text == kMergeKey && !scalar.quoted;
}

void TreeBuilder::end_key(ConfigNode value) {
  Open& map = open_.back();
  const auto [first, is_new] = map.places.emplace(map.key.name, map.key.place);
  if (!is_new) {
    const Place& before = first->second;
    diagnostics_.error(map.key.place, path(),
                       before.line > 0 ? fmt::format("duplicate key; first given at line {}, give it once", before.line)
                                       : std::string("duplicate key; give it once"));
  } else if (map.key_merges) {
    add_merge(map, std::move(value));
  } else {
    map.node.add(std::move(map.key), std::move(value));
  }
  map.has_key = false;
}

void TreeBuilder::add_merge(Open& map, ConfigNode value) {
  const bool is_list = value.kind == Kind::sequence;
  const bool fits =
      value.kind == Kind::map || (is_list && std::all_of(value.items.begin(), value.items.end(),
                                                         [](const auto& item) { return item.kind == Kind::map; }));
  if (!fits) fail(map.key.place, fmt::format("`<<` merges a map or a list of maps, found {}", value.description()));
  if (!is_list) {
    map.merges.push_back(std::move(value));
  } else {
    map.merges = std::move(value.items);
  }
}

void TreeBuilder::apply_merges(Open& map) const {
  for (ConfigNode& source : map.merges) {
    for (std::size_t i = 0; i < source.keys.size(); ++i) {
      ConfigNode::Key& key = source.keys[i];
      if (map.places.emplace(key.name, key.place).second) map.node.add(std::move(key), std::move(source.items[i]));
    }
  }
}

void TreeBuilder::refuse_as_key(const Place& place) const {
  fail(place, "a list or map cannot be a key; or a bracket is left open here");
}

void TreeBuilder::refuse_tag(const Place& place, const std::string& tag) const {
  if (!tag.empty() && tag != "?" && tag != "!")
    fail(place, fmt::format("tags such as {} are not supported; write the value alone", shown(tag)));
}

std::size_t TreeBuilder::skip_properties(std::size_t offset) const {
  const std::string& text = text_.text();
  while (offset < text.size() && (text[offset] == '&' || text[offset] == '!'))
    offset = std::min(text.find_first_not_of(" \t\n", text.find_first_of(" \t\n", offset)), text.size());
  return offset;
}

std::size_t TreeBuilder::end_of_quotes(std::size_t offset) const {
  const std::string& text = text_.text();
  const char quote = offset < text.size() ? text[offset] : '\0';
  if (quote != '"' && quote != '\'') return offset;  // a block scalar
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (quote == '\'' && text.compare(i, 2, "''") == 0) {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  fail(text_.place(offset), fmt::format("not valid YAML: the closing {} is missing", quote));
}

void TreeBuilder::check_colon(std::size_t offset, const std::string& key) const {
  const std::string& text = text_.text();
  const bool is_plain = text.compare(offset, key.size(), key) == 0;
  const std::size_t end = is_plain ? offset + key.size() : end_of_quotes(offset);
  const std::size_t colon = text.find_first_not_of(" \t\n", end);
  if (end != offset && (colon == std::string::npos || text[colon] != ':'))
    fail(text_.place(offset), fmt::format("a ':' is missing after {}; write `key: value`", shown(key)));
}

void TreeBuilder::spend(const Place& place, std::size_t bytes) {
  if (bytes > budget_.bytes)
    fail(place, "the configuration is too large: it needs more than 64 MiB with its aliases expanded");
  budget_.bytes -= bytes;
  spent_ += bytes;
}

void TreeBuilder::check_depth(const Place& place, std::size_t more) const {
  if (open_.size() + more > kDeepestNesting)
    throw ParseFailure{place, "", fmt::format("nested too deeply; {} levels are the limit", kDeepestNesting)};
}

std::string TreeBuilder::path() const {
  std::string result;
  for (const Open& level : open_) {
    if (level.node.kind == Kind::sequence) {
      result = join_path(result, level.node.items.size());
    } else if (level.has_key) {
      result = join_path(result, level.key.name);
    }
  }
  return result;
}

void TreeBuilder::fail(const Place& place, std::string what) const {
  throw ParseFailure{place, path(), std::move(what)};
}

}  // namespace switchyard::platforms

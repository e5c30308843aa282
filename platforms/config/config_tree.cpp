// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/config_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/errors.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {
namespace {

std::size_t index_of(const ConfigNode& map, std::string_view key) {
  const auto at = std::find_if(map.keys.begin(), map.keys.end(), [&](const auto& k) { return k.name == key; });
  return static_cast<std::size_t>(at - map.keys.begin());
}

bool changes_type(const ConfigNode& base, const ConfigNode& over) {
  const ConfigNode* before = base.find("type");
  const ConfigNode* after = over.find("type");
  return before && after && before->kind == ConfigNode::Kind::scalar && after->kind == ConfigNode::Kind::scalar &&
         before->text != after->text;
}

void merge_maps(ConfigNode& base, ConfigNode over) {
  if (changes_type(base, over) && over.find("params")) base.take("params");
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < base.keys.size(); ++i) index.emplace(base.keys[i].name, i);
  base.place = over.place;
  for (std::size_t i = 0; i < over.keys.size(); ++i) {
    const auto known = index.find(over.keys[i].name);
    if (known == index.end()) {
      base.add(std::move(over.keys[i]), std::move(over.items[i]));
    } else {
      base.keys[known->second].place = over.keys[i].place;
      merge_over(base.items[known->second], std::move(over.items[i]));
    }
  }
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const std::size_t i = index_of(*this, key);
  return i < keys.size() ? &items[i] : nullptr;
}

ConfigNode* ConfigNode::find(std::string_view key) {
  const std::size_t i = index_of(*this, key);
  return i < keys.size() ? &items[i] : nullptr;
}

ConfigNode& ConfigNode::add(Key key, ConfigNode value) {
  SWITCHYARD_ASSERT(kind == Kind::map, "only maps have keys");
  keys.push_back(std::move(key));
  items.push_back(std::move(value));
  return items.back();
}

ConfigNode ConfigNode::take(std::string_view key) {
  const std::size_t i = index_of(*this, key);
  if (i >= keys.size()) return {};
  ConfigNode value = std::move(items[i]);
  keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(i));
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
  return value;
}

std::string ConfigNode::description() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return fmt::format("{} {}", quoted ? "the text" : "the value",
                         quoted ? platforms::quoted(shown(text)) : shown(text));
    case Kind::sequence:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "";
}

bool is_annotated(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::map && node.find("value") && node.find("from");
}

void merge_over(ConfigNode& base, ConfigNode over) {
  const bool both_maps = base.kind == ConfigNode::Kind::map && over.kind == ConfigNode::Kind::map;
  if (both_maps && !is_annotated(base) && !is_annotated(over)) {
    merge_maps(base, std::move(over));
  } else if (base.kind != ConfigNode::Kind::map || over.kind != ConfigNode::Kind::null) {
    base = std::move(over);  // an empty section (`modules:` and nothing below) leaves the map as it is
  }
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config/place.h"

namespace switchyard::platforms {

/// One value of a configuration with the place where it was written. Aliases and merges are already expanded.
struct ConfigNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  struct Key {
    std::string name;
    Place place;
  };

  Kind kind = Kind::null;
  bool quoted = false;  // scalars: text by the writer's will, never a number
  std::string text;     // scalars
  Place place;
  std::string recorded_origin;    // what a resolved file says about the value; empty elsewhere
  std::vector<Key> keys;          // maps: keys[i] names items[i]; each name once
  std::vector<ConfigNode> items;  // maps and sequences

  /// The value of `key` in a map, else nullptr.
  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);
  /// Adds a key to a map that does not have it.
  ConfigNode& add(Key key, ConfigNode value);
  /// Takes `key` out of a map; a null node when it is not there.
  ConfigNode take(std::string_view key);

  /// `file:line`, `--set` or `default`.
  std::string origin() const { return recorded_origin.empty() ? place.origin() : recorded_origin; }
  /// `nothing`, `the value 12`, `a list` or `a map`, for messages.
  std::string description() const;
};

/// A whole configuration: all files and overrides merged.
struct ConfigTree {
  ConfigNode root;
};

/// Lays `over` on `base`: maps merge key by key, all else replaces. A map that changes `type` replaces `params`, and an
/// annotated value (`{value:, from:, ref:}`) is replaced as a whole.
void merge_over(ConfigNode& base, ConfigNode over);

/// Whether `node` is a map that states a value and where it is known from.
bool is_annotated(const ConfigNode& node);

}  // namespace switchyard::platforms

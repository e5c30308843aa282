// SPDX-License-Identifier: Apache-2.0
#include "sc_main/config_spot.h"

#include "platforms/config/place.h"

namespace switchyard::cli {

Spot find_spot(const platforms::ConfigNode& root, std::initializer_list<std::variant<std::string, std::size_t>> steps) {
  const platforms::ConfigNode* node = &root;
  std::string path;
  for (const auto& step : steps) {
    const platforms::ConfigNode* next = nullptr;
    if (const auto* key = std::get_if<std::string>(&step)) {
      next = node->find(*key);
      if (next) path = platforms::join_path(path, *key);
    } else if (const std::size_t index = std::get<std::size_t>(step); index < node->items.size()) {
      next = &node->items[index];
      path = platforms::join_path(path, index);
    }
    if (!next) break;
    node = next;
  }
  return {node->place, path};
}

}  // namespace switchyard::cli

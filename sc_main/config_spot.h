// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <variant>

#include "platforms/config/config_tree.h"

namespace switchyard::cli {

/// Where something in a file stands.
struct Spot {
  platforms::Place place;
  std::string path;
};

/// Follows keys and list indices from `root` as far as they are written.
Spot find_spot(const platforms::ConfigNode& root, std::initializer_list<std::variant<std::string, std::size_t>> steps);

}  // namespace switchyard::cli

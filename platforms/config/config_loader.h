// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"

namespace switchyard::platforms {

/// The version of the configuration language that this program reads: `schema: 1`.
constexpr std::uint64_t kSchemaVersion = 1;

/// Reads `files`, each with what it includes below it, and lays them over each other in order; then applies `sets`
/// (`a.b[2].c=value`) in order. `schema` and `include` are consumed.
/// Throws base::ConfigError with all errors so far when a file cannot be opened or is not readable YAML, because
/// nothing that follows would be true; leaves all other errors in `diagnostics` for the reader to add to.
ConfigTree load_config(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                       Diagnostics& diagnostics);

/// Applies `sets` to a tree as load_config() does.
void apply_overrides(ConfigTree& tree, const std::vector<std::string>& sets, Diagnostics& diagnostics);

}  // namespace switchyard::platforms

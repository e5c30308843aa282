// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "platforms/config/yaml_parser.h"

namespace switchyard::platforms {

/// Applies one `--set a.b[2].c=value` to `root`; the value is YAML. Keys that do not exist are created and left for
/// the parameter reader to refuse, which knows the valid ones. `order` sorts its messages.
/// False when the override could not be read at all.
bool apply_override(ConfigNode& root, const std::string& text, std::size_t order, ParseBudget& budget,
                    Diagnostics& diagnostics);

}  // namespace switchyard::platforms

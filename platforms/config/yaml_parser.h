// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "platforms/config/source_text.h"

namespace switchyard::platforms {

/// How much a whole configuration may hold after aliases are expanded; spent by every parse of one load.
struct ParseBudget {
  std::size_t bytes = std::size_t{64} << 20;
};

/// Levels of maps and lists in one document, aliases expanded.
constexpr std::size_t kDeepestNesting = 64;

/// The one document in `text`; an empty file gives a null node. Aliases and `<<` are expanded.
/// What makes the text unreadable is reported once and gives nothing; duplicate keys are reported and reading goes on.
std::optional<ConfigNode> parse_yaml(const SourceText& text, ParseBudget& budget, Diagnostics& diagnostics);

}  // namespace switchyard::platforms

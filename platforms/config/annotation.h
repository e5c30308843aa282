// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"

namespace switchyard::platforms {

/// How a value about a real machine may be known.
constexpr std::array<std::string_view, 4> kKnownFrom{"measured", "documented", "calibrated", "assumed"};

/// A value with what the user said about its source: `12`, or `{value: 12, from: measured, ref: "..."}`.
struct AnnotatedValue {
  const ConfigNode* node = nullptr;  // the value itself
  std::string from;
  std::string ref;
};

/// Looks through the annotation of `node`. A map without `value` and `from` is no annotation and comes back as it is.
/// A wrong annotation is reported, and gives nothing.
std::optional<AnnotatedValue> annotated_value(const ConfigNode& node, const std::string& path,
                                              Diagnostics& diagnostics);

}  // namespace switchyard::platforms

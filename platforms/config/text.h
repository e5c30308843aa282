// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::platforms {

/// `text` in double quotes with YAML escapes for quotes, backslashes and control characters.
std::string quoted(std::string_view text);

/// `text` as a YAML scalar that reads back as the same text: plain where no reader could take it for something else.
std::string yaml_scalar(std::string_view text);

/// `text` for a message: on one line, shortened when it is long.
std::string shown(std::string_view text);

/// `a, b, c`.
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");

/// The name in `valid` that the writer of `wrong` most likely meant; empty when none is near.
std::string nearest(std::string_view wrong, std::span<const std::string> valid);

/// `; did you mean X? allowed: a, b, c`, the tail of every message about an unknown name.
std::string allowed_names(std::string_view wrong, std::span<const std::string> valid);

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/place.h"

#include <fmt/format.h>

#include "platforms/config/text.h"

namespace switchyard::platforms {

std::string Place::text() const {
  if (!source) return "default";
  if (line == 0) return source->name;
  return column > 0 ? fmt::format("{}:{}:{}", source->name, line, column) : fmt::format("{}:{}", source->name, line);
}

std::string Place::origin() const {
  if (!source) return "default";
  return line > 0 ? fmt::format("{}:{}", source->origin, line) : source->origin;
}

std::string join_path(std::string_view parent, std::string_view key) {
  const std::string shown =
      key.empty() || key.find_first_of(".[]= \t\n\"") != std::string_view::npos ? quoted(key) : std::string(key);
  return parent.empty() ? shown : fmt::format("{}.{}", parent, shown);
}

std::string join_path(std::string_view parent, std::size_t index) { return fmt::format("{}[{}]", parent, index); }

}  // namespace switchyard::platforms

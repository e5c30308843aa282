// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/errors.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {
namespace {

auto order(const Place& place) {
  const std::size_t source = place.source ? place.source->order : std::numeric_limits<std::size_t>::max();
  return std::tuple(source, place.line, place.column);
}

}  // namespace

void Diagnostics::error(const Place& place, std::string_view path, std::string_view what) {
  if (full()) return;
  const std::string where = place.text();
  const bool says_path = path.empty() || where == fmt::format("--set {}", path);
  errors_.push_back(
      {place, says_path ? fmt::format("{}: {}", where, what) : fmt::format("{}: {}: {}", where, path, what)});
}

std::vector<std::string> Diagnostics::messages() const {
  std::vector<const Error*> sorted;
  for (const Error& error : errors_) sorted.push_back(&error);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Error* a, const Error* b) { return order(a->place) < order(b->place); });
  std::vector<std::string> result;
  for (const Error* error : sorted) result.push_back(error->message);
  if (full()) result.push_back(fmt::format("more than {} errors; the rest is not shown", kMost));
  return result;
}

void Diagnostics::throw_if_any() const {
  if (!empty()) throw base::ConfigError(join(messages(), "\n"));
}

}  // namespace switchyard::platforms

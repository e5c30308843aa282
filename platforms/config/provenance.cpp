// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/provenance.h"

#include <algorithm>

namespace switchyard::platforms {

void Provenance::record(SourcedValue value) {
  const auto [known, is_new] = index_.emplace(value.path, entries_.size());
  if (is_new) {
    entries_.push_back(std::move(value));
  } else {
    entries_[known->second] = std::move(value);
  }
}

const SourcedValue* Provenance::find(std::string_view path) const {
  const auto known = index_.find(std::string(path));
  return known == index_.end() ? nullptr : &entries_[known->second];
}

std::size_t Provenance::count(std::string_view from) const {
  const auto n =
      std::count_if(entries_.begin(), entries_.end(), [&](const SourcedValue& entry) { return entry.from == from; });
  return static_cast<std::size_t>(n);
}

}  // namespace switchyard::platforms

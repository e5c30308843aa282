// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace switchyard::platforms {

/// Where one value of a configuration comes from.
struct SourcedValue {
  std::string path;    // `modules.l1.params.size`
  std::string value;   // canonical text; empty for a map or list
  std::string from;    // measured, documented, calibrated, assumed; empty when the user did not say
  std::string ref;     // what `from` refers to
  std::string origin;  // `file:line` or `--set`
};

/// The origins of all values that a configuration states; what is not in it is a default.
class Provenance {
 public:
  /// Replaces what was known about the path.
  void record(SourcedValue value);

  /// The entry of `path`, or nullptr when the value there is a default.
  const SourcedValue* find(std::string_view path) const;

  /// All entries in the order of reading; maps and lists have an empty value.
  const std::vector<SourcedValue>& entries() const { return entries_; }
  /// How many values say `from: <from>`.
  std::size_t count(std::string_view from) const;

 private:
  std::vector<SourcedValue> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace switchyard::platforms

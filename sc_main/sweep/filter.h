// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/config/value_text.h"

namespace switchyard::cli {

/// A condition on columns: `line >= 32 B and not (harts * 2 > 8 or kernel == "before")`.
/// Operators in order of binding: `* /`, `+ -`, comparisons, `not`, `and`, `or`. Amounts compare in base units, texts
/// by == and != only.
class Filter {
 public:
  using Row = std::map<std::string, std::string>;  ///< column: value

  /// `error` says what cannot be read, or which column does not exist.
  static platforms::Parsed<Filter> parse(const std::string& text, const std::vector<std::string>& columns);

  bool keeps(const Row& row) const { return holds_(row); }

 private:
  std::function<bool(const Row&)> holds_;
};

}  // namespace switchyard::cli

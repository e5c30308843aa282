// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// Text in columns as wide as their widest cell; the last one is not padded.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) { add(std::move(heading)); }
  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
  /// A line across all columns.
  void add_line(std::string text) { rows_.push_back({{std::move(text)}, true}); }
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool spans = false;
  };
  std::vector<Row> rows_;
};

/// Characters of UTF-8 text on a terminal (none of ours is wide).
std::size_t shown_width(std::string_view text);

/// The table of one comparison with everything below it.
std::string compare_text(const Comparison& comparison);

/// One table of several comparisons, and how many rows came to which verdict.
std::string validate_text(const std::vector<const Comparison*>& comparisons);

}  // namespace switchyard::cli

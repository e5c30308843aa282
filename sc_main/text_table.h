// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace switchyard::cli {

/// Text in columns as wide as their widest cell; the last one is not padded.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) { add(std::move(heading)); }
  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
  /// A line across all columns.
  void add_line(std::string text) { rows_.push_back({{std::move(text)}, true}); }
  std::string text() const;
  std::size_t size() const { return rows_.size(); }  ///< lines, the heading among them

 private:
  struct Row {
    std::vector<std::string> cells;
    bool spans = false;
  };
  std::vector<Row> rows_;
};

/// Four digits that matter, without an exponent for everyday numbers.
std::string number(double value);
/// `27.00 ± 0.12 s`; the error may be empty.
std::string with_error(const std::string& value, const std::string& error, const std::string& unit);
/// `-33.3` for -0.333.
std::string percent_of(double share);
}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"

namespace switchyard::memory {

/// What an interconnect knows of each line of memory: when its last transfer ends and, for a directory, who may have a
/// copy. Rows appear with the first request for a page of 4 KiB.
class LineTable {
 public:
  static constexpr unsigned kMaxChildren = 64;

  void set_line_size(std::uint64_t bytes) { shift_ = static_cast<unsigned>(std::countr_zero(bytes)); }

  /// The row of the line of `pa`.
  std::size_t row(base::Address pa) {
    const base::Address page = pa >> kPageShift;
    if (page != last_page_) {
      const auto [found, is_new] = first_row_.try_emplace(page, rows_.size());
      if (is_new) rows_.resize(rows_.size() + (std::size_t{1} << (kPageShift - shift_)));
      last_page_ = page;
      last_row_ = found->second;
    }
    return last_row_ + ((pa & ((1 << kPageShift) - 1)) >> shift_);
  }
  /// End of the last transfer, in picoseconds of SystemC time.
  std::uint64_t& busy_until_ps(std::size_t row) { return rows_[row].busy_until_ps; }
  /// One bit for each child that may have a copy.
  std::uint64_t& sharers(std::size_t row) { return rows_[row].sharers; }

 private:
  static constexpr unsigned kPageShift = 12;
  struct Row {
    std::uint64_t busy_until_ps = 0;
    std::uint64_t sharers = 0;
  };

  unsigned shift_ = 6;
  base::Address last_page_ = ~base::Address{0};
  std::size_t last_row_ = 0;
  std::unordered_map<base::Address, std::size_t> first_row_;
  std::vector<Row> rows_;
};

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace switchyard::memory {

/// Full-map directory of one cache: which of the caches above may hold each sector of each of its lines. A sector is a
/// line of the caches above. One owner (may be modified) or any number of sharers.
class Directory {
 public:
  static constexpr int kNoOwner = -1;

  /// Until resized there are no children and nothing is recorded.
  void resize(std::size_t slots, unsigned children, std::uint64_t line_size, std::uint64_t sector_size) {
    words_ = (children + 63) / 64;
    line_mask_ = line_size - 1;
    sector_shift_ = static_cast<unsigned>(std::countr_zero(sector_size));
    sectors_ = line_size >> sector_shift_;
    owners_.assign(slots * sectors_, kNoOwner);
    busy_until_ps_.assign(slots * sectors_, 0);
    sharers_.assign(slots * sectors_ * words_, 0);
  }
  bool empty() const { return words_ == 0; }
  std::uint64_t sector_size() const { return std::uint64_t{1} << sector_shift_; }
  std::uint64_t sectors() const { return sectors_; }

  /// Row of the sector of `pa` in the line at `slot`.
  std::size_t row(std::size_t slot, base::Address pa) const {
    return slot * sectors_ + ((pa & line_mask_) >> sector_shift_);
  }
  int owner(std::size_t row) const { return owners_[row]; }
  void set_owner(std::size_t row, int child) { owners_[row] = child; }
  void add(std::size_t row, unsigned child) { sharers_[row * words_ + child / 64] |= bit(child); }
  void remove(std::size_t row, unsigned child) {
    sharers_[row * words_ + child / 64] &= ~bit(child);
    if (owners_[row] == static_cast<int>(child)) owners_[row] = kNoOwner;
  }
  bool has(std::size_t row, unsigned child) const { return (sharers_[row * words_ + child / 64] & bit(child)) != 0; }
  bool only(std::size_t row, unsigned child) const {
    for (unsigned i = 0; i < words_; ++i)
      if (sharers_[row * words_ + i] != (i == child / 64 ? bit(child) : 0)) return false;
    return true;
  }
  /// Calls f(child) for every sharer but `except` (-1: none), in ascending order. `f` may remove the child.
  template <class F>
  void for_each(std::size_t row, int except, F f) const {
    for (unsigned i = 0; i < words_; ++i)
      for (std::uint64_t rest = sharers_[row * words_ + i]; rest != 0; rest &= rest - 1) {
        const unsigned child = i * 64 + static_cast<unsigned>(std::countr_zero(rest));
        if (static_cast<int>(child) != except) f(child);
      }
  }
  void clear(std::size_t slot) {
    for (std::size_t row = slot * sectors_; row < (slot + 1) * sectors_; ++row) {
      owners_[row] = kNoOwner;
      busy_until_ps_[row] = 0;
      for (unsigned i = 0; i < words_; ++i) sharers_[row * words_ + i] = 0;
    }
  }
  /// End of the last transfer of the sector between caches above, in picoseconds of SystemC time.
  std::uint64_t& busy_until_ps(std::size_t row) { return busy_until_ps_[row]; }

 private:
  static std::uint64_t bit(unsigned child) { return std::uint64_t{1} << (child % 64); }

  unsigned words_ = 0, sector_shift_ = 6;
  std::uint64_t sectors_ = 1, line_mask_ = 63;
  std::vector<int> owners_;                   // owners_[slot * sectors + sector]
  std::vector<std::uint64_t> busy_until_ps_;  // same shape
  std::vector<std::uint64_t> sharers_;        // sharers_[(slot * sectors + sector) * words + word]
};

}  // namespace switchyard::memory

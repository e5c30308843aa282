// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/quantity.h"
#include "base/random.h"

namespace switchyard::kernel {

inline constexpr std::uint64_t kPageSize = 4096;
inline constexpr unsigned kPageShift = 12;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Hands out physical memory. Boot memory comes from the start of the range, in order; pages come from what is left:
/// in order of address or seeded-random, freed ones first (as the per-CPU free lists do).
class PageAllocator {
 public:
  enum class Placement : std::uint8_t { contiguous, random };

  PageAllocator(base::Address start, std::uint64_t size, Placement placement, std::uint64_t seed);

  /// Contiguous memory for boot-time objects; only before the first page is taken.
  base::Address boot_memory(std::uint64_t size, std::uint64_t alignment);
  /// One page; throws ConfigError when memory is exhausted.
  base::Address allocate();
  /// A page that nobody has used before, thus full of zeros.
  base::Address allocate_fresh();
  /// `count` pages in a row that nobody has used before.
  base::Address allocate_run(std::uint64_t count);
  void free(base::Address page) { freed_.push_back(page); }
  std::uint64_t pages_in_use() const { return taken_ - freed_.size(); }
  base::Address start() const { return start_; }
  std::uint64_t size() const { return end_ - start_; }

 private:
  static constexpr unsigned kRunAttempts = 1000;

  std::uint64_t draw();
  std::uint64_t free_pages() const { return (end_ - boot_end_) / kPageSize - taken_; }
  /// random: the number at a position of the shuffle.
  std::uint64_t number_at(std::uint64_t position) const;
  /// random: the position of a number that is still to be drawn, or free_pages().
  std::uint64_t position_of(std::uint64_t number) const;
  /// random: takes the number at a position out of the shuffle.
  void take(std::uint64_t position);
  bool all_free(std::uint64_t first, std::uint64_t count) const;

  const base::Address start_, end_;
  const Placement placement_;
  base::RandomStream random_;
  base::Address boot_end_;
  std::uint64_t taken_ = 0;
  std::map<std::uint64_t, std::uint64_t> moved_;  ///< random: page numbers that the shuffle has displaced
  std::vector<base::Address> freed_;
};

}  // namespace switchyard::kernel

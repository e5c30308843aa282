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
  void free(base::Address page) { freed_.push_back(page); }
  std::uint64_t pages_in_use() const { return taken_ - freed_.size(); }
  base::Address start() const { return start_; }
  std::uint64_t size() const { return end_ - start_; }

 private:
  std::uint64_t draw();

  const base::Address start_, end_;
  const Placement placement_;
  base::RandomStream random_;
  base::Address boot_end_;
  std::uint64_t taken_ = 0;
  std::map<std::uint64_t, std::uint64_t> moved_;  ///< random: page numbers that the shuffle has displaced
  std::vector<base::Address> freed_;
};

}  // namespace switchyard::kernel

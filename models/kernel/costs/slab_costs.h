// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace switchyard::kernel {

/// Path lengths of the slab allocator: instructions besides the modelled accesses.
struct SlabCosts {
  std::uint64_t allocate = 35;
  std::uint64_t refill = 110;
  std::uint64_t new_slab = 900;
  std::uint64_t free = 30;
  std::uint64_t free_elsewhere = 60;
};

}  // namespace switchyard::kernel

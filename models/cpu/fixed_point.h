// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace switchyard::cpu {

/// Cycles per instruction are kept as multiples of 2^-16, so that sums are exact and the same everywhere.
inline constexpr unsigned kCpiShift = 16;
inline std::uint64_t scaled(double cpi) { return static_cast<std::uint64_t>(std::llround(cpi * (1u << kCpiShift))); }

}  // namespace switchyard::cpu

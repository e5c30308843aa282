// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/int128.h"
#include "base/quantity.h"

namespace switchyard::interrupt {

/// Tick or time of a timer that is not armed.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;

namespace detail {
/// ceil(a * b / c), kNever if that is out of range.
constexpr std::uint64_t scale_up(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const base::Uint128 result = (static_cast<base::Uint128>(a) * b + c - 1) / c;
  return result < kNever ? static_cast<std::uint64_t>(result) : kNever;
}
}  // namespace detail

/// The count of a timer of `frequency` at time `ps`.
constexpr std::uint64_t tick_count(std::uint64_t ps, base::Frequency frequency) {
  return static_cast<std::uint64_t>(static_cast<base::Uint128>(ps) * frequency.hz / kPsPerSecond);
}
/// The first tick that is not before `ps`; kNever stays kNever.
constexpr std::uint64_t ticks_at(std::uint64_t ps, base::Frequency frequency) {
  return ps == kNever ? kNever : detail::scale_up(ps, frequency.hz, kPsPerSecond);
}
/// The first picosecond at which the count has reached `ticks`.
constexpr std::uint64_t time_of(std::uint64_t ticks, base::Frequency frequency) {
  return ticks == kNever ? kNever : detail::scale_up(ticks, kPsPerSecond, frequency.hz);
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <systemc>

#include "base/int128.h"
#include "base/quantity.h"

namespace switchyard::sim {

/// The library keeps SystemC's default time resolution of one picosecond, so that a tick is a picosecond.
inline std::uint64_t to_ps(const sc_core::sc_time& time) { return time.value(); }
inline sc_core::sc_time from_ps(std::uint64_t ps) { return sc_core::sc_time::from_value(ps); }

/// Exact conversion between the cycles of one clock and picoseconds; both count from time zero.
class Clock {
 public:
  explicit Clock(base::Frequency frequency)
      : hz_(frequency.hz),
        ps_(kPsPerSecond / std::gcd(kPsPerSecond, frequency.hz)),
        cycles_(frequency.hz / std::gcd(kPsPerSecond, frequency.hz)) {}

  /// The time at which cycle `n` starts, rounded down to a picosecond.
  std::uint64_t ps_at(std::uint64_t cycle) const {
    std::uint64_t product;
    if (!__builtin_mul_overflow(cycle, ps_, &product)) [[likely]]
      return product / cycles_;
    return static_cast<std::uint64_t>(static_cast<base::Uint128>(cycle) * ps_ / cycles_);
  }
  /// The first cycle that starts at or after `ps`.
  std::uint64_t cycle_at(std::uint64_t ps) const {
    std::uint64_t product;
    if (!__builtin_mul_overflow(ps, cycles_, &product) && product <= ~std::uint64_t{0} - ps_) [[likely]]
      return (product + ps_ - 1) / ps_;
    return static_cast<std::uint64_t>((static_cast<base::Uint128>(ps) * cycles_ + ps_ - 1) / ps_);
  }
  /// A cost in whole cycles, times rounded up.
  std::uint64_t cycles(base::Latency latency) const {
    return latency.unit == base::Latency::Unit::cycles ? latency.value : cycle_at(latency.value);
  }
  /// A cost in picoseconds, cycles rounded down.
  std::uint64_t ps(base::Latency latency) const {
    return latency.unit == base::Latency::Unit::cycles ? ps_at(latency.value) : latency.value;
  }
  std::uint64_t hz() const { return hz_; }

 private:
  static constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
  std::uint64_t hz_;
  std::uint64_t ps_, cycles_;  // ps_ picoseconds are cycles_ cycles, in lowest terms
};

}  // namespace switchyard::sim

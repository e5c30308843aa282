// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace switchyard::base {

/// A virtual, physical or bus address. Which of them is said by the parameter's name.
using Address = std::uint64_t;

/// A size in bytes; written `64 KiB` in configuration files.
struct Bytes {
  std::uint64_t value = 0;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

/// A clock frequency; written `1.2 GHz`.
struct Frequency {
  std::uint64_t hz = 0;
  friend auto operator<=>(const Frequency&, const Frequency&) = default;
};

/// A span of simulated time in picoseconds; written `80 ns`, `1 us`, `4 ms`, `1 s`.
struct Duration {
  std::uint64_t ps = 0;
  friend auto operator<=>(const Duration&, const Duration&) = default;
};

/// A cost that is known either in time or in cycles of the clock of the module that pays it; written `80 ns` or
/// `12 cycles`.
struct Latency {
  enum class Unit : std::uint8_t { cycles, picoseconds };
  std::uint64_t value = 0;
  Unit unit = Unit::cycles;
  friend auto operator<=>(const Latency&, const Latency&) = default;
};

/// A share of one; written `0.5 %` or `0.005`.
struct Fraction {
  double value = 0;
  friend auto operator<=>(const Fraction&, const Fraction&) = default;
};

constexpr Latency cycles(std::uint64_t n) { return {n, Latency::Unit::cycles}; }
constexpr Latency nanoseconds(std::uint64_t n) { return {n * 1000, Latency::Unit::picoseconds}; }
constexpr Bytes kib(std::uint64_t n) { return {n << 10}; }
constexpr Bytes mib(std::uint64_t n) { return {n << 20}; }
constexpr Bytes gib(std::uint64_t n) { return {n << 30}; }

}  // namespace switchyard::base

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/int128.h"

namespace switchyard::base {

/// FNV-1a, 64 bit (Fowler, Noll, Vo). Stable across platforms; used for stream seeds and configuration hashes.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325ull) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

/// A random stream seeded by (experiment seed, user's name): adding a module never changes another one's numbers.
/// xorshift64* (Vigna 2016), state never zero.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : state_(fnv1a(name, fnv1a("switchyard") ^ seed) | 1) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  /// Uniform in [0, bound); bound > 0. The bias of the multiply-shift is below 2^-32 for bounds under 2^32.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace switchyard::base

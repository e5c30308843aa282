// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace switchyard::bench {

/// The access mixes, after which the limits are named.
enum class Mix { private_lines = 1, shared = 2, ping_pong = 3 };

/// Addresses of one CPU: random 8-byte accesses, half of them stores, in 16 KiB of its own; `shared` takes 26 of the
/// 256 lines from a set common to all CPUs; `ping_pong` only stores, to one line.
class AccessStream {
 public:
  static constexpr std::uint64_t kShared = 0x10000, kPrivate = 0x100000, kStride = 0x10000;

  AccessStream(Mix mix, unsigned cpu)
      : mix_(mix), state_(0x9E3779B97F4A7C15ull * (cpu + 1)), base_(kPrivate + cpu * kStride) {}

  struct Access {
    std::uint64_t address;
    bool store;
  };
  Access next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    const std::uint64_t x = state_ * 0x2545F4914F6CDD1Dull;
    const std::uint64_t line = x >> 8 & 255, word = (x >> 20 & 7) * 8;
    if (mix_ == Mix::ping_pong) return {kShared + word, true};
    const bool shared = mix_ == Mix::shared && line >= 230;
    return {(shared ? kShared + (line - 230) * 64 : base_ + line * 64) + word, (x >> 40 & 1) != 0};
  }

 private:
  Mix mix_;
  std::uint64_t state_;
  std::uint64_t base_;
};

/// Bytes of memory that K CPUs touch.
inline std::uint64_t footprint(unsigned cpus) { return AccessStream::kPrivate + cpus * AccessStream::kStride * 2; }

}  // namespace switchyard::bench

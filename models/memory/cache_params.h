// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "base/params.h"

namespace switchyard::memory {

enum class Replacement : std::uint8_t { lru, random };
inline constexpr std::array<std::string_view, 2> kReplacementNames{"lru", "random"};

/// Parameters of Cache.
struct CacheParams : base::ParamSet {
  base::Bytes size = base::kib(32);
  std::uint64_t ways = 8;
  base::Bytes line{64};
  base::Frequency clock{1'000'000'000};
  base::Latency latency = base::cycles(3);
  base::Latency transfer = base::cycles(20);
  base::Latency hold = base::cycles(0);
  Replacement replacement = Replacement::lru;
  std::uint64_t seed = 1;

  void visit(base::ParamVisitor& v) override {
    v.value({"size", "Capacity of the data array", "", true}, size, {16, 1ull << 32});
    v.value({"ways", "Associativity", "ways"}, ways, {1, 64});
    v.value({"line", "Line size; a power of two"}, line, {16, 256});
    v.value({"clock", "Clock that `cycles` below refer to"}, clock);
    v.value({"latency",
             "Time added by a look-up here: the load-to-use time of the first level, and what each lower "
             "level adds to it"},
            latency);
    v.value({"transfer",
             "Time added when a request has to take a line away from, or a modified line out of, another "
             "cache above this one"},
            transfer);
    v.value({"hold",
             "Time for which a cache above, or a CPU on this first level, keeps a line that it has just taken for "
             "writing before it goes to the next one that waits: the completion of the transfer, and the operation "
             "that asked for it"},
            hold);
    v.choice({"replacement", "Victim selection"}, replacement, kReplacementNames);
    v.value({"seed", "Seed of random replacement"}, seed);
  }
  std::uint64_t host_bytes() const override { return size.value + size.value / line.value * 40; }
  std::string check() const override {
    if (!std::has_single_bit(line.value))
      return "line must be a power of two, got " + std::to_string(line.value) + " B";
    if (size.value % (line.value * ways) != 0)
      return "size " + std::to_string(size.value) + " B is not a whole number of sets of " + std::to_string(ways) +
             " lines of " + std::to_string(line.value) + " B";
    return "";
  }
};

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace switchyard::memory {

/// When one bus is occupied. Requests ask in the order of SystemC time but may want the bus later, so that gaps between
/// reservations can still be used. Times in picoseconds.
class BusSchedule {
 public:
  BusSchedule() { busy_.reserve(64); }

  /// The earliest time from `at` on at which the bus is free for `length`.
  std::uint64_t free_at(std::uint64_t at, std::uint64_t length) const {
    for (const Interval& one : busy_) {
      if (at + length <= one.start) return at;
      at = std::max(at, one.end);
    }
    return at;
  }
  /// Occupies [at, at + length), which is free. What ended before `now` is forgotten.
  void occupy(std::uint64_t at, std::uint64_t length, std::uint64_t now) {
    if (length == 0) return;
    std::erase_if(busy_, [now](const Interval& one) { return one.end <= now; });
    const auto behind = std::find_if(busy_.begin(), busy_.end(), [at](const Interval& one) { return one.start > at; });
    busy_.insert(behind, {at, at + length});
  }

 private:
  struct Interval {
    std::uint64_t start, end;
  };
  std::vector<Interval> busy_;  // ascending, disjoint
};

}  // namespace switchyard::memory

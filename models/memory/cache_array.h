// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/random.h"
#include "memory/cache_params.h"

namespace switchyard::memory {

using base::Address;

/// MESI. The order matters: a higher state has every right of a lower one.
enum class LineState : std::uint8_t { invalid, shared, exclusive, modified };

/// Tags, states, replacement order and bytes of one cache. Lines are named by slot = set * ways + way.
class CacheArray {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit CacheArray(const CacheParams& params)
      : ways_(params.ways),
        sets_(params.size.value / (params.line.value * params.ways)),
        set_mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        shift_(static_cast<unsigned>(std::countr_zero(params.line.value))),
        random_(params.replacement == Replacement::random),
        stream_(params.seed, "replacement"),
        entries_(sets_ * ways_),
        hint_mask_(std::bit_ceil(sets_ * ways_) - 1),
        hints_(hint_mask_ + 1),
        bytes_(params.size.value) {}

  /// The slot that holds the line of `pa` with at least the rights of `need`, or kNone. Marks it most recently used.
  /// A contended line is no hit.
  std::size_t hit(Address pa, LineState need) { return look_up(pa, need, kWatched); }
  /// The same for an agent whose time is SystemC's time; brings a contended line nearer to being an ordinary one.
  std::size_t settled_hit(Address pa, LineState need) {
    const std::size_t slot = look_up(pa, need, kWatched | kContended);
    if (slot != kNone && (entries_[slot].tag & kContended) != 0) entries_[slot].tag -= kContendedOne;
    return slot;
  }
  /// The slot that holds the line of `pa` in any valid state, or kNone. Leaves the replacement order alone.
  std::size_t find(Address pa) const {
    const std::uint64_t line = pa >> shift_;
    const std::size_t first = set(line) * ways_;
    if (const std::size_t last = first + hint(line); entries_[last].tag >> kTagShift == line)
      return state(last) != LineState::invalid ? last : kNone;
    for (std::size_t slot = first; slot < first + ways_; ++slot)
      if (entries_[slot].tag >> kTagShift == line && state(slot) != LineState::invalid) return slot;
    return kNone;
  }
  /// A slot for the line of `pa`: the one it was invalidated in, another invalid one, else the victim.
  std::size_t victim(Address pa) {
    const std::uint64_t line = pa >> shift_;
    const std::size_t first = set(line) * ways_;
    if (const std::size_t last = first + hint(line); entries_[last].tag >> kTagShift == line) return last;
    std::size_t oldest = first;
    for (std::size_t slot = first; slot < first + ways_; ++slot) {
      if (state(slot) == LineState::invalid) return slot;
      if (entries_[slot].age < entries_[oldest].age) oldest = slot;
    }
    return random_ ? first + stream_.below(ways_) : oldest;
  }
  void install(std::size_t slot, Address pa, LineState state) {
    entries_[slot].tag = (pa >> shift_) << kTagShift | static_cast<std::uint64_t>(state);
    entries_[slot].age = ++now_;
    hint(pa >> shift_) = static_cast<std::uint8_t>(slot % ways_);
  }

  LineState state(std::size_t slot) const { return static_cast<LineState>(entries_[slot].tag & kStateMask); }
  void set_state(std::size_t slot, LineState state) {
    entries_[slot].tag = (entries_[slot].tag & ~kStateMask) | static_cast<std::uint64_t>(state);
  }
  /// A watched line tells the owner of the array when it is taken away.
  bool watched(std::size_t slot) const { return (entries_[slot].tag & kWatched) != 0; }
  void set_watched(std::size_t slot, bool watched) {
    entries_[slot].tag = watched ? entries_[slot].tag | kWatched : entries_[slot].tag & ~kWatched;
  }
  /// A line that another CPU has just given up: the next few hits have to happen in the order of time, because it is
  /// likely to be asked for again.
  void set_contended(std::size_t slot) { entries_[slot].tag |= kContended; }
  Address address(std::size_t slot) const { return entries_[slot].tag >> kTagShift << shift_; }
  std::uint8_t* line(std::size_t slot) { return &bytes_[slot << shift_]; }
  std::uint8_t* byte(std::size_t slot, Address pa) { return &bytes_[slot << shift_ | (pa & (line_size() - 1))]; }

  std::uint64_t line_size() const { return std::uint64_t{1} << shift_; }
  Address align(Address pa) const { return pa >> shift_ << shift_; }
  bool same_line(Address pa, std::uint64_t bytes) const { return pa >> shift_ == (pa + bytes - 1) >> shift_; }
  std::size_t slots() const { return entries_.size(); }

 private:
  static constexpr unsigned kTagShift = 5;  // state in bits 0..1, watched in bit 2, contended hits left in bits 3..4
  static constexpr std::uint64_t kStateMask = 3;
  static constexpr std::uint64_t kWatched = 4;
  static constexpr std::uint64_t kContended = 3 << 3;
  static constexpr std::uint64_t kContendedOne = 1 << 3;

  struct Entry {
    std::uint64_t tag = 0;
    std::uint64_t age = 0;
  };

  /// The way where the line was installed or found last. When that way still has its tag, the line is nowhere else;
  /// this holds because lines that share a hint are lines of one set.
  std::uint8_t& hint(std::uint64_t line) { return hints_[hint_index(line)]; }
  std::size_t hint(std::uint64_t line) const { return hints_[hint_index(line)]; }
  std::size_t hint_index(std::uint64_t line) const {
    return set_mask_ != 0 || sets_ == 1 ? line & hint_mask_ : line % sets_;
  }

  std::size_t look_up(Address pa, LineState need, std::uint64_t ignore) {
    const std::uint64_t line = pa >> shift_;
    const std::size_t first = set(line) * ways_;
    const std::uint64_t least = line << kTagShift | static_cast<std::uint64_t>(need);
    const std::uint64_t span = kStateMask - static_cast<std::uint64_t>(need);
    const auto matches = [&](std::size_t slot) { return (entries_[slot].tag & ~ignore) - least <= span; };
    std::size_t slot = first + hint(line);
    if (!matches(slot)) {
      if (entries_[slot].tag >> kTagShift == line) return kNone;
      for (slot = first; !matches(slot);)
        if (++slot == first + ways_) return kNone;
      hint(line) = static_cast<std::uint8_t>(slot - first);
    }
    entries_[slot].age = ++now_;
    return slot;
  }

  std::size_t set(std::uint64_t line) const { return set_mask_ != 0 || sets_ == 1 ? line & set_mask_ : line % sets_; }

  std::size_t ways_, sets_, set_mask_;
  unsigned shift_;
  bool random_;
  base::RandomStream stream_;
  std::uint64_t now_ = 0;
  std::vector<Entry> entries_;  // entries_[set * ways + way]
  std::size_t hint_mask_;
  std::vector<std::uint8_t> hints_;  // hints_[hint_index(line)]: a way
  std::vector<std::uint8_t> bytes_;  // bytes_[(set * ways + way) * line + offset]
};

}  // namespace switchyard::memory

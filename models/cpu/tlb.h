// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/params.h"
#include "base/quantity.h"
#include "cpu/cpu_ops.h"

namespace switchyard::cpu {

/// Parameters of one TLB level.
struct TlbParams : base::ParamSet {
  std::uint64_t entries = 32;
  std::uint64_t ways = 32;
  bool superpages = true;

  TlbParams() = default;
  TlbParams(std::uint64_t entry_count, std::uint64_t way_count, bool holds_superpages = true)
      : entries(entry_count), ways(way_count), superpages(holds_superpages) {}
  void visit(base::ParamVisitor& v) override {
    v.value({"entries", "Translations held; 0 means that the level is absent", "entries"}, entries, {0, 1 << 16});
    v.value({"ways", "Associativity; equal to entries when fully associative", "ways"}, ways, {1, 1 << 16});
    v.value({"superpages",
             "Whether 2 MiB and 1 GiB translations can be held; without, a first level holds 4 KiB pieces of them, a "
             "second "
             "level nothing"},
            superpages);
  }
  std::string check() const override {
    if (entries != 0 && entries % ways != 0)
      return "entries (" + std::to_string(entries) + ") must be a multiple of ways (" + std::to_string(ways) + ")";
    return "";
  }
};

/// One virtual-to-physical translation. Page numbers count 4 KiB pages; a superpage spans 2^span_bits of them.
struct Translation {
  std::uint64_t vpn = 0;
  std::uint64_t ppn = 0;
  Address root = 0;  ///< table that it was read from; only the checks look at it
  std::uint64_t age = 0;
  std::uint64_t generation = 0;  ///< of the level when it was installed; others are invalid
  std::uint16_t asid = 0;
  FunctionId owed_by = 0;  ///< stale: the function that should have flushed it
  std::uint64_t debt = 0;  ///< number of the last flush that is owed for it; 0 for none
  std::uint8_t span_bits = 0;
  bool global = false, writable = false, user = false, stale = false;

  bool covers(std::uint64_t page, std::uint16_t id) const {
    return (vpn ^ page) >> span_bits == 0 && (global || asid == id);
  }
  std::uint64_t physical_page(std::uint64_t page) const { return ppn | (page & ((std::uint64_t{1} << span_bits) - 1)); }
};

/// One TLB level: set associative, LRU, any mix of page sizes, tagged by address-space id.
class Tlb {
 public:
  explicit Tlb(const TlbParams& params);

  bool present() const { return !entries_.empty(); }
  /// The translation of `page` in address space `asid`, most recently used from now on; or nullptr.
  Translation* lookup(std::uint64_t page, std::uint16_t asid);
  /// Installs a translation and returns it; superpages go nowhere (nullptr) where the level holds none.
  Translation* insert(const Translation& translation);
  void touch(Translation& entry) { entry.age = ++now_; }
  void flush(const TlbFlush& flush);
  /// Calls f(entry) for every valid entry.
  template <class F>
  void for_each(F f) {
    for (Translation& entry : entries_)
      if (valid(entry)) f(entry);
  }
  /// The same for every valid entry that covers `page`, whatever its address space.
  template <class F>
  void for_page(std::uint64_t page, F f) {
    for (unsigned span = 0; span < 3 && !entries_.empty(); ++span) {
      const std::size_t first = set(page, span * 9) * ways_;
      for (std::size_t i = first; i < first + ways_; ++i)
        if (valid(entries_[i]) && (entries_[i].vpn ^ page) >> entries_[i].span_bits == 0) f(entries_[i]);
    }
  }

 private:
  bool valid(const Translation& entry) const { return entry.generation == generation_; }
  std::size_t set(std::uint64_t page, unsigned span_bits) const { return (page >> span_bits) % sets_; }

  std::size_t ways_, sets_;
  bool superpages_;
  std::uint64_t now_ = 0;
  std::uint64_t generation_ = 1;
  unsigned spans_seen_ = 1;           ///< bit s: some entry of span 9 s may be held
  std::vector<Translation> entries_;  // entries_[set * ways + way]
};

}  // namespace switchyard::cpu

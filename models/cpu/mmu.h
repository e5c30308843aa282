// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "base/stats.h"
#include "cpu/cpu_params.h"
#include "cpu/tlb.h"

namespace switchyard::cpu {

/// Reads eight bytes of a page table; the time it takes is the caller's.
class PageTableReader {
 public:
  virtual ~PageTableReader() = default;
  virtual std::uint64_t read_entry(Address pa) = 0;
};

/// Two-level private TLB and Sv39 page walk of one logical CPU.
/// Source of the format: RISC-V Privileged Architecture 1.12, chapter 4.4.
class Mmu {
 public:
  /// What a look-up cost; the caller turns it into time.
  struct Cost {
    bool second_level = false;
    unsigned steps = 0;
    bool walked = false;
  };

  explicit Mmu(const CpuParams& params, base::StatGroup& group);

  /// Zero root: no translation, addresses are physical.
  void set_root(Address root, std::uint16_t asid);
  Address root() const { return root_; }
  std::uint16_t asid() const { return asid_; }
  bool enabled() const { return root_ != 0; }
  /// Returns what was flushed: everything where the hardware knows no less.
  TlbFlush::Scope flush(const TlbFlush& flush);

  /// First-level look-up of recently used data pages. Null: use translate(). Keeps exact LRU order.
  Translation* quick(std::uint64_t page) {
    const Quick& slot = quick_[page % kQuick];
    if (slot.page != page) return nullptr;
    dtlb_.touch(*slot.entry);
    return slot.entry;
  }
  /// Looks `page` up in both levels, walks the table if need be, and installs what it found.
  /// Null: no valid entry, or one without the rights for `access` (a held one without them stays until it is flushed,
  /// unless faults drop it).
  Translation* translate(std::uint64_t page, Access access, PageTableReader& reader, Cost& cost);

  /// Neither level holds `page`.
  bool misses(std::uint64_t page, Access access) {
    Tlb& first = access == Access::fetch ? itlb_ : dtlb_;
    return first.lookup(page, asid_) == nullptr && (!l2_.present() || l2_.lookup(page, asid_) == nullptr);
  }

  /// Marks translations of `page` read from `root`: their flush is owed.
  void mark_owed(Address root, std::uint64_t page, std::uint64_t debt);
  /// Marks those of `page` that are still there as stale: a later use is a violation owed by `owner`.
  void mark_stale(std::uint64_t page, FunctionId owner, std::uint64_t debt);
  /// Marks translations that the current id reaches although they belong to another root.
  void mark_foreign(FunctionId owner);

 private:
  static constexpr std::size_t kQuick = 64;
  struct Quick {
    std::uint64_t page = ~std::uint64_t{0};
    Translation* entry = nullptr;
  };
  struct WalkEntry {
    std::uint64_t prefix = ~std::uint64_t{0};
    Address table = 0;
    Address root = 0;
    std::uint64_t age = 0;
    unsigned level = 0;
    std::uint16_t asid = 0;
  };
  struct Walk {
    Translation found;
    bool valid = false;
  };

  Walk walk(std::uint64_t page, PageTableReader& reader, Cost& cost);
  WalkEntry* cached_table(std::uint64_t page);
  void cache_table(unsigned level, std::uint64_t page, Address table);
  void forget_tables(const TlbFlush& flush);
  void drop(std::uint64_t page);
  static bool allowed(const Translation& entry, Access access) { return access != Access::store || entry.writable; }
  void forget_quick() { quick_.fill({}); }

  const bool always_all_, page_empties_walk_cache_, fault_empties_;
  Address root_ = 0;
  std::uint16_t asid_ = 0;
  Tlb itlb_, dtlb_, l2_;
  std::array<Quick, kQuick> quick_;
  std::vector<WalkEntry> walk_cache_;
  std::uint64_t walk_clock_ = 0;
  base::Counter l1_misses_, l2_misses_, walk_reads_, full_flushes_, partial_flushes_;
};

}  // namespace switchyard::cpu

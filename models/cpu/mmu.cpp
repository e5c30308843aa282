// SPDX-License-Identifier: Apache-2.0
#include "cpu/mmu.h"

namespace switchyard::cpu {

namespace {

constexpr std::uint64_t kValid = 1u << 0, kRead = 1u << 1, kWrite = 1u << 2, kExecute = 1u << 3, kUser = 1u << 4,
                        kGlobal = 1u << 5;
constexpr unsigned kPpnShift = 10;
constexpr std::uint64_t kPpnMask = (std::uint64_t{1} << 44) - 1;
constexpr unsigned kLevels = 3, kIndexBits = 9;

/// The 4 KiB piece of a superpage that `page` is.
Translation piece(const Translation& superpage, std::uint64_t page) {
  Translation result = superpage;
  result.vpn = page;
  result.ppn = superpage.physical_page(page);
  result.span_bits = 0;
  return result;
}

}  // namespace

Mmu::Mmu(const CpuParams& params, base::StatGroup& group)
    : always_all_(params.fence.always_all),
      page_empties_walk_cache_(params.page_walk.page_fence_empties),
      fault_empties_(params.page_walk.fault_empties),
      itlb_(params.itlb),
      dtlb_(params.dtlb),
      l2_(params.l2_tlb),
      walk_cache_(params.page_walk.cache_entries),
      l1_misses_(group, "tlb_l1_misses", "count", "Look-ups that missed the first-level TLB"),
      l2_misses_(group, "tlb_walks", "count", "Page walks"),
      walk_reads_(group, "tlb_walk_reads", "count", "Page-table entries read by walks"),
      full_flushes_(group, "tlb_full_flushes", "count", "Local invalidations of the whole TLB"),
      partial_flushes_(group, "tlb_partial_flushes", "count", "Local invalidations of a page or an address space") {}

void Mmu::set_root(Address root, std::uint16_t asid) {
  root_ = root;
  asid_ = asid;
  forget_quick();
}

TlbFlush::Scope Mmu::flush(const TlbFlush& flush) {
  TlbFlush what = flush;
  if (always_all_) what.scope = TlbFlush::Scope::all;
  ++(what.scope == TlbFlush::Scope::all ? full_flushes_ : partial_flushes_);
  itlb_.flush(what);
  dtlb_.flush(what);
  l2_.flush(what);
  forget_quick();
  forget_tables(what);
  return what.scope;
}

void Mmu::forget_tables(const TlbFlush& flush) {
  const bool page = flush.scope == TlbFlush::Scope::page;
  if (page && !page_empties_walk_cache_ && !flush.tables) return;
  const bool all = flush.scope == TlbFlush::Scope::all || (page && (page_empties_walk_cache_ || flush.any_asid));
  for (WalkEntry& entry : walk_cache_)
    if (all || entry.asid == flush.asid) entry = {};
}

void Mmu::drop(std::uint64_t page) {
  const TlbFlush flush{.scope = TlbFlush::Scope::page, .va = page << 12, .asid = asid_, .any_asid = false};
  dtlb_.flush(flush);
  l2_.flush(flush);
  forget_quick();
}

Translation* Mmu::translate(std::uint64_t page, Access access, PageTableReader& reader, Cost& cost) {
  Tlb& first = access == Access::fetch ? itlb_ : dtlb_;
  Translation* entry = first.lookup(page, asid_);
  if (entry == nullptr) {
    ++l1_misses_;
    Translation found;
    cost.second_level = l2_.present();
    if (const Translation* second = l2_.lookup(page, asid_)) {
      found = *second;
    } else {
      ++l2_misses_;
      cost.walked = true;
      const Walk result = walk(page, reader, cost);
      if (!result.valid) return nullptr;
      found = result.found;
      l2_.insert(found);
    }
    entry = first.insert(found);
    if (entry == nullptr) entry = first.insert(piece(found, page));
    forget_quick();  // insert may have reused the slot of a quick entry
  }
  if (!allowed(*entry, access)) {
    if (fault_empties_) drop(page);
    return nullptr;
  }
  if (access != Access::fetch && !entry->stale) quick_[page % kQuick] = {page, entry};
  return entry;
}

Mmu::Walk Mmu::walk(std::uint64_t page, PageTableReader& reader, Cost& cost) {
  Walk result;
  Address table = root_;
  unsigned level = kLevels - 1;
  if (WalkEntry* cached = cached_table(page)) {
    cached->age = ++walk_clock_;
    table = cached->table;
    level = cached->level;
  }
  for (;; --level) {
    const std::uint64_t index = page >> (level * kIndexBits) & ((1u << kIndexBits) - 1);
    ++cost.steps;
    ++walk_reads_;
    const std::uint64_t entry = reader.read_entry(table + index * 8);
    if ((entry & kValid) == 0) return result;
    const std::uint64_t ppn = entry >> kPpnShift & kPpnMask;
    if ((entry & (kRead | kWrite | kExecute)) != 0) {
      const unsigned span = level * kIndexBits;
      Translation& found = result.found;
      found.vpn = page >> span << span;
      found.ppn = ppn;
      found.root = root_;
      found.asid = asid_;
      found.span_bits = static_cast<std::uint8_t>(span);
      found.global = (entry & kGlobal) != 0;
      found.writable = (entry & kWrite) != 0;
      found.user = (entry & kUser) != 0;
      result.valid = true;
      return result;
    }
    if (level == 0) return result;
    table = ppn << 12;
    cache_table(level - 1, page, table);
  }
}

Mmu::WalkEntry* Mmu::cached_table(std::uint64_t page) {
  WalkEntry* best = nullptr;
  for (WalkEntry& entry : walk_cache_)
    if (entry.prefix == page >> ((entry.level + 1) * kIndexBits) && entry.asid == asid_ && entry.root == root_ &&
        (best == nullptr || entry.level < best->level))
      best = &entry;
  return best;
}

void Mmu::cache_table(unsigned level, std::uint64_t page, Address table) {
  if (walk_cache_.empty()) return;
  WalkEntry* victim = &walk_cache_.front();
  for (WalkEntry& entry : walk_cache_)
    if (entry.age < victim->age) victim = &entry;
  *victim = {page >> ((level + 1) * kIndexBits), table, root_, ++walk_clock_, level, asid_};
}

void Mmu::mark_owed(Address root, std::uint64_t page, std::uint64_t debt) {
  for (Tlb* tlb : {&itlb_, &dtlb_, &l2_})
    tlb->for_page(page, [&](Translation& entry) {
      if (entry.root == root && !entry.global) entry.debt = debt;
    });
}

void Mmu::mark_stale(std::uint64_t page, FunctionId owner, std::uint64_t debt) {
  for (Tlb* tlb : {&itlb_, &dtlb_, &l2_})
    tlb->for_page(page, [&](Translation& entry) {
      if (entry.debt != debt) return;
      entry.stale = true;
      entry.owed_by = owner;
    });
  forget_quick();
}

void Mmu::mark_foreign(FunctionId owner) {
  for (Tlb* tlb : {&itlb_, &dtlb_, &l2_})
    tlb->for_each([&](Translation& entry) {
      if (entry.global || entry.asid != asid_ || entry.root == root_) return;
      entry.stale = true;
      entry.owed_by = owner;
    });
  forget_quick();
}

}  // namespace switchyard::cpu

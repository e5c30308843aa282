// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/atomic_ops.h"

namespace switchyard::kernel {

/// A struct page of one page (64 bytes, one line). The offsets and flag numbers are assumed; only that all lie
/// on one line matters here. The map count here is the number of mappings (the kernel's starts at -1).
struct Folio {
  enum Flag : std::uint64_t {
    kLocked = 1u << 0,
    kReferenced = 1u << 2,
    kUptodate = 1u << 3,
    kDirty = 1u << 4,
    kLru = 1u << 5,
    kActive = 1u << 6,
    kSwapBacked = 1u << 17
  };

  base::Address page = 0;
  base::Address flags() const { return page; }
  base::Address lru() const { return page + 8; }
  base::Address mapping() const { return page + 24; }
  base::Address index() const { return page + 32; }
  base::Address private_data() const { return page + 40; }
  base::Address mapcount() const { return page + 48; }
  base::Address refcount() const { return page + 52; }
  static Folio of_lru(base::Address entry) { return {entry - 8}; }
  /// The spin lock of a page that is a page table.
  base::Address page_table_lock() const { return page + 40; }

  bool test(cpu::CpuOps& cpu, std::uint64_t flag) const { return (cpu.load(flags()) & flag) != 0; }
  bool test_and_set(AtomicOps& atomics, cpu::CpuOps& cpu, std::uint64_t flag) const {
    return (atomics.fetch_or(cpu, flags(), flag) & flag) != 0;
  }
  bool test_and_clear(AtomicOps& atomics, cpu::CpuOps& cpu, std::uint64_t flag) const {
    return (atomics.fetch_and(cpu, flags(), ~flag) & flag) != 0;
  }
  void get(AtomicOps& atomics, cpu::CpuOps& cpu) const { atomics.atomic_add(cpu, refcount(), 1); }
  /// False when the folio has no user any more.
  bool try_get(AtomicOps& atomics, cpu::CpuOps& cpu) const {
    std::uint64_t count = cpu.load(refcount(), 4);
    while (count != 0) {
      const std::uint64_t seen = atomics.cmpxchg(cpu, refcount(), count, count + 1, 4);
      if (seen == count) return true;
      count = seen;
    }
    return false;
  }
  /// Returns the references that are left.
  std::uint64_t put(AtomicOps& atomics, cpu::CpuOps& cpu) const { return atomics.atomic_add(cpu, refcount(), -1); }
};

/// Circular doubly linked lists in simulated memory: next at +0, previous at +8. A head of zeros is an empty list.
namespace list {

inline void init(cpu::CpuOps& cpu, base::Address head) {
  cpu.store(head, head);
  cpu.store(head + 8, head);
}
inline base::Address next(cpu::CpuOps& cpu, base::Address entry) {
  const base::Address value = cpu.load(entry);
  return value == 0 ? entry : value;
}
inline base::Address previous(cpu::CpuOps& cpu, base::Address entry) {
  const base::Address value = cpu.load(entry + 8);
  return value == 0 ? entry : value;
}
inline bool empty(cpu::CpuOps& cpu, base::Address head) { return next(cpu, head) == head; }
/// Adds behind the head.
inline void add(cpu::CpuOps& cpu, base::Address entry, base::Address head) {
  const base::Address first = next(cpu, head);
  cpu.store(first + 8, entry);
  cpu.store(entry, first);
  cpu.store(entry + 8, head);
  cpu.store(head, entry);
}
inline void remove(cpu::CpuOps& cpu, base::Address entry) {
  const base::Address before = cpu.load(entry + 8);
  const base::Address after = cpu.load(entry);
  cpu.store(after + 8, before);
  cpu.store(before, after);
}

}  // namespace list

}  // namespace switchyard::kernel

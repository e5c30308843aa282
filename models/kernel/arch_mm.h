// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_ops.h"
#include "kernel/address_space.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

/// What an entry of a page table says, whatever the architecture.
struct PteValue {
  std::uint64_t raw = 0;
  bool present = false;
  bool accessed = false;
  bool dirty = false;
  bool writable = false;
  Address page = 0;
};

/// The architecture below reclaim and faults: entry format, page-table walk in software, TLB maintenance. Functions
/// bear the kernel's names.
class ArchMm {
 public:
  virtual ~ArchMm() = default;

  virtual PteValue decode(std::uint64_t raw) const = 0;
  /// An entry for a user page, young; `dirty` as a write fault makes it.
  virtual std::uint64_t user_entry(Address pa, bool dirty) const = 0;
  /// An entry for a page that is only read, young; a write fault has to copy it first. `text`: code.
  virtual std::uint64_t read_only_entry(Address pa, bool text) const = 0;
  virtual std::uint64_t young_entry(std::uint64_t raw, bool dirty) const = 0;
  virtual std::uint64_t accessed_bit() const = 0;
  /// Empties an entry and returns what it held.
  virtual std::uint64_t ptep_get_and_clear(cpu::CpuOps& cpu, Address entry) = 0;
  virtual void ptep_set_wrprotect(cpu::CpuOps& cpu, Address entry) = 0;
  /// Gives an entry that is present wider rights, and does the flush that the architecture needs for that.
  virtual void ptep_set_access_flags(cpu::CpuOps& cpu, const AddressSpace&, Address /*va*/, Address entry,
                                     std::uint64_t raw) {
    cpu.store(entry, raw);
  }
  /// A fault for rights that the entry gives already: a TLB may hold an older one.
  virtual void flush_tlb_fix_spurious_fault(cpu::CpuOps&, const AddressSpace&, Address /*va*/) {}
  /// Makes an entry old; true if it was young.
  virtual bool ptep_test_and_clear_young(cpu::CpuOps& cpu, Address entry) = 0;
  virtual Address find_entry(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) = 0;
  virtual Address make_entry(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address va) = 0;
  /// The physical page-table page of an entry, and the bytes that one such page maps.
  virtual Address table_of(Address entry) const = 0;
  virtual std::uint64_t table_span() const = 0;

  virtual void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) = 0;
  virtual void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end) = 0;
  virtual void update_mmu_cache_range(cpu::CpuOps& cpu, Address va, unsigned pages) = 0;

  // Batches of flushes that reclaim defers; without them each page is flushed at once.
  virtual bool arch_tlbbatch_should_defer(cpu::CpuOps&, const AddressSpace&) { return false; }
  virtual void arch_tlbbatch_add_pending(cpu::CpuOps&, const Thread& /*current*/, const AddressSpace&) {}
  virtual void arch_flush_tlb_batched_pending(cpu::CpuOps&, const AddressSpace&) {}
  virtual void arch_tlbbatch_flush(cpu::CpuOps&, const Thread& /*current*/) {}
};

}  // namespace switchyard::kernel

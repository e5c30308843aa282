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
  virtual std::uint64_t young_entry(std::uint64_t raw, bool dirty) const = 0;
  virtual std::uint64_t accessed_bit() const = 0;
  /// Empties an entry and returns what it held.
  virtual std::uint64_t ptep_get_and_clear(cpu::CpuOps& cpu, Address entry) = 0;
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

  virtual bool arch_tlbbatch_should_defer(cpu::CpuOps& cpu, const AddressSpace& mm) = 0;
  virtual void arch_tlbbatch_add_pending(cpu::CpuOps& cpu, const Thread& current, const AddressSpace& mm) = 0;
  virtual void arch_flush_tlb_batched_pending(cpu::CpuOps& cpu, const AddressSpace& mm) = 0;
  virtual void arch_tlbbatch_flush(cpu::CpuOps& cpu, const Thread& current) = 0;
};

}  // namespace switchyard::kernel

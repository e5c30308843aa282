// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/logical_cpu.h"
#include "kernel/address_space.h"
#include "kernel/memory_node.h"
#include "kernel/spinlock.h"
#include "kernel/sv39.h"

namespace switchyard::kernel {

/// Builds page tables before the simulation starts and finds entries in them while it runs.
class PageTable {
 public:
  PageTable(Layout& layout, cpu::DebugMemory& memory) : layout_(layout), memory_(memory) {}

  /// The kernel's own table with every region of the layout; tables made later share its upper half.
  Address build_kernel();
  /// An empty user table.
  Address build_user();
  /// Maps a user page, untimed.
  void map_user(Address root, Address va, Address pa, std::uint64_t bits);

  /// Untimed: the physical address that a user address is mapped to, or 0.
  Address physical(Address root, Address va) const;

  /// From now on tables come from `node`, cleared line by line, and go back to it.
  void use(MemoryNode& node) { node_ = &node; }
  /// The root of a new address space, with the kernel's half copied.
  Address pgd_alloc(cpu::CpuOps& cpu);
  /// Kernel address of the entry for `va` in the table of `level`; 0 when a table above is missing.
  Address find_slot(cpu::CpuOps& cpu, const AddressSpace& mm, Address va, unsigned level) const;
  /// Kernel address of the last-level entry for `va`, found by reading the upper levels; 0 when a table is missing.
  Address find_entry(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) const;
  /// As find_entry, with missing tables added under the page_table_lock of `mm`: of two CPUs that come for one table
  /// the second finds that of the first, and frees its own. Source: Linux v6.7 mm/memory.c (__pte_alloc, __pmd_alloc).
  Address make_entry(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address va);
  /// The page-table page that holds a last-level entry.
  Address table_of(Address entry) const { return layout_.from_linear(entry) & ~(kPageSize - 1); }

 private:
  void map(Address root, Address va, Address pa, unsigned level, std::uint64_t bits, bool boot);
  Address new_table(bool boot);
  Address new_table(cpu::CpuOps& cpu);
  void free_table(cpu::CpuOps& cpu, Address table);
  /// Puts a table into `slot`, which was empty, and returns the one that is there then.
  Address add_table(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address slot);

  Layout& layout_;
  cpu::DebugMemory& memory_;
  Address kernel_root_ = 0;
  MemoryNode* node_ = nullptr;  ///< null: tables come from the layout, cleared word by word
};

}  // namespace switchyard::kernel

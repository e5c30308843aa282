// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/sv39_mm.h"

namespace switchyard::kernel {

/// What an architecture does for address spaces that are copied by fork and given back. Functions bear the kernel's
/// names.
class UserMm : public Sv39Mm {
 public:
  using Sv39Mm::Sv39Mm;

  /// What a struct mmu_gather says to tlb_flush().
  struct Unmapped {
    Address start = ~Address{0};
    Address end = 0;            ///< 0: nothing
    bool fullmm = false;        ///< the address space ends
    bool freed_tables = false;  ///< page tables go with the range
  };
  virtual void tlb_flush(cpu::CpuOps& cpu, const AddressSpace& mm, const Unmapped& unmapped) = 0;
  virtual void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm) = 0;
  /// The function that owes these flushes, for reports.
  virtual cpu::FunctionId flush_function() const = 0;

  /// Fills in what the architecture keeps in a new mm.
  virtual void init_new_context(cpu::CpuOps& cpu, const AddressSpace& mm) = 0;
  /// Who flushes while others do so in the same address space flushes all of it, or else all of its range whether it
  /// has cleared an entry or not (mm_tlb_flush_nested; Linux from 5.2 on and before).
  virtual bool nested_flushes_all() const = 0;
  /// munmap lets page faults in while it unmaps (from 4.20 on).
  virtual bool downgrades_mmap_sem() const = 0;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/arm64/tlb.h"
#include "kernel/user_mm.h"

namespace switchyard::kernel::arm64 {

/// arm64 under the memory of processes. Sources: Linux v5.8 arch/arm64/include/asm/{tlb.h,tlbflush.h,mmu_context.h},
/// arch/arm64/mm/fault.c.
class Arm64Mm : public UserMm {
 public:
  Arm64Mm(PageTable& tables, TlbFlusher& flusher) : UserMm(tables), flusher_(flusher) {}

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    flusher_.flush_tlb_page(cpu, mm, va);
  }
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end) override {
    flusher_.flush_tlb_range(cpu, mm, start, end, true);
  }
  /// Entries that were empty are in no TLB.
  void update_mmu_cache_range(cpu::CpuOps&, Address, unsigned) override {}
  void ptep_set_access_flags(cpu::CpuOps& cpu, const AddressSpace& mm, Address va, Address entry,
                             std::uint64_t raw) override {
    cpu.atomic(cpu::AtomicOp::swap, entry, raw);
    flush_tlb_fix_spurious_fault(cpu, mm, va);
  }
  void flush_tlb_fix_spurious_fault(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    flusher_.flush_tlb_page(cpu, mm, va);
  }
  /// The ASID of an address space that ends is not used again before all TLBs were flushed; only walks of its tables
  /// have to stop.
  void tlb_flush(cpu::CpuOps& cpu, const AddressSpace& mm, const Unmapped& unmapped) override {
    if (!unmapped.fullmm)
      flusher_.flush_tlb_range(cpu, mm, unmapped.start, unmapped.end, !unmapped.freed_tables);
    else if (unmapped.freed_tables)
      flusher_.flush_tlb_mm(cpu, mm);
  }
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm) override { flusher_.flush_tlb_mm(cpu, mm); }
  cpu::FunctionId flush_function() const override { return flusher_.range_function(); }

  void init_new_context(cpu::CpuOps& cpu, const AddressSpace& mm) override { cpu.store(mm.fields.context_id(), 0); }
  bool nested_flushes_all() const override { return true; }
  bool downgrades_mmap_sem() const override { return true; }

 private:
  TlbFlusher& flusher_;
};

}  // namespace switchyard::kernel::arm64

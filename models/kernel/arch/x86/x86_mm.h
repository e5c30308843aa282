// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/tlb_flush.h"
#include "kernel/user_mm.h"

namespace switchyard::kernel::x86 {

/// x86 under the memory of processes. Sources: Linux v4.17 and v5.0 arch/x86/include/asm/{tlb.h,tlbflush.h,pgtable.h}.
class X86Mm : public UserMm {
 public:
  X86Mm(PageTable& tables, TlbFlusher& flusher, SwitchMm& switch_mm)
      : UserMm(tables), flusher_(flusher), switch_mm_(switch_mm) {}

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    flusher_.flush_tlb_page(cpu, mm, va);
  }
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end) override {
    flusher_.flush_tlb_mm_range(cpu, mm, start, end);
  }
  /// Entries that were empty are in no TLB.
  void update_mmu_cache_range(cpu::CpuOps&, Address, unsigned) override {}
  /// The fault itself has dropped what the TLB held (Intel SDM volume 3, 4.10.4.1), so that the kernel does nothing. A
  /// CPU that is configured without that comes here, and is helped.
  void flush_tlb_fix_spurious_fault(cpu::CpuOps& cpu, const AddressSpace&, Address va) override {
    cpu.flush_tlb({.scope = cpu::TlbFlush::Scope::page, .va = va});
  }
  void tlb_flush(cpu::CpuOps& cpu, const AddressSpace& mm, const Unmapped& unmapped) override {
    if (unmapped.fullmm) return flusher_.flush_tlb_mm(cpu, mm);
    flusher_.flush_tlb_mm_range(cpu, mm, unmapped.start, unmapped.end, unmapped.freed_tables);
  }
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm) override { flusher_.flush_tlb_mm(cpu, mm); }
  cpu::FunctionId flush_function() const override { return flusher_.range_function(); }

  void init_new_context(cpu::CpuOps& cpu, const AddressSpace& mm) override { switch_mm_.init_new_context(cpu, mm); }
  bool nested_flushes_all() const override { return false; }
  bool downgrades_mmap_sem() const override { return switch_mm_.params().version >= MmVersion::v4_20; }

 private:
  TlbFlusher& flusher_;
  SwitchMm& switch_mm_;
};

}  // namespace switchyard::kernel::x86

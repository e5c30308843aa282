// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/riscv/tlbbatch.h"
#include "kernel/sv39_mm.h"

namespace switchyard::kernel::riscv {

/// Whether unmapped pages are flushed one by one or at the end of a list (BATCHED_UNMAP_TLB_FLUSH).
struct UnmapParams : base::ParamSet {
  bool batched = false;
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "batched", .text = "Defer the flushes of unmapped pages to the end of the list"}, batched);
  }
};

/// riscv under the generic memory management.
class RiscvMm : public Sv39Mm {
 public:
  RiscvMm(const UnmapParams& unmap, PageTable& tables, LocalTlb& local, TlbFlusher& flusher, TlbBatch& batch)
      : Sv39Mm(tables), batched_(unmap.batched), local_(local), flusher_(flusher), batch_(batch) {}

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    flusher_.flush_tlb_page(cpu, mm, va);
  }
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end) override {
    flusher_.flush_tlb_range(cpu, mm, start, end);
  }
  void update_mmu_cache_range(cpu::CpuOps& cpu, Address va, unsigned pages) override {
    local_.update_mmu_cache_range(cpu, va, pages);
  }
  bool arch_tlbbatch_should_defer(cpu::CpuOps&, const AddressSpace&) override {
    return batched_ && batch_.should_defer();
  }
  void arch_tlbbatch_add_pending(cpu::CpuOps& cpu, const Thread& current, const AddressSpace& mm) override {
    batch_.add_pending(cpu, current, mm);
  }
  void arch_flush_tlb_batched_pending(cpu::CpuOps& cpu, const AddressSpace& mm) override {
    batch_.flush_batched_pending(cpu, mm);
  }
  void arch_tlbbatch_flush(cpu::CpuOps& cpu, const Thread& current) override { batch_.flush(cpu, current); }

 private:
  const bool batched_;
  LocalTlb& local_;
  TlbFlusher& flusher_;
  TlbBatch& batch_;
};

}  // namespace switchyard::kernel::riscv

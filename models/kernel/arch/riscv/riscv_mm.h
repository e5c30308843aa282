// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/riscv/tlbbatch.h"
#include "kernel/arch_mm.h"
#include "kernel/page_table.h"

namespace switchyard::kernel::riscv {

/// Whether unmapped pages are flushed one by one or at the end of a list (BATCHED_UNMAP_TLB_FLUSH).
struct UnmapParams : base::ParamSet {
  bool batched = false;
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "batched", .text = "Defer the flushes of unmapped pages to the end of the list"}, batched);
  }
};

/// riscv under the generic memory management.
class RiscvMm : public ArchMm {
 public:
  RiscvMm(const UnmapParams& unmap, PageTable& tables, LocalTlb& local, TlbFlusher& flusher, TlbBatch& batch)
      : batched_(unmap.batched), tables_(tables), local_(local), flusher_(flusher), batch_(batch) {}

  PteValue decode(std::uint64_t raw) const override {
    return {raw,
            pte_present(raw),
            (raw & kPteAccessed) != 0,
            (raw & kPteDirty) != 0,
            (raw & kPteWrite) != 0,
            pte_address(raw)};
  }
  std::uint64_t user_entry(Address pa, bool dirty) const override { return make_pte(pa, kUserData | dirty_bit(dirty)); }
  std::uint64_t young_entry(std::uint64_t raw, bool dirty) const override {
    return raw | kPteAccessed | dirty_bit(dirty);
  }
  std::uint64_t accessed_bit() const override { return kPteAccessed; }
  std::uint64_t ptep_get_and_clear(cpu::CpuOps& cpu, Address entry) override {
    return cpu.atomic(cpu::AtomicOp::swap, entry, 0);
  }
  bool ptep_test_and_clear_young(cpu::CpuOps& cpu, Address entry) override {
    constexpr std::uint64_t kAccessed = kPteAccessed;
    if ((cpu.load(entry) & kAccessed) == 0) return false;
    return (cpu.atomic(cpu::AtomicOp::bit_and, entry, ~kAccessed) & kAccessed) != 0;
  }
  Address find_entry(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    return tables_.find_entry(cpu, mm, va);
  }
  Address make_entry(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address va) override {
    return tables_.make_entry(cpu, locks, mm, va);
  }
  Address table_of(Address entry) const override { return tables_.table_of(entry); }
  std::uint64_t table_span() const override { return level_bytes(1); }

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
  static std::uint64_t dirty_bit(bool dirty) { return dirty ? std::uint64_t{kPteDirty} : 0; }

  const bool batched_;
  PageTable& tables_;
  LocalTlb& local_;
  TlbFlusher& flusher_;
  TlbBatch& batch_;
};

}  // namespace switchyard::kernel::riscv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/arm64/asid.h"

namespace switchyard::kernel::arm64 {

/// Flushes of user translations by hardware broadcast: nobody is interrupted, and mm_cpumask is not looked at. With
/// KPTI each TLBI is followed by that of the user's ASID. Source: Linux v5.8 arch/arm64/include/asm/tlbflush.h. Who
/// unmaps reports to the stale-translation check, with range_function() as the one that owes the flush.
class TlbFlusher {
 public:
  static constexpr std::uint64_t kMaxTlbiOps = 512;  ///< ranges of as many pages or more go by ASID

  TlbFlusher(const AsidAllocator& asids, const Arm64Costs& costs, const KernelServices& services,
             FlushMutation mutation = FlushMutation::none);

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va);
  /// `last_level`: no page table goes with the range, so that walks of tables above may keep what they know.
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end, bool last_level = true);
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm);

  cpu::FunctionId range_function() const { return range_; }

 private:
  void tlbi_pages(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end, bool last_level);
  void tlbi(cpu::CpuOps& cpu, cpu::TlbFlush flush);
  void dsb_ish(cpu::CpuOps& cpu);

  const AsidAllocator& asids_;
  const Arm64Costs costs_;
  KernelStats& stats_;
  const FlushMutation mutation_;
  const cpu::FunctionId page_, range_, mm_;
};

}  // namespace switchyard::kernel::arm64

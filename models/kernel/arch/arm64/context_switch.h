// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel/arch/arm64/asid.h"
#include "kernel/mm_switch.h"

namespace switchyard::kernel::arm64 {

/// Switch of tasks and address spaces, and of the user's ASID at the border of user mode with KPTI. Sources: Linux v5.8
/// arch/arm64/include/asm/mmu_context.h, arch/arm64/mm/context.c (cpu_do_switch_mm), arch/arm64/kernel/{process.c,
/// entry.S}. An idle CPU keeps the address space it has. CNP and software PAN are off. Both halves of the address space
/// use one page table here, and global entries of the kernel stay with KPTI.
class ContextSwitch : public MmSwitch {
 public:
  ContextSwitch(const PerCpu& per_cpu, AsidAllocator& asids, const Arm64Costs& costs, const KernelServices& services,
                cpu::TranslationObserver* observer);

  void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) override;
  void cpu_rq(cpu::CpuOps& cpu) override;
  void switch_to(cpu::CpuOps& cpu, const Thread& next) override;

  // KPTI: the trampoline's writes of TTBR1 and VBAR, at the end of every way out of the kernel and at the start of
  // every way in, with interrupts off. Nothing without it.
  void tramp_exit(cpu::CpuOps& cpu);
  void tramp_entry(cpu::CpuOps& cpu);

  Address entry_task(unsigned cpu) const { return services_.layout.per_cpu(entry_task_, cpu); }

  static constexpr std::uint16_t kUserAsid = 1;  ///< USER_ASID_FLAG

 private:
  void cpu_switch_mm(cpu::CpuOps& cpu, const AddressSpace& mm);
  void write_ttbr(cpu::CpuOps& cpu, std::uint16_t user);

  /// What TTBR0 and TTBR1 of a CPU hold.
  struct Loaded {
    Address root = 0;
    std::uint16_t asid = 0;
  };

  const PerCpu& per_cpu_;
  AsidAllocator& asids_;
  const Arm64Costs costs_;
  const KernelServices services_;
  cpu::TranslationObserver* observer_;
  std::vector<Loaded> loaded_;  ///< loaded_[cpu]
  const Address entry_task_;
  const cpu::FunctionId cpu_do_switch_mm_, switch_to_;
};

}  // namespace switchyard::kernel::arm64

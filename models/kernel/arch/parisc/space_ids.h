// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "kernel/kernel_services.h"
#include "kernel/mm_switch.h"

namespace switchyard::kernel::parisc {

/// Space ids: one for each address space, for ever, so that a switch flushes nothing. Source: Linux v4.2
/// arch/parisc/include/asm/mmu_context.h. Ids have 16 bits here.
class SpaceIds : public MmSwitch {
 public:
  SpaceIds(const KernelServices& services, cpu::TranslationObserver* observer)
      : costs_(services.costs),
        observer_(observer),
        function_(services.functions.add("switch_mm", cpu::Domain::kernel)) {}

  void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) override;
  /// alloc_sid.
  std::uint16_t space_of(const AddressSpace& mm);

 private:
  const KernelCosts& costs_;
  cpu::TranslationObserver* observer_;
  const cpu::FunctionId function_;
  std::map<const AddressSpace*, std::uint16_t> ids_;
};

}  // namespace switchyard::kernel::parisc

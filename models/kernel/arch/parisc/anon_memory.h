// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "kernel/arch/parisc/rwsem.h"
#include "kernel/arch/parisc/tlb_purge.h"
#include "kernel/page_table.h"

namespace switchyard::kernel::parisc {

/// Private anonymous memory: pages come at the first access and go with munmap. Sources: Linux v4.2
/// arch/parisc/mm/fault.c, mm/{mmap,memory}.c, arch/parisc/include/asm/tlb.h. Areas are mapped and unmapped as a whole;
/// page tables stay; one page_table_lock is for all of an address space.
class AnonMemory {
 public:
  AnonMemory(const KernelServices& services, PageTable& tables, TlbPurge& purge, const PariscCosts& costs,
             cpu::TranslationObserver* observer);

  Rwsem mmap_sem(const AddressSpace& mm) const { return {services_.locks, mm.fields.mmap_lock()}; }
  /// An area of `bytes` that was unmapped and is mapped again at the same place, or nullptr. Under mmap_sem.
  Vma* unused_area(AddressSpace& mm, std::uint64_t bytes);
  /// Makes `va` accessible; throws ConfigError when the program has no memory there.
  void do_page_fault(cpu::CpuOps& cpu, AddressSpace& mm, Address va);
  /// Unmaps a whole area.
  void do_munmap(cpu::CpuOps& cpu, AddressSpace& mm, Vma& area);

 private:
  struct Unused {
    Vma* area;
    std::uint64_t bytes;
  };
  /// Not on a task's stack: a task that is blocked when the simulation ends holds no memory there.
  struct State {
    std::vector<Unused> unused;
    std::vector<Address> gathered;  ///< pages to be freed after the flush; under mmap_sem
  };

  void do_anonymous_page(cpu::CpuOps& cpu, AddressSpace& mm, Address va);
  /// Empties the entries of an area and gathers the pages that they held.
  void zap_pte_range(cpu::CpuOps& cpu, AddressSpace& mm, const Vma& area);
  void tlb_finish_mmu(cpu::CpuOps& cpu, std::vector<Address>& pages);

  const KernelServices services_;
  PageTable& tables_;
  TlbPurge& purge_;
  const PariscCosts costs_;
  cpu::TranslationObserver* observer_;
  const cpu::FunctionId fault_, handle_mm_, anonymous_, munmap_, zap_, finish_;
  std::map<const AddressSpace*, State> states_;
};

}  // namespace switchyard::kernel::parisc

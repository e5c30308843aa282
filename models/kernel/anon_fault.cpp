// SPDX-License-Identifier: Apache-2.0
#include "kernel/anon_fault.h"

#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

AnonFault::AnonFault(const MmServices& services, const Paths& paths)
    : services_(services),
      paths_(paths),
      stats_(services.stats),
      anonymous_(services.functions.add("do_anonymous_page", Domain::kernel)) {}

void AnonFault::do_anonymous_page(CpuOps& cpu, const Fault& fault) {
  const auto scope = cpu.function(anonymous_);
  cpu.execute(services_.costs.call + paths_.anonymous_page);
  if (!fault.write) return map_zero_page(cpu, fault);
  const Folio folio = services_.node.alloc_folio(cpu);
  services_.node.clear_page(cpu, folio);
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  if (services_.arch.decode(cpu.load(fault.entry)).present) return services_.node.free_unref_page(cpu, folio);
  services_.node.add_mm_counter(cpu, fault.mm, kAnonPages, 1);
  set_pte(cpu, fault, folio);
}

void AnonFault::name_functions() {
  wp_page_ = services_.functions.add("do_wp_page", Domain::kernel);
  copy_ = services_.functions.add("wp_page_copy", Domain::kernel);
  clear_flush_ = services_.functions.add("ptep_clear_flush", Domain::kernel);
}

/// The zero page is not counted and has no reverse mapping.
void AnonFault::map_zero_page(CpuOps& cpu, const Fault& fault) {
  if (zero_page_ == 0) zero_page_ = services_.layout.pages().allocate_fresh();
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  if (services_.arch.decode(cpu.load(fault.entry)).present) return;
  ++stats_.zero;
  cpu.store(fault.entry, services_.arch.read_only_entry(zero_page_, false));
  services_.arch.update_mmu_cache_range(cpu, fault.va, 1);
}

// The lock of the page-table page is held.
void AnonFault::set_pte(CpuOps& cpu, const Fault& fault, Folio folio) {
  services_.atomics.atomic_add(cpu, folio.mapcount(), 1);
  services_.node.mod_lruvec_state(cpu);
  services_.node.folio_add_lru(cpu, folio);
  cpu.store(fault.entry, services_.arch.user_entry(services_.layout.page_of(folio.page), true));
  services_.arch.update_mmu_cache_range(cpu, fault.va, 1);
}

// A page that only this entry maps is made writable. Its lock is left out: reclaim does not touch such pages here.
void AnonFault::do_wp_page(CpuOps& cpu, const Fault& fault) {
  if (wp_page_ == 0) name_functions();
  const auto scope = cpu.function(wp_page_);
  cpu.execute(services_.costs.call + paths_.wp_page);
  PteValue old;
  {
    const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
    old = services_.arch.decode(cpu.load(fault.entry));
    if (!old.present) return;
    if (old.writable) return services_.arch.flush_tlb_fix_spurious_fault(cpu, fault.mm, fault.va);
    const Folio folio = services_.node.folio_of(old.page);
    if (!is_zero_page(old.page)) {
      if (cpu.load(folio.mapcount(), 4) == 1) {
        services_.arch.ptep_set_access_flags(cpu, fault.mm, fault.va, fault.entry,
                                             services_.arch.user_entry(old.page, true));
        return services_.arch.update_mmu_cache_range(cpu, fault.va, 1);
      }
      folio.get(services_.atomics, cpu);
    }
  }
  wp_page_copy(cpu, fault, old);
}

void AnonFault::wp_page_copy(CpuOps& cpu, const Fault& fault, const PteValue& old) {
  const auto scope = cpu.function(copy_);
  cpu.execute(services_.costs.call);
  const bool zero = is_zero_page(old.page);
  const Folio source = services_.node.folio_of(old.page);
  const Folio folio = services_.node.alloc_folio(cpu);
  if (zero)
    services_.node.clear_page(cpu, folio);
  else
    services_.node.copy_page(cpu, folio, source);
  bool copied = false;
  {
    const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
    copied = cpu.load(fault.entry) == old.raw;
    if (copied) {
      ++stats_.copied;
      ptep_clear_flush(cpu, fault);
      set_pte(cpu, fault, folio);
      if (zero)
        services_.node.add_mm_counter(cpu, fault.mm, kAnonPages, 1);
      else
        services_.atomics.atomic_add(cpu, source.mapcount(), -1);
    }
  }
  if (!copied) services_.node.free_unref_page(cpu, folio);
  if (zero) return;
  if (copied) services_.node.put_page(cpu, source);  // that of the entry
  services_.node.put_page(cpu, source);              // that of this fault
}

void AnonFault::ptep_clear_flush(CpuOps& cpu, const Fault& fault) {
  const auto scope = cpu.function(clear_flush_);
  services_.arch.ptep_get_and_clear(cpu, fault.entry);
  if (services_.observer != nullptr) services_.observer->unmapped(cpu.context(), fault.mm.root, fault.va, clear_flush_);
  services_.arch.flush_tlb_page(cpu, fault.mm, fault.va);
  if (services_.observer != nullptr) services_.observer->flush_relied_on(&cpu.context(), fault.mm.root);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/tlb_purge.h"

#include "kernel/arch/parisc/ldcw_locks.h"

namespace switchyard::kernel::parisc {

using cpu::CpuOps;
using cpu::Domain;
using cpu::TlbFlush;

// Which variables the linker puts beside pa_tlb_lock is not known: it has a line of its own here, as has sid_lock.
TlbPurge::TlbPurge(const TlbPurgeParams& params, const KernelServices& services, cpu::DebugMemory& memory,
                   PageTable& tables, Smp& smp, SpaceIds& space_ids, const PariscCosts& costs, FlushMutation mutation)
    : params_(params),
      services_(services),
      costs_(costs),
      tables_(tables),
      smp_(smp),
      space_ids_(space_ids),
      mutation_(mutation),
      stats_(services.stats),
      pa_tlb_lock_(services.layout.add_data("pa_tlb_lock", 4, 128)),
      sid_lock_(services.layout.add_data("sid_lock", 8, 128)),
      page_(services.functions.add("flush_tlb_page", Domain::kernel)),
      range_(services.functions.add("flush_tlb_range", Domain::kernel)),
      mm_(services.functions.add("flush_tlb_mm", Domain::kernel)),
      all_(services.functions.add("flush_tlb_all", Domain::kernel)),
      local_(services.functions.add("flush_tlb_all_local", Domain::kernel)),
      miss_(services.functions.add("dtlb_miss_20w", Domain::kernel)) {
  for (const Address lock : {pa_tlb_lock_, sid_lock_})
    services_.locks.spin_lock_init(memory, services_.layout.physical(lock));
}

/// One page under pa_tlb_lock, with interrupts off.
void TlbPurge::purge(CpuOps& cpu, std::uint16_t space, Address va) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, pa_tlb_lock_);
    cpu.execute(costs_.purge_tlb);
    const TlbFlush page{.scope = TlbFlush::Scope::page, .va = va, .asid = space, .any_asid = false};
    for (int tlb = 0; tlb < (params_.split_tlb ? 2 : 1); ++tlb) {
      if (mutation_ == FlushMutation::broadcast)
        cpu.flush_tlb(page);
      else
        cpu.broadcast_flush_tlb(page);
    }
  }
  cpu.set_interrupts(interrupts);
  ++stats_.purges;
}

void TlbPurge::tlb_miss(CpuOps& cpu, const AddressSpace& mm, Address va) {
  const auto scope = cpu.function(miss_);
  ++stats_.refills;
  const Address entry = tables_.find_entry(cpu, mm, va);
  if (entry == 0) return;
  const bool locks = params_.lock == MissLock::global;
  while (locks && ldcw(cpu, pa_tlb_lock_) == 0) cpu.execute(costs_.tlb_lock_spin);
  const std::uint64_t raw = cpu.load(entry);
  if (pte_present(raw) && (raw & kPteAccessed) == 0) cpu.store(entry, raw | kPteAccessed);
  if (locks) services_.locks.spin_unlock(cpu, pa_tlb_lock_);
}

void TlbPurge::flush_tlb_page(CpuOps& cpu, const AddressSpace& mm, Address va) {
  const auto scope = cpu.function(page_);
  cpu.load(mm.fields.context_id());
  if (mutation_ != FlushMutation::flush_tlb_page) purge(cpu, space_ids_.space_of(mm), va);
}

void TlbPurge::flush_tlb_range(CpuOps& cpu, const AddressSpace& mm, Address start, Address end) {
  const auto scope = cpu.function(range_);
  cpu.execute(costs_.call);
  cpu.load(mm.fields.context_id());
  if (mutation_ == FlushMutation::flush_tlb_range) return;
  if (end - start >= params_.flush_threshold.value) return flush_tlb_all(cpu);
  for (Address va = start; va < end; va += kPageSize) purge(cpu, space_ids_.space_of(mm), va);
}

void TlbPurge::flush_tlb_mm(CpuOps& cpu, const AddressSpace&) {
  const auto scope = cpu.function(mm_);
  flush_tlb_all(cpu);
}

void TlbPurge::flush_tlb_all(CpuOps& cpu) {
  const auto scope = cpu.function(all_);
  cpu.execute(costs_.call);
  {
    const SpinGuard guard(services_.locks, cpu, sid_lock_);
    cpu.load(dirty_space_ids(), 4);
  }
  base::CpuMask all;
  for (unsigned c = 0; c < services_.layout.cpus(); ++c) all.set(c);
  smp_.on_each_cpu_mask(cpu, all, [this](CpuOps& target) {
    const auto local = target.function(local_);
    target.flush_tlb({});
  });
  ++stats_.flushes;
}

}  // namespace switchyard::kernel::parisc

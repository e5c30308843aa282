// SPDX-License-Identifier: Apache-2.0
#include "kernel/reclaim.h"

#include <algorithm>

#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

// Depths of the list heads that live on the stack.
constexpr std::uint64_t kIsolatedList = 640;
constexpr std::uint64_t kKeptList = 1152;
constexpr std::uint64_t kFreedList = 1168;

}  // namespace

Reclaim::Reclaim(const ReclaimParams& params, const MmServices& services, Rmap& rmap, Shmem& shmem)
    : params_(params),
      services_(services),
      rmap_(rmap),
      shmem_(shmem),
      madvise_(services.functions.add("do_madvise", Domain::kernel)),
      walk_(services.functions.add("madvise_pageout", Domain::kernel)),
      pte_range_(services.functions.add("madvise_cold_or_pageout_pte_range", Domain::kernel)),
      reclaim_(services.functions.add("reclaim_pages", Domain::kernel)),
      shrink_(services.functions.add("shrink_folio_list", Domain::kernel)),
      pageout_(services.functions.add("pageout", Domain::kernel)),
      finish_(services.functions.add("tlb_finish_mmu", Domain::kernel)) {}

void Reclaim::madvise_pageout(CpuOps& cpu, Thread& current, const Vma& vma, Address start, Address end) {
  const auto outer = cpu.function(madvise_);
  cpu.execute(services_.costs.call);
  const AddressSpace& mm = *vma.mm;
  down_read(services_.atomics, cpu, mm.fields.mmap_lock());
  cpu.load(mm.fields.mm_mt());
  cpu.load(mm.maple_node);
  cpu.load(vma.object);
  cpu.load(vma.vm_flags());
  {
    const auto scope = cpu.function(walk_);
    cpu.execute(services_.costs.call);
    services_.frame(cpu, current, 256);
    services_.node.lru_add_drain(cpu);
    Gather gather;
    services_.atomics.atomic_add(cpu, mm.fields.tlb_flush_pending(), 1);
    const std::uint64_t span = services_.arch.table_span();
    for (Address at = start; at < end; at = at / span * span + span)
      madvise_cold_or_pageout_pte_range(cpu, current, vma, at, std::min(end, at / span * span + span), gather);
    tlb_finish_mmu(cpu, mm, gather);
  }
  up_read(services_.atomics, cpu, mm.fields.mmap_lock());
}

void Reclaim::madvise_cold_or_pageout_pte_range(CpuOps& cpu, Thread& current, const Vma& vma, Address start,
                                                Address end, Gather& gather) {
  const auto scope = cpu.function(pte_range_);
  cpu.execute(services_.costs.call);
  const Address isolated = current.frame(kIsolatedList);
  list::init(cpu, isolated);
  const Address entry = services_.arch.find_entry(cpu, *vma.mm, start);
  if (entry == 0) return;
  {
    const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(entry));
    rmap_.flush_tlb_batched_pending(cpu, *vma.mm);
    for (Address va = start; va < end; va += kPageSize)
      isolate(cpu, va, entry + 8 * ((va - start) / kPageSize), isolated, gather);
  }
  if (!list::empty(cpu, isolated)) reclaim_pages(cpu, current, isolated);
}

// A young entry is taken out, made old and put back; its translation stays valid, so the flush may come late.
void Reclaim::isolate(CpuOps& cpu, Address va, Address entry, Address isolated, Gather& gather) {
  const PteValue pte = services_.arch.decode(cpu.load(entry));
  if (!pte.present) return;
  const Folio folio = services_.node.folio_of(pte.page);
  if (cpu.load(folio.mapcount(), 4) != 1) return;
  services_.rest.spend(cpu, PageStep::pte_range);
  if (params_.clear_accessed && pte.accessed) {
    const std::uint64_t raw = services_.arch.ptep_get_and_clear(cpu, entry);
    cpu.store(entry, raw & ~services_.arch.accessed_bit());
    gather.add(va);
  }
  folio.test_and_clear(services_.atomics, cpu, Folio::kReferenced);
  if (services_.node.folio_isolate_lru(cpu, folio)) list::add(cpu, folio.lru(), isolated);
}

void Reclaim::reclaim_pages(CpuOps& cpu, Thread& current, Address isolated) {
  const auto scope = cpu.function(reclaim_);
  cpu.execute(services_.costs.call);
  shrink_folio_list(cpu, current, isolated);
  const Address kept = current.frame(kKeptList);
  for (Address entry = list::previous(cpu, kept); entry != kept; entry = list::previous(cpu, kept)) {
    list::remove(cpu, entry);
    services_.node.folio_putback_lru(cpu, Folio::of_lru(entry));
  }
}

void Reclaim::shrink_folio_list(CpuOps& cpu, Thread& current, Address isolated) {
  const auto scope = cpu.function(shrink_);
  cpu.execute(services_.costs.call);
  const Address kept = current.frame(kKeptList);
  const Address freed = current.frame(kFreedList);
  list::init(cpu, kept);
  list::init(cpu, freed);
  for (Address entry = list::previous(cpu, isolated); entry != isolated; entry = list::previous(cpu, isolated)) {
    list::remove(cpu, entry);
    const Folio folio = Folio::of_lru(entry);
    const Fate fate = shrink_folio(cpu, current, folio);
    if (fate == Fate::activate) folio.test_and_set(services_.atomics, cpu, Folio::kActive);
    list::add(cpu, entry, fate == Fate::free ? freed : kept);
  }
  rmap_.try_to_unmap_flush(cpu, current);
  for (Address entry = list::previous(cpu, freed); entry != freed; entry = list::previous(cpu, freed)) {
    list::remove(cpu, entry);
    services_.node.free_unref_page(cpu, Folio::of_lru(entry));
    ++services_.stats.pages_reclaimed;
  }
}

Reclaim::Fate Reclaim::shrink_folio(CpuOps& cpu, Thread& current, Folio folio) {
  services_.rest.spend(cpu, PageStep::shrink);
  cpu.execute(services_.costs.call);
  if (folio.test_and_set(services_.atomics, cpu, Folio::kLocked)) return Fate::keep;
  PageCache& cache = shmem_.cache_at(cpu.load(folio.mapping()));
  const auto decide = [&] {
    if (params_.clear_accessed && rmap_.folio_referenced(cpu, cache, folio) != 0) return Fate::activate;
    if (cpu.load(folio.mapcount(), 4) != 0) rmap_.try_to_unmap(cpu, current, cache, folio);
    if (cpu.load(folio.mapcount(), 4) != 0) return Fate::keep;
    if (!folio.test(cpu, Folio::kDirty)) return Fate::keep;
    rmap_.try_to_unmap_flush_dirty(cpu, current);
    if (!pageout(cpu, current, cache, folio)) return Fate::activate;
    shmem_.remove_mapping(cpu, folio);
    return Fate::free;
  };
  const Fate fate = decide();
  folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
  return fate;
}

bool Reclaim::pageout(CpuOps& cpu, Thread& current, PageCache& cache, Folio folio) {
  const auto scope = cpu.function(pageout_);
  cpu.execute(services_.costs.call);
  services_.rest.spend(cpu, PageStep::pageout);
  services_.frame(cpu, current, 1408);
  cpu.load(cache.a_ops());
  folio.test_and_clear(services_.atomics, cpu, Folio::kDirty);
  return shmem_.shmem_writepage(cpu, cache, folio);
}

void Reclaim::tlb_finish_mmu(CpuOps& cpu, const AddressSpace& mm, const Gather& gather) {
  const auto scope = cpu.function(finish_);
  cpu.execute(services_.costs.call);
  if (gather.end != 0) services_.arch.flush_tlb_range(cpu, mm, gather.start, gather.end);
  services_.atomics.atomic_add(cpu, mm.fields.tlb_flush_pending(), -1);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/rmap.h"

#include <algorithm>

#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

Rmap::Rmap(const MmServices& services)
    : services_(services),
      referenced_(services.functions.add("folio_referenced", Domain::kernel)),
      unmap_(services.functions.add("try_to_unmap", Domain::kernel)),
      unmap_one_(services.functions.add("try_to_unmap_one", Domain::kernel)),
      clear_flush_(services.functions.add("ptep_clear_flush", Domain::kernel)),
      pending_(services.functions.add("set_tlb_ubc_flush_pending", Domain::kernel)),
      flush_(services.functions.add("try_to_unmap_flush", Domain::kernel)),
      flush_dirty_(services.functions.add("try_to_unmap_flush_dirty", Domain::kernel)),
      batched_pending_(services.functions.add("flush_tlb_batched_pending", Domain::kernel)) {}

// rmap_walk_file and page_vma_mapped_walk: `visit(vma, va, entry)` runs under the lock of the page-table page.
template <class F>
void Rmap::walk(CpuOps& cpu, const PageCache& cache, Folio folio, F visit) {
  down_read(services_.atomics, cpu, cache.i_mmap_rwsem());
  const std::uint64_t index = cpu.load(folio.index());
  cpu.load(cache.i_mmap_root());
  for (const Vma* vma : cache.mapped_in) {
    cpu.load(vma->object);
    const Address va = vma->start + index * kPageSize;
    if (va >= vma->end) continue;
    const Address entry = services_.arch.find_entry(cpu, *vma->mm, va);
    if (entry == 0) continue;
    const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(entry));
    const PteValue pte = services_.arch.decode(cpu.load(entry));
    if (!pte.present || services_.node.folio_of(pte.page).page != folio.page) continue;
    visit(*vma, va, entry);
  }
  up_read(services_.atomics, cpu, cache.i_mmap_rwsem());
}

unsigned Rmap::folio_referenced(CpuOps& cpu, const PageCache& cache, Folio folio) {
  const auto scope = cpu.function(referenced_);
  cpu.execute(services_.costs.call);
  unsigned young = 0;
  walk(cpu, cache, folio, [&](const Vma&, Address, Address entry) {
    if (services_.arch.ptep_test_and_clear_young(cpu, entry)) ++young;
  });
  return young;
}

void Rmap::try_to_unmap(CpuOps& cpu, Thread& current, const PageCache& cache, Folio folio) {
  const auto scope = cpu.function(unmap_);
  cpu.execute(services_.costs.call);
  walk(cpu, cache, folio,
       [&](const Vma& vma, Address va, Address entry) { try_to_unmap_one(cpu, current, vma, va, entry, folio); });
}

void Rmap::try_to_unmap_one(CpuOps& cpu, Thread& current, const Vma& vma, Address va, Address entry, Folio folio) {
  const auto scope = cpu.function(unmap_one_);
  cpu.execute(services_.costs.call);
  services_.rest.spend(cpu, PageStep::unmap);
  services_.frame(cpu, current, 1536);
  const AddressSpace& mm = *vma.mm;
  PteValue pte;
  if (services_.arch.arch_tlbbatch_should_defer(cpu, mm)) {
    pte = services_.arch.decode(services_.arch.ptep_get_and_clear(cpu, entry));
    unmapped(cpu, mm, va, flush_);
    set_tlb_ubc_flush_pending(cpu, current, mm, pte.dirty);
  } else {
    pte = services_.arch.decode(ptep_clear_flush(cpu, mm, va, entry));
  }
  if (pte.dirty) folio.test_and_set(services_.atomics, cpu, Folio::kDirty);
  cpu.load(mm.fields.hiwater_rss());
  services_.node.add_mm_counter(cpu, mm, kShmemPages, -1);
  services_.atomics.atomic_add(cpu, folio.mapcount(), -1);
  services_.node.mod_lruvec_state(cpu);
  folio.put(services_.atomics, cpu);
}

void Rmap::unmapped(CpuOps& cpu, const AddressSpace& mm, Address va, cpu::FunctionId owner) const {
  if (services_.observer != nullptr) services_.observer->unmapped(cpu.context(), mm.root, va, owner);
}

std::uint64_t Rmap::ptep_clear_flush(CpuOps& cpu, const AddressSpace& mm, Address va, Address entry) {
  const auto scope = cpu.function(clear_flush_);
  const std::uint64_t pte = services_.arch.ptep_get_and_clear(cpu, entry);
  unmapped(cpu, mm, va, clear_flush_);
  if (services_.arch.decode(pte).present) services_.arch.flush_tlb_page(cpu, mm, va);
  if (services_.observer != nullptr) services_.observer->flush_relied_on(&cpu.context(), mm.root);
  return pte;
}

void Rmap::set_tlb_ubc_flush_pending(CpuOps& cpu, Thread& current, const AddressSpace& mm, bool writable) {
  const auto scope = cpu.function(pending_);
  cpu.execute(services_.costs.call);
  services_.arch.arch_tlbbatch_add_pending(cpu, current, mm);
  cpu.store(current.batch_flush_required(), 1, 1);
  if (std::find(current.unflushed.begin(), current.unflushed.end(), &mm) == current.unflushed.end())
    current.unflushed.push_back(&mm);
  const Address counter = mm.fields.tlb_flush_batched();
  std::uint64_t batch = cpu.load(counter, 4);
  while ((batch & kPendingMask) > kPendingLarge) {
    const std::uint64_t seen = services_.atomics.cmpxchg(cpu, counter, batch, 1, 4);
    if (seen == batch) break;
    batch = seen;
  }
  if ((batch & kPendingMask) <= kPendingLarge) services_.atomics.atomic_add(cpu, counter, 1);
  if (writable) cpu.store(current.batch_writable(), 1, 1);
}

void Rmap::do_flush(CpuOps& cpu, Thread& current, FlushMutation skipped) {
  const auto scope = cpu.function(flush_);
  cpu.execute(services_.costs.call);
  if (cpu.load(current.batch_flush_required(), 1) == 0) return;
  if (services_.mutation != skipped) services_.arch.arch_tlbbatch_flush(cpu, current);
  cpu.store(current.batch_flush_required(), 0, 1);
  cpu.store(current.batch_writable(), 0, 1);
  if (services_.observer != nullptr)
    for (const AddressSpace* mm : current.unflushed) services_.observer->flush_relied_on(&cpu.context(), mm->root);
  current.unflushed.clear();
}

void Rmap::try_to_unmap_flush(CpuOps& cpu, Thread& current) {
  do_flush(cpu, current, FlushMutation::try_to_unmap_flush);
}

void Rmap::try_to_unmap_flush_dirty(CpuOps& cpu, Thread& current) {
  const auto scope = cpu.function(flush_dirty_);
  if (cpu.load(current.batch_writable(), 1) != 0) do_flush(cpu, current, FlushMutation::try_to_unmap_flush_dirty);
}

void Rmap::flush_tlb_batched_pending(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(batched_pending_);
  cpu.execute(services_.costs.call);
  const std::uint64_t batch = cpu.load(mm.fields.tlb_flush_batched(), 4);
  const std::uint64_t pending = batch & kPendingMask;
  if (pending == batch >> kFlushedShift) return;
  if (services_.mutation != FlushMutation::flush_tlb_batched_pending)
    services_.arch.arch_flush_tlb_batched_pending(cpu, mm);
  services_.atomics.cmpxchg(cpu, mm.fields.tlb_flush_batched(), batch, pending | pending << kFlushedShift, 4);
  if (services_.observer != nullptr) services_.observer->flush_relied_on(nullptr, mm.root);
}

void Rmap::folio_add_file_rmap(CpuOps& cpu, Folio folio) {
  services_.atomics.atomic_add(cpu, folio.mapcount(), 1);
  services_.node.mod_lruvec_state(cpu);
}

}  // namespace switchyard::kernel

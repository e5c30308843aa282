// SPDX-License-Identifier: Apache-2.0
// How private memory is given back: munmap, madvise, and the end of an address space.
#include <algorithm>

#include "kernel/spinlock.h"
#include "kernel/user_memory.h"

namespace switchyard::kernel {

using cpu::CpuOps;

void UserMemory::munmap(CpuOps& cpu, const Thread& current, AddressSpace& mm, Address start, Address end) {
  const auto scope = cpu.function(munmap_);
  cpu.execute(costs_.munmap);
  const Rwsem sem = mmap_sem(mm);
  sem.down_write(cpu);
  split_vma(cpu, mm, start);
  split_vma(cpu, mm, end);
  detach(cpu, mm, start, end);
  if (arch_.downgrades_mmap_sem()) sem.downgrade_write(cpu);
  MmuGather gather(services_, arch_, current, mm, start, end);
  unmap_detached(cpu, gather, mm);
  if (arch_.downgrades_mmap_sem())
    sem.up_read(cpu);
  else
    sem.up_write(cpu);
}

/// Makes an area begin at `at` if one covers it.
void UserMemory::split_vma(CpuOps& cpu, AddressSpace& mm, Address at) {
  Vma* const vma = mm.find(at);
  if (vma == nullptr || vma->start == at) return;
  cpu.execute(costs_.split_vma);
  const Address end = vma->end;
  vma->end = at;
  cpu.store(vma->vm_flags(), at);
  insert_vma(cpu, mm, at, end, vma->kind);
}

void UserMemory::detach(CpuOps& cpu, AddressSpace& mm, Address start, Address end) {
  for (auto& area : mm.areas) {
    if (area->start < start || area->end > end) continue;
    cpu.load(area->object);
    mm.detached.push_back(std::move(area));
  }
  mm.areas.erase(std::remove(mm.areas.begin(), mm.areas.end(), nullptr), mm.areas.end());
  cpu.store(mm.fields.mm_mt(), mm.areas.empty() ? 0 : mm.areas.front()->object);
}

/// unmap_region. Of several tasks in an address space only one has areas detached: the others cannot have mmap_sem for
/// writing before it is done.
void UserMemory::unmap_detached(CpuOps& cpu, MmuGather& gather, AddressSpace& mm) {
  services_.node.lru_add_drain(cpu);
  gather.begin(cpu);
  for (const auto& vma : mm.detached) zap_range(cpu, gather, *vma, vma->start, vma->end);
  {
    const auto scope = cpu.function(pgtables_);
    for (const unsigned level : {1u, 2u})
      for (const auto& vma : mm.detached) free_pgtables(cpu, gather, mm, *vma, level);
  }
  gather.finish(cpu);
  remove_detached(cpu, mm);
}

void UserMemory::remove_detached(CpuOps& cpu, AddressSpace& mm) {
  for (const auto& vma : mm.detached) {
    cpu.execute(costs_.remove_vma);
    if (vmas_.owns(vma->object)) vmas_.free(cpu, vma->object);
  }
  mm.detached.clear();
}

void UserMemory::madvise_dontneed(CpuOps& cpu, const Thread& current, AddressSpace& mm, Address start, Address end) {
  const auto scope = cpu.function(dontneed_);
  cpu.execute(costs_.madvise);
  const Rwsem sem = mmap_sem(mm);
  sem.down_read(cpu);
  cpu.load(mm.fields.mm_mt());
  services_.node.lru_add_drain(cpu);
  MmuGather gather(services_, arch_, current, mm, start, end);
  gather.begin(cpu);
  for (const auto& vma : mm.areas) {
    if (vma->end <= start || vma->start >= end) continue;
    cpu.load(vma->object);
    zap_range(cpu, gather, *vma, std::max(start, vma->start), std::min(end, vma->end));
  }
  gather.finish(cpu);
  sem.up_read(cpu);
}

void UserMemory::zap_range(CpuOps& cpu, MmuGather& gather, const Vma& vma, Address start, Address end) {
  const auto scope = cpu.function(zap_);
  while (start < end) {
    start = zap_pte_range(cpu, gather, vma, start, end);
    if (start < end) cpu.execute(services_.costs.call);
  }
}

Address UserMemory::zap_pte_range(CpuOps& cpu, MmuGather& gather, const Vma& vma, Address start, Address end) {
  const std::uint64_t span = arch_.table_span();
  const Address until = std::min(end, start / span * span + span);
  Address entry = arch_.find_entry(cpu, *vma.mm, start);
  if (entry == 0) return until;
  bool room = true;
  std::int64_t pages = 0;
  Address va = start;
  {
    const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(entry));
    for (; va < until && room; va += kPageSize, entry += 8) room = zap_pte(cpu, gather, va, entry, pages);
  }
  if (pages != 0)
    services_.node.add_mm_counter(cpu, *vma.mm, vma.kind == MapKind::text ? kFilePages : kAnonPages, -pages);
  if (!room) gather.flush_mmu(cpu);
  return va;
}

bool UserMemory::zap_pte(CpuOps& cpu, MmuGather& gather, Address va, Address entry, std::int64_t& pages) {
  cpu.execute(costs_.zap_entry);
  const std::uint64_t raw = cpu.load(entry);
  if (!arch_.decode(raw).present) return true;
  const PteValue pte = arch_.decode(arch_.ptep_get_and_clear(cpu, entry));
  gather.add(cpu, va, arch_.flush_function());
  if (anon_.is_zero_page(pte.page)) return true;
  ++pages;
  const Folio folio = services_.node.folio_of(pte.page);
  services_.atomics.atomic_add(cpu, folio.mapcount(), -1);
  cpu.execute(costs_.release_page);
  return gather.remove_page(cpu, folio);
}

// Tables of `level` - 1 that lie under `vma`, and that no other area needs.
void UserMemory::free_pgtables(CpuOps& cpu, MmuGather& gather, const AddressSpace& mm, const Vma& vma, unsigned level) {
  const std::uint64_t span = level_bytes(level);
  for (Address at = vma.start / span * span; at < vma.end; at += span) {
    const bool needed = std::any_of(mm.areas.begin(), mm.areas.end(),
                                    [&](const auto& area) { return area->start < at + span && area->end > at; });
    if (needed) continue;
    const Address slot = tables_.find_slot(cpu, mm, at, level);
    if (slot == 0) continue;
    const PteValue pte = arch_.decode(cpu.load(slot));
    if (!pte.present) continue;
    cpu.store(slot, 0);
    if (!gather.remove_table(cpu, at, services_.node.folio_of(pte.page))) gather.flush_mmu(cpu);
  }
}

void UserMemory::mmput(CpuOps& cpu, const Thread& current, AddressSpace& mm) {
  if (services_.atomics.atomic_add(cpu, mm.fields.mm_users(), -1) != 0) return;
  exit_mmap(cpu, current, mm);
  if (services_.atomics.atomic_add(cpu, mm.fields.mm_count(), -1) == 0) mmdrop(cpu, mm);
}

void UserMemory::exit_mmap(CpuOps& cpu, const Thread& current, AddressSpace& mm) {
  const auto scope = cpu.function(exit_mmap_);
  cpu.execute(costs_.exit_mmap);
  detach(cpu, mm, 0, ~Address{0});
  MmuGather gather(services_, arch_, current, mm);
  unmap_detached(cpu, gather, mm);
  mm.data.clear();
}

void UserMemory::mmdrop(CpuOps& cpu, AddressSpace& mm) {
  const auto scope = cpu.function(mmdrop_);
  cpu.execute(services_.costs.call);
  services_.node.free_unref_page(cpu, services_.node.folio_of(mm.root));
  mm.root = 0;
  mms_.free(cpu, mm.fields.base);
  free_spaces_.push_back(&mm);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/user_memory.h"

#include <algorithm>
#include <sstream>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

UserMemory::UserMemory(const ProcessCosts& costs, const MmServices& services, UserMm& arch, PageTable& tables)
    : costs_(costs),
      services_(services),
      arch_(arch),
      tables_(tables),
      anon_(services, {.anonymous_page = costs.anonymous_page, .wp_page = costs.wp_page}),
      vmas_(services, costs_.slab, {"vm_area_struct", Vma::kBytes, 0, 30}),
      mms_(services, costs_.slab, {"mm_struct", round_up(MmFields::size(services.layout.cpus()), 64), 3, 6}),
      fault_(services.functions.add("do_page_fault", Domain::kernel)),
      handle_mm_(services.functions.add("handle_mm_fault", Domain::kernel)),
      file_(services.functions.add("filemap_map_pages", Domain::kernel)),
      mmap_(services.functions.add("do_mmap", Domain::kernel)),
      munmap_(services.functions.add("do_munmap", Domain::kernel)),
      dontneed_(services.functions.add("madvise_dontneed", Domain::kernel)),
      zap_(services.functions.add("zap_pte_range", Domain::kernel)),
      pgtables_(services.functions.add("free_pgtables", Domain::kernel)),
      dup_mmap_(services.functions.add("dup_mmap", Domain::kernel)),
      copy_range_(services.functions.add("copy_page_range", Domain::kernel)),
      exit_mmap_(services.functions.add("exit_mmap", Domain::kernel)),
      mmdrop_(services.functions.add("__mmdrop", Domain::kernel)) {
  tables_.use(services.node);
}

void UserMemory::do_page_fault(CpuOps& cpu, AddressSpace& mm, Address va, cpu::Access access) {
  const auto scope = cpu.function(fault_);
  cpu.execute(services_.costs.page_fault);
  ++services_.stats.page_faults;
  services_.node.count_vm_event(cpu);
  const Rwsem sem = mmap_sem(mm);
  sem.down_read(cpu);
  const Vma& vma = find_vma(cpu, mm, va);
  {
    const auto handle = cpu.function(handle_mm_);
    cpu.execute(costs_.handle_mm_fault);
    const Address page = va & ~(kPageSize - 1);
    const Address entry = arch_.make_entry(cpu, services_.locks, mm, page);
    handle_pte_fault(cpu, vma, {mm, page, entry, access == cpu::Access::store});
  }
  sem.up_read(cpu);
}

Vma& UserMemory::find_vma(CpuOps& cpu, const AddressSpace& mm, Address va) {
  cpu.load(mm.fields.mm_mt());
  Vma* const vma = mm.find(va);
  if (vma == nullptr) {
    std::ostringstream text;
    text << "access to 0x" << std::hex << va << ", where nothing is mapped";
    throw base::ConfigError(mm.name, text.str());
  }
  cpu.load(vma->object);
  cpu.load(vma->vm_flags());
  return *vma;
}

void UserMemory::handle_pte_fault(CpuOps& cpu, const Vma& vma, const AnonFault::Fault& fault) {
  const PteValue pte = arch_.decode(cpu.load(fault.entry));
  if (!pte.present) {
    if (vma.kind == MapKind::text) return map_file_page(cpu, vma, fault);
    return anon_.do_anonymous_page(cpu, fault);
  }
  if (fault.write) return anon_.do_wp_page(cpu, fault);
  arch_.flush_tlb_fix_spurious_fault(cpu, fault.mm, fault.va);
}

// do_read_fault with the one page that a program has in the page cache.
void UserMemory::map_file_page(CpuOps& cpu, const Vma& vma, const AnonFault::Fault& fault) {
  const auto scope = cpu.function(file_);
  cpu.execute(costs_.file_page);
  const Folio folio = services_.node.folio_of(vma.file_page);
  folio.get(services_.atomics, cpu);
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  if (arch_.decode(cpu.load(fault.entry)).present) return services_.node.put_page(cpu, folio);
  services_.atomics.atomic_add(cpu, folio.mapcount(), 1);
  services_.node.add_mm_counter(cpu, fault.mm, kFilePages, 1);
  cpu.store(fault.entry, arch_.read_only_entry(vma.file_page, true));
  arch_.update_mmu_cache_range(cpu, fault.va, 1);
}

Vma& UserMemory::insert_vma(CpuOps& cpu, AddressSpace& mm, Address start, Address end, MapKind kind) {
  auto made = std::make_unique<Vma>();
  made->start = start;
  made->end = end;
  made->kind = kind;
  made->mm = &mm;
  Vma& vma = *made;
  const auto after =
      std::find_if(mm.areas.begin(), mm.areas.end(), [&](const auto& area) { return area->start >= end; });
  mm.areas.insert(after, std::move(made));
  vma.object = vmas_.allocate(cpu);
  cpu.store(vma.object, start);
  cpu.store(vma.vm_flags(), end);
  cpu.store(mm.fields.mm_mt(), vma.object);  // list and tree of areas
  return vma;
}

Address UserMemory::mmap(CpuOps& cpu, AddressSpace& mm, Address from, Address to, std::uint64_t bytes) {
  const auto scope = cpu.function(mmap_);
  cpu.execute(costs_.mmap);
  const Rwsem sem = mmap_sem(mm);
  sem.down_write(cpu);
  Address start = from;
  for (const auto& area : mm.areas) {
    if (area->end <= start) continue;
    cpu.load(area->object);
    if (area->start >= start + bytes) break;
    start = area->end;
  }
  if (bytes == 0 || bytes > to - start)
    throw base::ConfigError(mm.name, "cannot map " + std::to_string(bytes) + " bytes");
  insert_vma(cpu, mm, start, start + bytes, MapKind::private_anonymous);
  sem.up_write(cpu);
  return start;
}

void UserMemory::map_text(CpuOps& cpu, AddressSpace& mm, Address va, Address page) {
  insert_vma(cpu, mm, va, va + kPageSize, MapKind::text).file_page = page;
}

AddressSpace& UserMemory::mm_alloc(CpuOps& cpu, const AddressSpace& like, const std::string& name) {
  if (free_spaces_.empty()) {
    spaces_.push_back(std::make_unique<AddressSpace>());
    free_spaces_.push_back(spaces_.back().get());
  }
  AddressSpace& mm = *free_spaces_.back();
  free_spaces_.pop_back();
  mm.name = name;
  mm.fields = like.fields;
  mm.fields.base = mms_.allocate(cpu);
  const std::uint64_t bytes = MmFields::size(services_.layout.cpus());
  cpu.copy(mm.fields.base, like.fields.base, static_cast<unsigned>(bytes));
  cpu.store(mm.fields.mm_users(), 1, 4);
  cpu.store(mm.fields.mm_count(), 1, 4);
  cpu.store(mm.fields.mmap_lock(), 0);
  cpu.store(mm.fields.tlb_flush_pending(), 0, 4);
  cpu.store(mm.fields.page_table_lock(), services_.locks.unlocked(), 4);
  for (Address word = mm.fields.cpumask(); word < mm.fields.base + bytes; word += 8) cpu.store(word, 0);
  mm.root = tables_.pgd_alloc(cpu);
  cpu.store(mm.fields.pgd(), services_.layout.linear(mm.root));
  arch_.init_new_context(cpu, mm);
  return mm;
}

void UserMemory::dup_mmap(CpuOps& cpu, AddressSpace& from, AddressSpace& to) {
  const auto scope = cpu.function(dup_mmap_);
  cpu.execute(costs_.dup_mm);
  const Rwsem sem = mmap_sem(from);
  sem.down_write(cpu);
  to.data = from.data;
  for (const auto& area : from.areas) copy_vma(cpu, *area, to);
  arch_.flush_tlb_mm(cpu, from);
  if (services_.observer != nullptr) services_.observer->flush_relied_on(&cpu.context(), from.root);
  sem.up_write(cpu);
}

// Code is not copied: a page fault finds it in the page cache.
void UserMemory::copy_vma(CpuOps& cpu, const Vma& from, AddressSpace& to) {
  cpu.execute(costs_.dup_vma);
  Vma& vma = insert_vma(cpu, to, from.start, from.end, from.kind);
  cpu.copy(vma.object, from.object, Vma::kBytes);
  vma.file_page = from.file_page;
  if (from.kind != MapKind::text) copy_page_range(cpu, from, *from.mm, to);
}

void UserMemory::copy_page_range(CpuOps& cpu, const Vma& vma, const AddressSpace& from, const AddressSpace& to) {
  const auto scope = cpu.function(copy_range_);
  const std::uint64_t span = arch_.table_span();
  for (Address at = vma.start; at < vma.end; at = at / span * span + span) {
    const Address source = arch_.find_entry(cpu, from, at);
    if (source == 0) continue;
    const Address end = std::min(vma.end, at / span * span + span);
    const Address target = arch_.make_entry(cpu, services_.locks, to, at);
    const SpinGuard outer(services_.locks, cpu, services_.page_table_lock(target));
    const SpinGuard inner(services_.locks, cpu, services_.page_table_lock(source));
    for (std::uint64_t i = 0; i < (end - at) / kPageSize; ++i)
      copy_one_pte(cpu, from, at + i * kPageSize, source + 8 * i, target + 8 * i);
  }
}

void UserMemory::copy_one_pte(CpuOps& cpu, const AddressSpace& from, Address va, Address source, Address target) {
  const PteValue pte = arch_.decode(cpu.load(source));
  if (!pte.present) return;
  cpu.execute(costs_.copy_entry);
  if (pte.writable) {
    arch_.ptep_set_wrprotect(cpu, source);
    if (services_.observer != nullptr)
      services_.observer->unmapped(cpu.context(), from.root, va, arch_.flush_function());
  }
  if (!anon_.is_zero_page(pte.page)) {
    const Folio folio = services_.node.folio_of(pte.page);
    folio.get(services_.atomics, cpu);
    services_.atomics.atomic_add(cpu, folio.mapcount(), 1);
  }
  cpu.store(target, arch_.read_only_entry(pte.page, false));
}

}  // namespace switchyard::kernel

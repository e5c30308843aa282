// SPDX-License-Identifier: Apache-2.0
#include "kernel/fault.h"

#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

PageFault::PageFault(const ReclaimParams& params, const MmServices& services, Rmap& rmap, Shmem& shmem)
    : params_(params),
      services_(services),
      rmap_(rmap),
      shmem_(shmem),
      page_fault_(services.functions.add("do_page_fault", Domain::kernel)),
      handle_mm_(services.functions.add("handle_mm_fault", Domain::kernel)),
      read_(services.functions.add("do_read_fault", Domain::kernel)),
      shared_(services.functions.add("do_shared_fault", Domain::kernel)),
      anon_(services, {}),
      around_(services.functions.add("filemap_map_pages", Domain::kernel)),
      next_(services.functions.add("next_uptodate_folio", Domain::kernel)),
      finish_(services.functions.add("finish_fault", Domain::kernel)),
      set_pte_(services.functions.add("set_pte_range", Domain::kernel)),
      dirty_(services.functions.add("fault_dirty_shared_page", Domain::kernel)) {}

void PageFault::do_page_fault(CpuOps& cpu, Thread& current, AddressSpace& mm, Address va, cpu::Access access) {
  const auto outer = cpu.function(page_fault_);
  cpu.execute(services_.costs.page_fault);
  ++services_.stats.page_faults;
  services_.node.count_vm_event(cpu);
  Vma& vma = lock_vma(cpu, mm, va);
  {
    const auto scope = cpu.function(handle_mm_);
    cpu.execute(services_.costs.call);
    services_.frame(cpu, current, 384);
    Fault fault{current, mm, vma, va & ~(kPageSize - 1), 0, access == cpu::Access::store};
    fault.entry = services_.arch.make_entry(cpu, services_.locks, mm, fault.va);
    handle_pte_fault(cpu, fault);
  }
  up_read(services_.atomics, cpu, vma.lock);
}

Vma& PageFault::lock_vma(CpuOps& cpu, AddressSpace& mm, Address va) {
  cpu.load(mm.fields.mm_mt());
  cpu.load(mm.maple_node);
  Vma* vma = mm.find(va);
  if (vma == nullptr) {
    std::ostringstream text;
    text << "access to 0x" << std::hex << va << ", where nothing is mapped";
    throw base::ConfigError(mm.name, text.str());
  }
  cpu.load(vma->vm_lock_seq());
  down_read(services_.atomics, cpu, vma->lock);
  cpu.load(vma->object);
  return *vma;
}

void PageFault::handle_pte_fault(CpuOps& cpu, Fault& fault) {
  const PteValue pte = services_.arch.decode(cpu.load(fault.entry));
  const AnonFault::Fault anonymous{fault.mm, fault.va, fault.entry, fault.write};
  if (pte.present && fault.write && !pte.writable) return anon_.do_wp_page(cpu, anonymous);
  if (pte.present) return set_access_flags(cpu, fault);
  cpu.load(fault.vma.vm_ops());
  if (fault.vma.kind != MapKind::shared_anonymous) return anon_.do_anonymous_page(cpu, anonymous);
  if (fault.write) return do_shared_fault(cpu, fault);
  do_read_fault(cpu, fault);
}

// Another CPU was faster, or hardware wants the accessed or dirty bit set by software.
void PageFault::set_access_flags(CpuOps& cpu, const Fault& fault) {
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  const std::uint64_t raw = cpu.load(fault.entry);
  if (!services_.arch.decode(raw).present) return;
  cpu.store(fault.entry, services_.arch.young_entry(raw, fault.write));
  services_.arch.update_mmu_cache_range(cpu, fault.va, 1);
}

void PageFault::do_read_fault(CpuOps& cpu, Fault& fault) {
  const auto scope = cpu.function(read_);
  cpu.execute(services_.costs.call);
  if (params_.fault_around > 1 && filemap_map_pages(cpu, fault)) return;
  const std::uint64_t index = (fault.va - fault.vma.start) / kPageSize;
  const Folio folio = shmem_.shmem_get_folio(cpu, fault.current, *fault.vma.cache, index);
  finish_fault(cpu, fault, folio);
  folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
}

void PageFault::do_shared_fault(CpuOps& cpu, Fault& fault) {
  const auto scope = cpu.function(shared_);
  cpu.execute(services_.costs.call);
  const std::uint64_t index = (fault.va - fault.vma.start) / kPageSize;
  const Folio folio = shmem_.shmem_get_folio(cpu, fault.current, *fault.vma.cache, index);
  finish_fault(cpu, fault, folio);
  const auto dirty = cpu.function(dirty_);
  cpu.execute(services_.costs.call);
  folio.test_and_set(services_.atomics, cpu, Folio::kDirty);
  folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
}

// The window is an aligned block of fault_around pages, cut to the area and the page-table page.
bool PageFault::filemap_map_pages(CpuOps& cpu, const Fault& fault) {
  const auto scope = cpu.function(around_);
  cpu.execute(services_.costs.call);
  services_.frame(cpu, fault.current, 768);
  const std::uint64_t window = params_.fault_around * kPageSize;
  const std::uint64_t span = services_.arch.table_span();
  const Address table = fault.va / span * span;
  const Address start = std::max({fault.va / window * window, fault.vma.start, table});
  const Address end = std::min({fault.va / window * window + window, fault.vma.end, table + span});
  Address va = start;
  Folio folio = next_uptodate_folio(cpu, *fault.vma.cache, fault.vma.start, va, end);
  if (folio.page == 0) return false;
  bool reached = false;
  std::int64_t mapped = 0;
  const Address first_entry = fault.entry - (fault.va - start) / kPageSize * 8;
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  while (folio.page != 0) {
    const Address entry = first_entry + (va - start) / kPageSize * 8;
    if (services_.arch.decode(cpu.load(entry)).present) {
      folio.put(services_.atomics, cpu);
    } else {
      set_pte_range(cpu, folio, va, entry, false);
      ++mapped;
    }
    reached = reached || va == fault.va;
    folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
    va += kPageSize;
    folio = next_uptodate_folio(cpu, *fault.vma.cache, fault.vma.start, va, end);
  }
  if (mapped != 0) services_.node.add_mm_counter(cpu, fault.mm, kShmemPages, mapped);
  return reached;
}

Folio PageFault::next_uptodate_folio(CpuOps& cpu, const PageCache& cache, Address area, Address& va, Address end) {
  const auto scope = cpu.function(next_);
  cpu.execute(services_.costs.call);
  for (; va < end; va += kPageSize) {
    const std::uint64_t value = shmem_.load_slot(cpu, cache, (va - area) / kPageSize);
    if (value == 0 || (value & 1) != 0) continue;
    const Folio folio{value};
    if (folio.test(cpu, Folio::kLocked) || !folio.try_get(services_.atomics, cpu)) continue;
    const bool locked = !folio.test_and_set(services_.atomics, cpu, Folio::kLocked);
    if (locked && cpu.load(folio.mapping()) == cache.inode && folio.test(cpu, Folio::kUptodate)) return folio;
    if (locked) folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
    folio.put(services_.atomics, cpu);
  }
  return {};
}

void PageFault::finish_fault(CpuOps& cpu, const Fault& fault, Folio folio) {
  const auto scope = cpu.function(finish_);
  cpu.execute(services_.costs.call);
  const SpinGuard guard(services_.locks, cpu, services_.page_table_lock(fault.entry));
  if (services_.arch.decode(cpu.load(fault.entry)).present) {
    folio.put(services_.atomics, cpu);
    return;
  }
  set_pte_range(cpu, folio, fault.va, fault.entry, fault.write);
  services_.node.add_mm_counter(cpu, fault.mm, kShmemPages, 1);
}

void PageFault::set_pte_range(CpuOps& cpu, Folio folio, Address va, Address entry, bool write) {
  const auto scope = cpu.function(set_pte_);
  cpu.execute(services_.costs.call);
  services_.rest.spend(cpu, PageStep::set_pte);
  rmap_.folio_add_file_rmap(cpu, folio);
  cpu.store(entry, services_.arch.user_entry(services_.layout.page_of(folio.page), write));
  services_.arch.update_mmu_cache_range(cpu, va, 1);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/anon_memory.h"

#include <algorithm>
#include <sstream>

#include "base/errors.h"

namespace switchyard::kernel::parisc {

using cpu::CpuOps;
using cpu::Domain;

namespace {

constexpr std::uint64_t kClearLine = 64;  // L1_CACHE_BYTES of PA2.0

}  // namespace

AnonMemory::AnonMemory(const KernelServices& services, PageTable& tables, TlbPurge& purge, const PariscCosts& costs,
                       cpu::TranslationObserver* observer)
    : services_(services),
      tables_(tables),
      purge_(purge),
      costs_(costs),
      observer_(observer),
      fault_(services.functions.add("do_page_fault", Domain::kernel)),
      handle_mm_(services.functions.add("handle_mm_fault", Domain::kernel)),
      anonymous_(services.functions.add("do_anonymous_page", Domain::kernel)),
      munmap_(services.functions.add("do_munmap", Domain::kernel)),
      zap_(services.functions.add("zap_pte_range", Domain::kernel)),
      finish_(services.functions.add("tlb_finish_mmu", Domain::kernel)) {}

Vma* AnonMemory::unused_area(AddressSpace& mm, std::uint64_t bytes) {
  std::vector<Unused>& unused = states_[&mm].unused;
  const auto found = std::find_if(unused.begin(), unused.end(), [&](const Unused& u) { return u.bytes == bytes; });
  if (found == unused.end()) return nullptr;
  Vma* const area = found->area;
  unused.erase(found);
  area->end = area->start + bytes;
  return area;
}

void AnonMemory::do_page_fault(CpuOps& cpu, AddressSpace& mm, Address va) {
  const auto scope = cpu.function(fault_);
  cpu.execute(costs_.page_fault);
  ++services_.stats.page_faults;
  Rwsem sem = mmap_sem(mm);
  sem.down_read(cpu);
  const Vma* const area = mm.find(va);
  if (area == nullptr) {
    std::ostringstream text;
    text << "access to 0x" << std::hex << va << ", where nothing is mapped";
    throw base::ConfigError(mm.name, text.str());
  }
  cpu.load(area->object);
  {
    const auto handle = cpu.function(handle_mm_);
    cpu.execute(costs_.call);
    do_anonymous_page(cpu, mm, va & ~(kPageSize - 1));
  }
  sem.up_read(cpu);
}

// Two CPUs may come for the same page: the second one finds the entry present.
void AnonMemory::do_anonymous_page(CpuOps& cpu, AddressSpace& mm, Address va) {
  const auto scope = cpu.function(anonymous_);
  const Address entry = tables_.make_entry(cpu, services_.locks, mm, va);
  cpu.execute(costs_.alloc_page);
  const Address page = services_.layout.pages().allocate();
  const Address linear = services_.layout.linear(page);
  for (std::uint64_t offset = 0; offset < kPageSize; offset += kClearLine) {
    cpu.store(linear + offset, 0);
    cpu.execute(costs_.per_line);
  }
  const SpinGuard guard(services_.locks, cpu, mm.fields.page_table_lock());
  if (pte_present(cpu.load(entry))) return services_.layout.pages().free(page);
  cpu.store(entry, make_pte(page, kUserData | kPteDirty));
}

void AnonMemory::do_munmap(CpuOps& cpu, AddressSpace& mm, Vma& area) {
  const auto scope = cpu.function(munmap_);
  cpu.execute(costs_.call);
  Rwsem sem = mmap_sem(mm);
  sem.down_write(cpu);
  cpu.load(area.object);
  zap_pte_range(cpu, mm, area);
  purge_.flush_tlb_range(cpu, mm, area.start, area.end);
  if (observer_ != nullptr) observer_->flush_relied_on(&cpu.context(), mm.root);
  tlb_finish_mmu(cpu, states_[&mm].gathered);
  states_[&mm].unused.push_back({&area, area.end - area.start});
  area.end = area.start;
  sem.up_write(cpu);
}

void AnonMemory::tlb_finish_mmu(CpuOps& cpu, std::vector<Address>& pages) {
  const auto scope = cpu.function(finish_);
  for (const Address page : pages) {
    cpu.execute(costs_.free_page);
    services_.layout.pages().free(page);
  }
  pages.clear();
}

void AnonMemory::zap_pte_range(CpuOps& cpu, AddressSpace& mm, const Vma& area) {
  const auto scope = cpu.function(zap_);
  std::vector<Address>& pages = states_[&mm].gathered;
  const SpinGuard guard(services_.locks, cpu, mm.fields.page_table_lock());
  Address entry = 0;
  for (Address va = area.start; va < area.end; va += kPageSize, entry += entry != 0 ? 8 : 0) {
    if (va == area.start || table_index(va, 0) == 0) entry = tables_.find_entry(cpu, mm, va);
    if (entry == 0) continue;
    const std::uint64_t raw = cpu.load(entry);
    cpu.execute(costs_.call);
    if (!pte_present(raw)) continue;
    cpu.store(entry, 0);
    if (observer_ != nullptr) observer_->unmapped(cpu.context(), mm.root, va, purge_.range_function());
    pages.push_back(pte_address(raw));
  }
}

}  // namespace switchyard::kernel::parisc

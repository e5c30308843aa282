// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/arm64/tlb.h"

#include "kernel/arch/arm64/context_switch.h"

namespace switchyard::kernel::arm64 {

using cpu::CpuOps;
using cpu::Domain;
using Scope = cpu::TlbFlush::Scope;

TlbFlusher::TlbFlusher(const AsidAllocator& asids, const Arm64Costs& costs, const KernelServices& services,
                       FlushMutation mutation)
    : asids_(asids),
      costs_(costs),
      stats_(services.stats),
      mutation_(mutation),
      page_(services.functions.add("flush_tlb_page", Domain::kernel)),
      range_(services.functions.add("__flush_tlb_range", Domain::kernel)),
      mm_(services.functions.add("flush_tlb_mm", Domain::kernel)) {}

void TlbFlusher::flush_tlb_page(CpuOps& cpu, const AddressSpace& mm, Address va) {
  const auto scope = cpu.function(page_);
  ++stats_.remote_flush_page;
  if (mutation_ == FlushMutation::flush_tlb_page) return;
  const Address start = va & ~(kPageSize - 1);
  tlbi_pages(cpu, mm, start, start + kPageSize, true);
}

void TlbFlusher::flush_tlb_range(CpuOps& cpu, const AddressSpace& mm, Address start, Address end, bool last_level) {
  const auto scope = cpu.function(range_);
  start &= ~(kPageSize - 1);
  end = round_up(end, kPageSize);
  if (end - start >= kMaxTlbiOps * kPageSize) return flush_tlb_mm(cpu, mm);
  ++stats_.remote_flush_range;
  if (mutation_ == FlushMutation::flush_tlb_range) return;
  tlbi_pages(cpu, mm, start, end, last_level);
}

void TlbFlusher::flush_tlb_mm(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(mm_);
  ++stats_.remote_flush_mm;
  if (mutation_ == FlushMutation::flush_tlb_range) return;
  cpu.execute(costs_.flush_tlb);
  const std::uint16_t asid = asids_.asid_of(cpu.load(mm.fields.context_id()));
  cpu.barrier();
  tlbi(cpu, {.scope = Scope::asid, .asid = asid, .any_asid = false});
  dsb_ish(cpu);
}

/// The barrier before makes the new entries visible to all walks (dsb ishst).
void TlbFlusher::tlbi_pages(CpuOps& cpu, const AddressSpace& mm, Address start, Address end, bool last_level) {
  cpu.execute(costs_.flush_tlb);
  const std::uint16_t asid = asids_.asid_of(cpu.load(mm.fields.context_id()));
  cpu.barrier();
  for (Address va = start; va < end; va += kPageSize)
    tlbi(cpu, {.scope = Scope::page, .va = va, .asid = asid, .any_asid = false, .tables = !last_level});
  dsb_ish(cpu);
}

void TlbFlusher::tlbi(CpuOps& cpu, cpu::TlbFlush flush) {
  cpu.execute(costs_.flush_tlb_one);
  const auto issue = [&] {
    if (mutation_ == FlushMutation::broadcast)
      cpu.flush_tlb(flush);
    else
      cpu.broadcast_flush_tlb(flush, false);
  };
  issue();
  if (!asids_.params().kpti || mutation_ == FlushMutation::user_asid) return;
  flush.asid |= ContextSwitch::kUserAsid;
  issue();
}

void TlbFlusher::dsb_ish(CpuOps& cpu) {
  if (mutation_ != FlushMutation::broadcast_wait) cpu.wait_for_broadcasts();
}

}  // namespace switchyard::kernel::arm64

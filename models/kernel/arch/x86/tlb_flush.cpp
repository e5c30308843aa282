// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/x86/tlb_flush.h"

#include "kernel/cpumask.h"

namespace switchyard::kernel::x86 {

using cpu::CpuOps;
using cpu::Domain;

// Up to 5.1 the info lies on the caller's stack, aligned to a line; one place per CPU has the same neighbours.
TlbFlusher::TlbFlusher(const TlbFlushParams& params, const X86Costs& costs, const KernelServices& services,
                       SwitchMm& switch_mm, Smp& smp, FlushMutation mutation)
    : params_(params),
      costs_(costs),
      services_(services),
      switch_mm_(switch_mm),
      smp_(smp),
      mutation_(mutation),
      stats_(services.stats),
      info_(services.layout.add_per_cpu("flush_tlb_info", 64, 64)),
      range_(services.functions.add("flush_tlb_mm_range", Domain::kernel)),
      others_(services.functions.add("native_flush_tlb_others", Domain::kernel)),
      remote_(services.functions.add("flush_tlb_func_remote", Domain::kernel)),
      common_(services.functions.add("flush_tlb_func_common", Domain::kernel)) {}

void TlbFlusher::flush_tlb_mm_range(CpuOps& cpu, const AddressSpace& mm, Address start, Address end,
                                    bool freed_tables) {
  const auto scope = cpu.function(range_);
  cpu.execute(costs_.flush_tlb_mm_range);
  Request f{.mm = mm, .info = flush_tlb_info(cpu.id()), .start = start, .end = end, .freed_tables = freed_tables};
  cpu.store(f.mm_field(), mm.fields.base);
  f.new_tlb_gen = inc_mm_tlb_gen(cpu, mm);
  if (from(MmVersion::v4_14)) cpu.store(f.new_tlb_gen_field(), f.new_tlb_gen);
  if (end == kFlushAll || (end - start) / kPageSize > params_.tlb_single_page_flush_ceiling) {
    f.start = 0;
    f.end = kFlushAll;
  }
  cpu.store(f.start_field(), f.start);
  cpu.store(f.end_field(), f.end);
  if (&switch_mm_.loaded_mm(cpu) == &mm) {
    const bool before = cpu.set_interrupts(false);
    flush_tlb_func_common(cpu, f, true);
    cpu.set_interrupts(before);
  }
  base::CpuMask others = load_mask(cpu, switch_mm_.mm_cpumask(cpu, mm), services_.layout.cpus());
  others.clear(cpu.id());
  count(f, !others.empty());
  if (!others.empty()) native_flush_tlb_others(cpu, f);
}

/// 4.13 has no generations, but needs the barrier as well.
std::uint64_t TlbFlusher::inc_mm_tlb_gen(CpuOps& cpu, const AddressSpace& mm) {
  if (!from(MmVersion::v4_14)) {
    cpu.barrier();
    return 0;
  }
  const Address tlb_gen = switch_mm_.mm_layout().tlb_gen(mm);
  if (mutation_ == FlushMutation::inc_mm_tlb_gen) return cpu.load(tlb_gen);
  return services_.atomics.atomic_add(cpu, tlb_gen, 1, 8);
}

/// From 4.20 on lazy CPUs are left alone unless page tables go: they look at the generation when they come back.
void TlbFlusher::native_flush_tlb_others(CpuOps& cpu, const Request& f) {
  const auto scope = cpu.function(others_);
  cpu.execute(costs_.flush_tlb_others);
  services_.trace.tlb_flush(cpu, TlbFlushReason::remote_ipi_send, pages(f));
  base::CpuMask mask = load_mask(cpu, f.mm.fields.cpumask(), services_.layout.cpus());
  if (mutation_ == FlushMutation::flush_tlb_others) return;
  const auto call = [this, &f](CpuOps& target) { flush_tlb_func_remote(target, f); };
  if (!from(MmVersion::v4_20) || f.freed_tables) {
    mask.clear(cpu.id());
    return smp_.on_each_cpu_mask(cpu, mask, call);
  }
  const auto is_not_lazy = [this, &cpu](unsigned target) {
    const bool lazy = cpu.load(switch_mm_.tlb_state(target).is_lazy(), 1) != 0;
    if (lazy) ++stats_.lazy_skipped;
    return !lazy;
  };
  smp_.on_each_cpu_cond_mask(cpu, mask, is_not_lazy, call);
}

void TlbFlusher::flush_tlb_func_remote(CpuOps& cpu, const Request& f) {
  const auto scope = cpu.function(remote_);
  cpu.load(f.mm_field());
  if (&switch_mm_.loaded_mm(cpu) != &f.mm) return;
  ++stats_.received;
  flush_tlb_func_common(cpu, f, false);
}

void TlbFlusher::flush_tlb_func_common(CpuOps& cpu, const Request& f, bool local) {
  const auto scope = cpu.function(common_);
  cpu.execute(costs_.flush_tlb_func);
  if (!from(MmVersion::v4_14)) return flush_4_13(cpu, f, local);
  const TlbState own = switch_mm_.tlb_state(cpu.id());
  const AddressSpace& loaded_mm = switch_mm_.loaded_mm(cpu);
  const auto asid = static_cast<unsigned>(cpu.load(own.loaded_mm_asid(), 2));
  const std::uint64_t mm_tlb_gen = cpu.load(switch_mm_.mm_layout().tlb_gen(loaded_mm));
  const std::uint64_t local_tlb_gen = cpu.load(own.tlb_gen(asid));
  if (switch_mm_.is_init_mm(loaded_mm)) return;
  if (cpu.load(own.is_lazy(), 1) != 0) {
    ++stats_.to_init_mm;
    if (mutation_ != FlushMutation::lazy_to_init_mm) switch_mm_.switch_to_init_mm(cpu);
    return;
  }
  if (local_tlb_gen == mm_tlb_gen) return;  // another request has brought this CPU up to date
  cpu.load(f.new_tlb_gen_field());
  cpu.load(f.end_field());
  // Only the flush that this CPU is exactly one short of, and only if it is the newest, may be partial.
  if (f.end != kFlushAll && f.new_tlb_gen == local_tlb_gen + 1 && f.new_tlb_gen == mm_tlb_gen)
    flush_range(cpu, f, asid, local);
  else
    flush_all(cpu, local);
  cpu.store(own.tlb_gen(asid), mm_tlb_gen);
}

void TlbFlusher::flush_4_13(CpuOps& cpu, const Request& f, bool local) {
  if (cpu.load(switch_mm_.tlb_state(cpu.id()).state(), 4) != SwitchMm::kStateOk) {
    ++stats_.to_init_mm;
    if (mutation_ != FlushMutation::lazy_to_init_mm) switch_mm_.leave_mm(cpu);
    return;
  }
  cpu.load(f.end_field());
  if (f.end == kFlushAll)
    flush_all(cpu, local);
  else
    flush_range(cpu, f, 0, local);
}

void TlbFlusher::flush_range(CpuOps& cpu, const Request& f, unsigned asid, bool local) {
  cpu.load(f.start_field());
  if (left_out(local)) return;
  for (Address va = f.start; va < f.end; va += kPageSize) flush_tlb_one_user(cpu, va, asid);
  services_.trace.tlb_flush(cpu, reason(local), pages(f));
}

void TlbFlusher::flush_all(CpuOps& cpu, bool local) {
  if (left_out(local)) return;
  switch_mm_.native_flush_tlb(cpu);
  services_.trace.tlb_flush(cpu, reason(local), TlbFlushDone::kAllPages);
}

TlbFlushReason TlbFlusher::reason(bool local) {
  return local ? TlbFlushReason::local_mm_shootdown : TlbFlushReason::remote_shootdown;
}

std::int64_t TlbFlusher::pages(const Request& f) {
  return f.end == kFlushAll ? TlbFlushDone::kAllPages : static_cast<std::int64_t>((f.end - f.start) / kPageSize);
}

/// INVLPG, and INVPCID for the user's PCID under page-table isolation.
void TlbFlusher::flush_tlb_one_user(CpuOps& cpu, Address va, unsigned asid) {
  using Scope = cpu::TlbFlush::Scope;
  cpu.execute(costs_.flush_tlb_one);
  cpu.flush_tlb(
      {.scope = Scope::page, .va = va, .asid = switch_mm_.kern_pcid(asid), .any_asid = false, .tables = true});
  if (!switch_mm_.params().pti) return;
  cpu.load(switch_mm_.tlb_state(cpu.id()).loaded_mm_asid(), 2);
  const std::uint16_t user = switch_mm_.user_pcid(asid);
  if (user == 0 || mutation_ == FlushMutation::user_pcid) return;  // without PCIDs the return to user mode flushes
  cpu.flush_tlb({.scope = Scope::page, .va = va, .asid = user, .any_asid = false, .tables = true});
}

void TlbFlusher::count(const Request& f, bool others) {
  KernelStats& stats = services_.stats;
  if (!others)
    ++stats.local_only_flushes;
  else if (f.end == kFlushAll)
    ++stats.remote_flush_mm;
  else if (f.end - f.start == kPageSize)
    ++stats.remote_flush_page;
  else
    ++stats.remote_flush_range;
}

}  // namespace switchyard::kernel::x86

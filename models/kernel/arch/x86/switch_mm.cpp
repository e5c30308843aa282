// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/x86/switch_mm.h"

#include "kernel/cpumask.h"

namespace switchyard::kernel::x86 {

using cpu::CpuOps;
using cpu::Domain;

std::string SwitchMmParams::check() const {
  const std::string name(kMmVersions[static_cast<std::size_t>(version)]);
  const bool has_test = version == MmVersion::v4_14 || version == MmVersion::v4_19;
  if (defer_inverted && !has_test)
    return "defer_inverted: version " + name + " has no tlb_defer_switch_to_init_mm(); 4.14 and 4.19 have";
  if (skip_init_mm && version == MmVersion::v4_13)
    return "skip_init_mm: version 4.13 switches to init_mm in deep idle only; use 4.14";
  if (pti && version == MmVersion::v4_13) return "pti: version 4.13 has no page-table isolation; use 4.14 or later";
  return "";
}

SwitchMm::SwitchMm(const SwitchMmParams& params, const X86Costs& costs, const KernelServices& services,
                   cpu::TranslationObserver* observer, FlushMutation mutation)
    : params_(params),
      uses_pcid_(params.pcid && params.version != MmVersion::v4_13),
      skip_init_mm_(params.skip_init_mm || params.version >= MmVersion::v4_19),
      costs_(costs),
      services_(services),
      observer_(observer),
      mutation_(mutation),
      layout_(params.version, params.cpumask_offstack, services.layout.cpus()),
      states_(services.layout, params.version),
      last_mm_ctx_id_(services.layout.add_data("last_mm_ctx_id", 8, 8)),
      loaded_(services.layout.cpus()),
      switch_mm_(services.functions.add("switch_mm_irqs_off", Domain::kernel)),
      enter_lazy_tlb_(services.functions.add("enter_lazy_tlb", Domain::kernel)),
      leave_mm_(services.functions.add("leave_mm", Domain::kernel)) {}

void SwitchMm::switch_mm(CpuOps& cpu, const AddressSpace&, const AddressSpace& next) {
  switch_mm_irqs_off(cpu, next, true);
}

void SwitchMm::enter_lazy_tlb(CpuOps& cpu, const AddressSpace&) {
  const auto scope = cpu.function(enter_lazy_tlb_);
  cpu.execute(costs_.enter_lazy_tlb);
  const TlbState own = tlb_state(cpu.id());
  if (!from(MmVersion::v4_14)) {
    if (cpu.load(own.state(), 4) == kStateOk) cpu.store(own.state(), kStateLazy, 4);
    return;
  }
  if (is_init_mm(loaded_mm(cpu))) return;
  if (from(MmVersion::v4_20) || tlb_defer_switch_to_init_mm()) return cpu.store(own.is_lazy(), 1, 1);
  cpu.execute(costs_.switch_mm_wrapper);
  switch_to_init_mm(cpu);
}

void SwitchMm::leave_mm(CpuOps& cpu) {
  const auto scope = cpu.function(leave_mm_);
  cpu.execute(costs_.leave_mm);
  const TlbState own = tlb_state(cpu.id());
  if (is_init_mm(loaded_mm(cpu))) return;
  // Only a CPU that is lazy may leave; both forms make sure of it.
  if (from(MmVersion::v4_14))
    cpu.load(own.is_lazy(), 1);
  else
    cpu.load(own.state(), 4);
  cpu.execute(costs_.switch_mm_wrapper);
  switch_to_init_mm(cpu);
}

const AddressSpace& SwitchMm::loaded_mm(CpuOps& cpu) {
  const AddressSpace& mm = *loaded_[cpu.id()].mm;
  const std::uint64_t pointer = cpu.load(tlb_state(cpu.id()).loaded_mm());
  SWITCHYARD_ASSERT(pointer == mm.fields.base, "only this class writes loaded_mm");
  return mm;
}

void SwitchMm::set_loaded_mm(CpuOps& cpu, const AddressSpace& mm, unsigned asid) {
  const TlbState own = tlb_state(cpu.id());
  cpu.store(own.loaded_mm(), mm.fields.base);
  if (from(MmVersion::v4_14)) cpu.store(own.loaded_mm_asid(), asid, 2);
  loaded_[cpu.id()] = {&mm, asid};
}

void SwitchMm::write_cr3(CpuOps& cpu, const AddressSpace& mm, std::uint16_t pcid, bool flush) {
  cpu.write_translation_base(mm.root, pcid, flush);
  if (observer_ != nullptr) observer_->switched(cpu, mm.root);
}

Address SwitchMm::mm_cpumask(CpuOps& cpu, const AddressSpace& mm) const {
  if (layout_.has_mask_pointer()) cpu.load(layout_.cpu_vm_mask_var(mm));
  return mm.fields.cpumask();
}

void SwitchMm::switch_mm_irqs_off(CpuOps& cpu, const AddressSpace& next, bool for_task) {
  const auto scope = cpu.function(switch_mm_);
  cpu.execute(costs_.switch_mm);
  if (!from(MmVersion::v4_14)) return switch_4_13(cpu, next);
  const TlbState own = tlb_state(cpu.id());
  const AddressSpace& real_prev = loaded_mm(cpu);
  const auto prev_asid = static_cast<unsigned>(cpu.load(own.loaded_mm_asid(), 2));
  const bool was_lazy = from(MmVersion::v4_20) && cpu.load(own.is_lazy(), 1) != 0;
  cpu.store(own.is_lazy(), 0, 1);
  if (&real_prev == &next)
    switch_to_same(cpu, next, prev_asid, was_lazy);
  else
    switch_to_other(cpu, real_prev, next, for_task);
}

// The tests of bits are those of WARN_ON_ONCE, which every kernel contains.
void SwitchMm::switch_4_13(CpuOps& cpu, const AddressSpace& next) {
  const AddressSpace& real_prev = loaded_mm(cpu);
  cpu.store(tlb_state(cpu.id()).state(), kStateOk, 4);
  if (&real_prev == &next) {
    cpu.execute(costs_.switch_mm_same);
    return cpumask_test_cpu(cpu, mm_cpumask(cpu, next));
  }
  cpu.execute(costs_.switch_mm_next);
  sync_current_stack_to_mm(cpu, next);
  set_loaded_mm(cpu, next, 0);
  const Address next_mask = mm_cpumask(cpu, next);
  cpumask_test_cpu(cpu, next_mask);
  if (mutation_ != FlushMutation::mm_cpumask_set) cpumask_set_cpu(services_.atomics, cpu, cpu.id(), next_mask);
  cpu.load(next.fields.pgd());
  services_.trace.tlb_flush(cpu, TlbFlushReason::task_switch, TlbFlushDone::kAllPages);
  write_cr3(cpu, next, 0, !leaves_out(Slot::Flush::reused));
  const Address prev_mask = mm_cpumask(cpu, real_prev);
  cpumask_test_cpu(cpu, prev_mask);
  cpumask_clear_cpu(services_.atomics, cpu, cpu.id(), prev_mask);
  load_mm_cr4_and_ldt(cpu, real_prev, next);
}

/// From 4.20 on a CPU that was lazy may have been left out of flushes.
void SwitchMm::switch_to_same(CpuOps& cpu, const AddressSpace& next, unsigned asid, bool was_lazy) {
  cpu.execute(costs_.switch_mm_same);
  if (!is_init_mm(next)) cpumask_test_cpu(cpu, mm_cpumask(cpu, next));
  if (!was_lazy) return;
  cpu.barrier();
  const std::uint64_t next_tlb_gen = cpu.load(layout_.tlb_gen(next));
  const TlbState own = tlb_state(cpu.id());
  if (cpu.load(own.tlb_gen(asid)) == next_tlb_gen) return;
  load_new_mm_cr3(cpu, next, {asid, Slot::Flush::lazy_stale}, next_tlb_gen);
  set_loaded_mm(cpu, next, asid);
}

void SwitchMm::switch_to_other(CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next, bool for_task) {
  const TlbState own = tlb_state(cpu.id());
  cpu.execute(costs_.switch_mm_next);
  if (for_task) cond_ibpb(cpu, next);
  sync_current_stack_to_mm(cpu, next);
  move_cpu_bit(cpu, real_prev, next);
  const std::uint64_t next_tlb_gen = cpu.load(layout_.tlb_gen(next));
  const Slot slot = choose_new_asid(cpu, next, next_tlb_gen);
  if (from(MmVersion::v4_19)) cpu.store(own.loaded_mm(), kSwitching);
  load_new_mm_cr3(cpu, next, slot, next_tlb_gen);
  if (!from(MmVersion::v4_20) && !is_init_mm(next)) cpu.store(own.last_user(), cpu.load(layout_.ctx_id(next)));
  set_loaded_mm(cpu, next, slot.asid);
  load_mm_cr4_and_ldt(cpu, real_prev, next);
}

// Tasks are dumpable and none asks for protection, so that no barrier is issued.
void SwitchMm::cond_ibpb(CpuOps& cpu, const AddressSpace& next) {
  const TlbState own = tlb_state(cpu.id());
  if (!params_.ibpb) return;
  cpu.execute(costs_.ibpb_test);
  if (from(MmVersion::v4_20)) {
    cpu.load(own.last_user());
    return cpu.store(own.last_user(), next.fields.base);
  }
  const std::uint64_t last_id = cpu.load(own.last_user());
  if (cpu.load(layout_.ctx_id(next)) != last_id) cpu.load(layout_.flags(next));
}

void SwitchMm::sync_current_stack_to_mm(CpuOps& cpu, const AddressSpace& next) {
  cpu.load(next.fields.pgd());
  cpu.load(stack_entry(next));
}

void SwitchMm::move_cpu_bit(CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next) {
  if (!skip_init_mm_ || !is_init_mm(real_prev))
    cpumask_clear_cpu(services_.atomics, cpu, cpu.id(), mm_cpumask(cpu, real_prev));
  if (skip_init_mm_ && is_init_mm(next)) return;
  const Address mask = mm_cpumask(cpu, next);
  if (mutation_ != FlushMutation::mm_cpumask_set) cpumask_set_cpu(services_.atomics, cpu, cpu.id(), mask);
}

SwitchMm::Slot SwitchMm::choose_new_asid(CpuOps& cpu, const AddressSpace& next, std::uint64_t next_tlb_gen) {
  const TlbState own = tlb_state(cpu.id());
  cpu.execute(costs_.choose_new_asid);
  if (!uses_pcid_) return {0, Slot::Flush::reused};
  cpu.load(own.invalidate_other(), 1);  // set by changes of global mappings under PTI, which are not modelled
  const std::uint64_t next_id = cpu.load(layout_.ctx_id(next));
  for (unsigned asid = 0; asid < kDynAsids; ++asid) {
    cpu.execute(costs_.choose_new_asid_slot);
    if (cpu.load(own.ctx_id(asid)) != next_id) continue;
    return {asid, cpu.load(own.tlb_gen(asid)) < next_tlb_gen ? Slot::Flush::stale : Slot::Flush::none};
  }
  const auto asid = static_cast<unsigned>(cpu.load(own.next_asid(), 2));
  cpu.store(own.next_asid(), asid + 1, 2);
  if (asid < kDynAsids) return {asid, Slot::Flush::reused};
  cpu.store(own.next_asid(), 1, 2);
  return {0, Slot::Flush::reused};
}

void SwitchMm::load_new_mm_cr3(CpuOps& cpu, const AddressSpace& next, Slot slot, std::uint64_t next_tlb_gen) {
  const TlbState own = tlb_state(cpu.id());
  const bool need_flush = slot.flush != Slot::Flush::none;
  if (need_flush) {
    cpu.store(own.ctx_id(slot.asid), cpu.load(layout_.ctx_id(next)));
    cpu.store(own.tlb_gen(slot.asid), next_tlb_gen);
    invalidate_user_asid(cpu, slot.asid);
  }
  cpu.load(next.fields.pgd());
  write_cr3(cpu, next, kern_pcid(slot.asid), need_flush && !leaves_out(slot.flush));
  services_.trace.tlb_flush(cpu, TlbFlushReason::task_switch, need_flush ? TlbFlushDone::kAllPages : 0);
}

void SwitchMm::load_mm_cr4_and_ldt(CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next) {
  cpu.execute(costs_.switch_mm_control);
  cpu.load(layout_.perf_rdpmc_allowed(next), 4);
  cpu.load(tlb_state(cpu.id()).cr4());
  cpu.load(layout_.ldt(real_prev));
  cpu.load(layout_.ldt(next));
}

bool SwitchMm::leaves_out(Slot::Flush flush) const {
  switch (flush) {
    case Slot::Flush::none:
      return false;
    case Slot::Flush::reused:
      return mutation_ == FlushMutation::pcid_reused;
    case Slot::Flush::stale:
      return mutation_ == FlushMutation::pcid_stale;
    case Slot::Flush::lazy_stale:
      return mutation_ == FlushMutation::lazy_stale;
  }
  return false;
}

}  // namespace switchyard::kernel::x86

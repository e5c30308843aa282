// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/x86/switch_mm.h"

/// SwitchMm besides switching: before the first switch, flushes of the whole TLB, and the border of user mode under
/// page-table isolation.
namespace switchyard::kernel::x86 {

using cpu::CpuOps;

void SwitchMm::set_init_mm(cpu::DebugMemory& memory, const AddressSpace& init_mm) {
  init_mm_ = &init_mm;
  init_new_context(memory, init_mm);
  const auto poke = [&](Address va, std::uint64_t value, unsigned bytes) {
    memory.poke(services_.layout.physical(va), value, bytes);
  };
  for (unsigned c = 0; c < services_.layout.cpus(); ++c) {
    const TlbState own = tlb_state(c);
    loaded_[c] = {&init_mm, 0};
    poke(own.loaded_mm(), init_mm.fields.base, 8);
    if (!from(MmVersion::v4_14)) continue;
    poke(own.next_asid(), 1, 2);
    poke(own.ctx_id(0), memory.peek(services_.layout.physical(layout_.ctx_id(init_mm))), 8);
  }
}

void SwitchMm::init_new_context(cpu::DebugMemory& memory, const AddressSpace& mm) {
  const Layout& at = services_.layout;
  if (layout_.has_mask_pointer()) memory.poke(at.physical(layout_.cpu_vm_mask_var(mm)), mm.fields.cpumask());
  if (!from(MmVersion::v4_14)) return;
  const std::uint64_t id = memory.peek(at.physical(last_mm_ctx_id_)) + 1;
  memory.poke(at.physical(last_mm_ctx_id_), id);
  memory.poke(at.physical(layout_.ctx_id(mm)), id);
}

void SwitchMm::init_new_context(CpuOps& cpu, const AddressSpace& mm) {
  if (layout_.has_mask_pointer()) cpu.store(layout_.cpu_vm_mask_var(mm), mm.fields.cpumask());
  if (!from(MmVersion::v4_14)) return;
  cpu.store(layout_.ctx_id(mm), services_.atomics.atomic_add(cpu, last_mm_ctx_id_, 1, 8));
  cpu.store(layout_.tlb_gen(mm), 0);
}

void SwitchMm::initialize_tlbstate_and_flush(CpuOps& cpu) {
  const TlbState own = tlb_state(cpu.id());
  const AddressSpace& mm = loaded_mm(cpu);
  const bool has_ids = from(MmVersion::v4_14);
  const std::uint64_t tlb_gen = has_ids ? cpu.load(layout_.tlb_gen(*init_mm_)) : 0;
  cpu.load(mm.fields.pgd());
  write_cr3(cpu, mm, kern_pcid(0), true);
  if (!has_ids) return;
  const std::uint64_t ctx_id = cpu.load(layout_.ctx_id(mm));
  cpu.store(own.last_user(), from(MmVersion::v4_20) ? mm.fields.base : ctx_id);
  cpu.store(own.loaded_mm_asid(), 0, 2);
  cpu.store(own.next_asid(), 1, 2);
  cpu.store(own.ctx_id(0), ctx_id);
  cpu.store(own.tlb_gen(0), tlb_gen);
  for (unsigned asid = 1; asid < kDynAsids; ++asid) cpu.store(own.ctx_id(asid), 0);
}

void SwitchMm::invalidate_user_asid(CpuOps& cpu, unsigned asid) {
  if (!params_.pti || !uses_pcid_ || mutation_ == FlushMutation::user_pcid) return;
  cpu.execute(costs_.invalidate_user_asid);
  const Address mask = tlb_state(cpu.id()).user_pcid_flush_mask();
  cpu.store(mask, cpu.load(mask, 2) | 1u << kern_pcid(asid), 2);
}

void SwitchMm::native_flush_tlb(CpuOps& cpu) {
  const auto [mm, asid] = loaded_[cpu.id()];
  if (params_.pti) {
    cpu.load(tlb_state(cpu.id()).loaded_mm_asid(), 2);
    invalidate_user_asid(cpu, asid);
  }
  cpu.write_translation_base(mm->root, kern_pcid(asid), true);
}

void SwitchMm::switch_to_user_cr3(CpuOps& cpu) {
  if (!params_.pti) return;
  cpu.execute(costs_.switch_cr3);
  const auto [mm, asid] = loaded_[cpu.id()];
  if (!uses_pcid_) return write_cr3(cpu, *mm, 0, true);
  const Address mask = tlb_state(cpu.id()).user_pcid_flush_mask();
  const std::uint64_t dirty = cpu.load(mask, 2);
  const std::uint64_t own = std::uint64_t{1} << kern_pcid(asid);
  if ((dirty & own) != 0) cpu.store(mask, dirty & ~own, 2);
  write_cr3(cpu, *mm, user_pcid(asid), (dirty & own) != 0);
}

void SwitchMm::switch_to_kernel_cr3(CpuOps& cpu) {
  if (!params_.pti) return;
  cpu.execute(costs_.switch_cr3);
  const auto [mm, asid] = loaded_[cpu.id()];
  write_cr3(cpu, *mm, kern_pcid(asid), !uses_pcid_);
}

}  // namespace switchyard::kernel::x86

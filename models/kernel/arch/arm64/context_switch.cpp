// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/arm64/context_switch.h"

namespace switchyard::kernel::arm64 {

using cpu::CpuOps;
using cpu::Domain;

ContextSwitch::ContextSwitch(const PerCpu& per_cpu, AsidAllocator& asids, const Arm64Costs& costs,
                             const KernelServices& services, cpu::TranslationObserver* observer)
    : per_cpu_(per_cpu),
      asids_(asids),
      costs_(costs),
      services_(services),
      observer_(observer),
      loaded_(services.layout.cpus()),
      entry_task_(services.layout.add_per_cpu("__entry_task", 8, 8)),
      cpu_do_switch_mm_(services.functions.add("cpu_do_switch_mm", Domain::kernel)),
      switch_to_(services.functions.add("__switch_to", Domain::kernel)) {}

void ContextSwitch::switch_mm(CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) {
  if (&prev == &next) return;
  asids_.check_and_switch_context(cpu, next);
  cpu_switch_mm(cpu, next);
}

// TTBR0 leads nowhere while TTBR1 gets the new ASID. Each write is followed by an ISB.
void ContextSwitch::cpu_switch_mm(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(cpu_do_switch_mm_);
  cpu.load(mm.fields.pgd());
  cpu.write_system_register();
  cpu.execute(costs_.cpu_do_switch_mm);
  const std::uint16_t asid = asids_.asid_of(cpu.load(mm.fields.context_id()));
  cpu.write_system_register();
  loaded_[cpu.id()] = {mm.root, asid};
  write_ttbr(cpu, 0);
}

void ContextSwitch::write_ttbr(CpuOps& cpu, std::uint16_t user) {
  const Loaded& loaded = loaded_[cpu.id()];
  cpu.write_translation_base(loaded.root, loaded.asid | user);
  if (observer_ != nullptr) observer_->switched(cpu, loaded.root);
}

void ContextSwitch::cpu_rq(CpuOps& cpu) {
  // The address of the run queue follows; the scheduler has it already.
  per_cpu_.per_cpu(cpu, 0, per_cpu_.smp_processor_id(cpu));
}

void ContextSwitch::switch_to(CpuOps& cpu, const Thread& next) {
  const auto scope = cpu.function(switch_to_);
  cpu.execute(costs_.switch_to);
  cpu.store(entry_task(cpu.id()), next.task_struct);
  cpu.wait_for_broadcasts();
}

void ContextSwitch::tramp_exit(CpuOps& cpu) {
  if (!asids_.params().kpti) return;
  cpu.execute(costs_.trampoline);
  cpu.write_system_register();
  write_ttbr(cpu, kUserAsid);
}

void ContextSwitch::tramp_entry(CpuOps& cpu) {
  if (!asids_.params().kpti) return;
  cpu.execute(costs_.trampoline);
  write_ttbr(cpu, 0);
  cpu.write_system_register();
}

}  // namespace switchyard::kernel::arm64

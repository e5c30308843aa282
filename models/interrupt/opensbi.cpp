// SPDX-License-Identifier: Apache-2.0
#include "interrupt/opensbi.h"

#include "interrupt/clint_map.h"
#include "interrupt/timer_ticks.h"

namespace switchyard::interrupt {

using cpu::AtomicOp;
using cpu::CpuOps;
using cpu::Domain;
using cpu::Privilege;

OpenSbi::Functions::Functions(cpu::FunctionTable& table)
    : trap(table.add("sbi_trap_handler", Domain::firmware)),
      ecall(table.add("sbi_ecall_handler", Domain::firmware)),
      tlb_request(table.add("sbi_tlb_request", Domain::firmware)),
      tlb_update(table.add("tlb_update", Domain::firmware)),
      tlb_sync(table.add("tlb_sync", Domain::firmware)),
      tlb_process(table.add("tlb_process_once", Domain::firmware)),
      local_fence(table.add("sbi_tlb_local_sfence_vma", Domain::firmware)),
      ipi_send(table.add("sbi_ipi_raw_send", Domain::firmware)),
      ipi_process(table.add("sbi_ipi_process", Domain::firmware)),
      timer_start(table.add("sbi_timer_event_start", Domain::firmware)),
      timer_process(table.add("sbi_timer_process", Domain::firmware)) {}

OpenSbi::OpenSbi(const FirmwareContext& context, const Params& params)
    : params_(params),
      harts_(context.cpus.size()),
      clint_(context.clint),
      timebase_(context.timebase),
      layout_(params_, static_cast<unsigned>(context.cpus.size())),
      functions_(context.functions),
      pace_(params_, context.cpus),
      queue_(layout_, params_, pace_, context.functions) {
  for (cpu::LogicalCpu* cpu : context.cpus) cpu->set_machine_handler(this);
}

void OpenSbi::enter(CpuOps& cpu) {
  ++stats_.traps;
  pace_.trap(cpu);
  if (!params_.fence_at_trap_entry) return;
  ++stats_.trap_flushes;
  cpu.flush_tlb({});
}

void OpenSbi::send_ipi(CpuOps& cpu, const base::CpuMask& targets) {
  const cpu::PrivilegeScope machine(cpu, Privilege::machine);
  const auto trap = cpu.function(functions_.trap);
  enter(cpu);
  const auto scope = cpu.function(functions_.ecall);
  pace_.run(cpu, params_.costs.ecall);
  targets.for_each([&](unsigned target) {
    pace_.run(cpu, params_.costs.target);
    send(cpu, target, kSupervisorSoft);
  });
}

/// A hart whose types were not empty has an interrupt on the way already.
void OpenSbi::send(CpuOps& cpu, unsigned target, IpiType type) {
  const auto scope = cpu.function(functions_.ipi_send);
  pace_.run(cpu, params_.costs.ipi_send);
  if (cpu.atomic(AtomicOp::bit_or, layout_.ipi_type(target), type) != 0) return;
  cpu.barrier();
  ++stats_.ipis_sent;
  cpu.mmio_write(clint_ + clint_map::msip(target), 1, 4);
}

void OpenSbi::set_timer(CpuOps& cpu, std::uint64_t deadline_ps) {
  const cpu::PrivilegeScope machine(cpu, Privilege::machine);
  const auto trap = cpu.function(functions_.trap);
  enter(cpu);
  const auto scope = cpu.function(functions_.timer_start);
  pace_.run(cpu, params_.costs.timer);
  cpu.set_pending(cpu::kSupervisorTimer, false);
  cpu.mmio_write(clint_ + clint_map::mtimecmp(cpu.id()), ticks_at(deadline_ps, timebase_), 8);
}

void OpenSbi::interrupt(CpuOps& cpu, std::uint32_t pending) {
  const cpu::PrivilegeScope machine(cpu, Privilege::machine);
  if ((pending & cpu::kMachineSoftware) != 0) software_interrupt(cpu);
  if ((pending & cpu::kMachineTimer) != 0) timer_interrupt(cpu);
}

void OpenSbi::software_interrupt(CpuOps& cpu) {
  const auto trap = cpu.function(functions_.trap);
  enter(cpu);
  const auto scope = cpu.function(functions_.ipi_process);
  pace_.run(cpu, params_.costs.ipi_process);
  cpu.mmio_write(clint_ + clint_map::msip(cpu.id()), 0, 4);
  const std::uint64_t types = cpu.atomic(AtomicOp::swap, layout_.ipi_type(cpu.id()), 0);
  if ((types & kSupervisorSoft) != 0) cpu.set_pending(cpu::kSupervisorSoftware, true);
  if ((types & kFence) == 0) return;
  while (process_one_fence(cpu)) continue;
}

void OpenSbi::timer_interrupt(CpuOps& cpu) {
  const auto trap = cpu.function(functions_.trap);
  enter(cpu);
  const auto scope = cpu.function(functions_.timer_process);
  pace_.run(cpu, params_.costs.timer);
  cpu.mmio_write(clint_ + clint_map::mtimecmp(cpu.id()), kNever, 8);
  cpu.set_pending(cpu::kSupervisorTimer, true);
}

}  // namespace switchyard::interrupt

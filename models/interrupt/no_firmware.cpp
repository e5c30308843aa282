// SPDX-License-Identifier: Apache-2.0
#include "interrupt/no_firmware.h"

#include "interrupt/clint_map.h"
#include "interrupt/timer_ticks.h"

namespace switchyard::interrupt {

NoFirmware::NoFirmware(const FirmwareContext& context, const Params&)
    : clint_(context.clint), timebase_(context.timebase) {
  for (cpu::LogicalCpu* cpu : context.cpus) cpu->set_machine_handler(this);
}

void NoFirmware::remote_sfence_vma(cpu::CpuOps&, const base::CpuMask&, const FenceRange&) {
  throw base::ConfigError("firmware.type", "none has no remote fences; use opensbi, or kernel fences by S-mode IPI");
}

void NoFirmware::send_ipi(cpu::CpuOps&, const base::CpuMask&) {
  throw base::ConfigError("firmware.type", "none sends no IPIs; use opensbi, or kernel IPIs by an sswi module");
}

void NoFirmware::set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) {
  cpu.set_pending(cpu::kSupervisorTimer, false);
  cpu.mmio_write(clint_ + clint_map::mtimecmp(cpu.id()), ticks_at(deadline_ps, timebase_), 8);
}

/// Stands for the comparator that the supervisor owns under Sstc: no register save, no instructions.
void NoFirmware::interrupt(cpu::CpuOps& cpu, std::uint32_t pending) {
  if ((pending & cpu::kMachineSoftware) != 0) cpu.mmio_write(clint_ + clint_map::msip(cpu.id()), 0, 4);
  if ((pending & cpu::kMachineTimer) == 0) return;
  cpu.mmio_write(clint_ + clint_map::mtimecmp(cpu.id()), kNever, 8);
  cpu.set_pending(cpu::kSupervisorTimer, true);
}

}  // namespace switchyard::interrupt

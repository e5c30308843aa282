// SPDX-License-Identifier: Apache-2.0
#include "interrupt/register.h"

#include "interrupt/clint.h"
#include "interrupt/gic_sgi.h"
#include "interrupt/no_firmware.h"
#include "interrupt/opensbi.h"
#include "interrupt/pa_external.h"
#include "interrupt/smode_ipi.h"
#include "interrupt/x2apic.h"

namespace switchyard::interrupt {

void register_models(sim::ModelRegistry& registry) {
  registry.add<Clint>("clint", "RISC-V core-local interruptor: machine software interrupts and timer");
  registry.add<Sswi>("sswi", "RISC-V ACLINT supervisor software interrupts, raised without firmware");
  registry.add<PaExternal>("pa-external", "PA-RISC external interrupts between CPUs, and their interval timers");
  registry.add<X2Apic>("x2apic", "x86 local APICs: interrupts between CPUs by messages, and their timers");
  registry.add<GicSgi>("gic-sgi", "Arm GICv3 software generated interrupts, and the generic timers of the CPUs");
}

void register_firmware(FirmwareRegistry& registry) {
  registry.add<OpenSbi>("opensbi", "OpenSBI on a CLINT: fences, IPIs and timer by calls to machine mode");
  registry.add<NoFirmware>("none", "No firmware: timer without traps, fences and IPIs only by an S-mode fabric");
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/firmware_pace.h"

#include "sim/clock.h"

namespace switchyard::interrupt {

FirmwarePace::FirmwarePace(const OpenSbiParams& params, const std::vector<cpu::LogicalCpu*>& cpus)
    : trap_instructions_(params.costs.trap) {
  for (const cpu::LogicalCpu* cpu : cpus)
    trap_cycles_.push_back(sim::Clock({cpu->clock_hz()}).cycles(params.trap_cost));
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

#include "interrupt/firmware.h"
#include "kernel/kernel.h"
#include "platforms/machine.h"
#include "platforms/run_outcome.h"

namespace switchyard::platforms {

/// Sets all counters and all cells of all call trees to zero, at `now_ps`.
void reset_statistics(const Machine& machine, const interrupt::Firmware& firmware, kernel::Kernel& kernel,
                      std::uint64_t now_ps);

/// Fills `tasks` and `stats` of the outcome with what is charged up to `now_ps`.
void record_statistics(const Machine& machine, const interrupt::Firmware& firmware, kernel::Kernel& kernel,
                       const cpu::FunctionTable& functions, std::uint64_t now_ps, RunOutcome& outcome);

/// What processes have spent since then, in cycles of a clock of `hz`.
CpuTime cpu_time(kernel::Kernel& kernel, std::uint64_t hz);

/// Tasks that have not ended and what they wait for.
std::string describe_tasks(kernel::Kernel& kernel);

/// What a simulation process threw, without SystemC's decoration.
std::string failure_text(const sc_core::sc_report& report);

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cpu/logical_cpu.h"
#include "interrupt/opensbi_params.h"

namespace switchyard::interrupt {

/// How fast each hart runs firmware: what a trap takes, and everything else in proportion to its instructions.
class FirmwarePace {
 public:
  FirmwarePace(const OpenSbiParams& params, const std::vector<cpu::LogicalCpu*>& cpus);

  void trap(cpu::CpuOps& cpu) const { cpu.spend(trap_cycles_[cpu.id()], cpu::Cause::firmware); }
  void run(cpu::CpuOps& cpu, std::uint64_t instructions) const {
    cpu.spend((instructions * trap_cycles_[cpu.id()] + trap_instructions_ / 2) / trap_instructions_,
              cpu::Cause::firmware);
  }

 private:
  std::uint64_t trap_instructions_;
  std::vector<std::uint64_t> trap_cycles_;  // trap_cycles_[hart]
};

}  // namespace switchyard::interrupt

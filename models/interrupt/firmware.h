// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/registry.h"
#include "base/stats.h"
#include "cpu/logical_cpu.h"
#include "interrupt/sbi.h"
#include "switchyard/module.h"

namespace switchyard::interrupt {

/// The machine that firmware runs on. `functions` is filled by the firmware's constructor.
struct FirmwareContext {
  std::vector<cpu::LogicalCpu*> cpus;  ///< index = hart id = CpuOps::id()
  cpu::FunctionTable& functions;
  base::Address clint = 0x2000000;         ///< base of the CLINT registers
  base::Frequency timebase = {1'000'000};  ///< frequency of mtime
};

/// What runs in machine mode: the callee of SBI calls and the handler of machine interrupts. A firmware installs itself
/// as machine handler of every CPU of its context, whose CPUs outlive it.
class Firmware : public Sbi, public cpu::TrapHandler {
 public:
  virtual const base::StatGroup& stats() const = 0;
  /// Physical memory that it uses; empty size for none.
  virtual AddressRange memory() const { return {}; }
};

/// Types that `firmware: {type: ...}` can name.
using FirmwareRegistry = base::Registry<Firmware, const FirmwareContext&>;

}  // namespace switchyard::interrupt

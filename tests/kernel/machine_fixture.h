// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "interrupt/clint.h"
#include "interrupt/opensbi.h"
#include "kernel/linux_riscv.h"
#include "kernel/small_machine.h"

namespace switchyard::test {

/// A small machine with OpenSBI, CLINT and Linux on it.
struct MachineTest : SmallMachine {
  interrupt::Clint clint{"clint", {}};
  std::unique_ptr<interrupt::OpenSbi> sbi;
  std::unique_ptr<kernel::riscv::LinuxRiscv> kernel;

  void build(unsigned count, const kernel::riscv::LinuxRiscvParams& params = {},
             kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    build_machine(count);
    kernel = std::make_unique<kernel::riscv::LinuxRiscv>(context, params, mutation);
  }

  /// Everything below the kernel.
  void build_machine(unsigned count) {
    build_hardware(count, clint, [&](cpu::Cpu& cpu) {
      clint.connect_interrupt("msip", cpu.interrupt_in("msip"));
      clint.connect_interrupt("mtip", cpu.interrupt_in("mtip"));
    });
    sbi = std::make_unique<interrupt::OpenSbi>(
        interrupt::FirmwareContext{context.cpus, functions, 0x2000000, {1'000'000}}, interrupt::OpenSbiParams{});
    context.sbi = sbi.get();
  }

  std::uint64_t count(const std::string& name) const { return counter(kernel->stats(), name); }
};

}  // namespace switchyard::test

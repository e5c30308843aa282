// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_mask.h"
#include "cpu/cpu_ops.h"
#include "interrupt/ipi_fabric.h"

namespace switchyard::kernel {

/// How the kernel interrupts other CPUs: a device of its own (ACLINT SSWI, IMSIC, external interrupt registers) or
/// firmware.
class IpiSender {
 public:
  virtual ~IpiSender() = default;
  /// Raises the kernel's IPI on each target; does not wait.
  virtual void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) = 0;
  /// The receiver takes its interrupt back before it looks for messages.
  virtual void acknowledge(cpu::CpuOps& cpu) { cpu.set_pending(cpu::kSupervisorSoftware, false); }
};

/// An IpiSender on a device whose registers interrupt supervisors.
class FabricIpiSender : public IpiSender {
 public:
  explicit FabricIpiSender(const interrupt::IpiFabric& fabric) : fabric_(fabric) {}
  void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) override {
    targets.for_each([&](unsigned target) { cpu.mmio_write(fabric_.register_of(target), 1, 4); });
  }

 private:
  const interrupt::IpiFabric& fabric_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_mask.h"
#include "cpu/cpu_ops.h"
#include "interrupt/ipi_fabric.h"

namespace switchyard::kernel {

/// Raises supervisor software interrupts without firmware (ACLINT SSWI, IMSIC). The receiver clears its pending bit.
class IpiSender {
 public:
  virtual ~IpiSender() = default;
  virtual void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) = 0;
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

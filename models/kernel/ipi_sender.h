// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_mask.h"
#include "cpu/cpu_ops.h"

namespace switchyard::kernel {

/// Raises supervisor software interrupts without firmware (ACLINT SSWI, IMSIC). The receiver clears its pending bit.
class IpiSender {
 public:
  virtual ~IpiSender() = default;
  virtual void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) = 0;
};

}  // namespace switchyard::kernel

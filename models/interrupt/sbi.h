// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/cpu_mask.h"
#include "base/quantity.h"
#include "cpu/cpu_ops.h"

namespace switchyard::interrupt {

/// Range of a remote fence; `size` of kWholeSpace means everything.
struct FenceRange {
  static constexpr std::uint64_t kWholeSpace = ~std::uint64_t{0};
  base::Address start = 0;
  std::uint64_t size = kWholeSpace;
  std::optional<std::uint16_t> asid;
};

/// What a supervisor asks of machine-mode firmware (RISC-V SBI 0.2+: RFENCE, IPI, TIME). Each call is one ecall on
/// `cpu`'s running context and returns when the specification says so.
class Sbi {
 public:
  virtual ~Sbi() = default;
  /// Returns when every hart in `targets` (which may include the caller) has executed the fence.
  virtual void remote_sfence_vma(cpu::CpuOps& cpu, const base::CpuMask& targets, const FenceRange& range) = 0;
  /// Raises the supervisor software interrupt of each target; does not wait.
  virtual void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) = 0;
  /// Next supervisor timer interrupt of this hart at `deadline_ps`; clears a pending one. ~0 disarms.
  virtual void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) = 0;
  /// False when remote_sfence_vma and send_ipi are refused: the kernel then needs an S-mode IPI fabric.
  virtual bool offers_ipi() const { return true; }
};

}  // namespace switchyard::interrupt

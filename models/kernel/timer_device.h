// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cpu/cpu_ops.h"

namespace switchyard::kernel {

/// The one-shot timer of each CPU, as kernel code programs it.
class TimerDevice {
 public:
  virtual ~TimerDevice() = default;
  /// Next timer interrupt of this CPU at `deadline_ps`; clears a pending one. ~0 disarms.
  virtual void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) = 0;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace switchyard::interrupt {

/// The timers of CPUs that have one of their own, without a bus in between (CR16 of PA-RISC, the TSC
/// deadline of x86, the generic timer of Arm).
class IntervalTimer {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  virtual ~IntervalTimer() = default;
  /// Lowers the line of `cpu` and raises it at `deadline_ps`; kNever: not at all.
  virtual void arm(unsigned cpu, std::uint64_t deadline_ps) = 0;
};

}  // namespace switchyard::interrupt

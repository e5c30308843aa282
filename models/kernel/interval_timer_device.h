// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/interval_timer.h"
#include "kernel/timer_device.h"

namespace switchyard::kernel {

/// The timer of a CPU that kernel code sets by writing a register of that CPU.
class IntervalTimerDevice : public TimerDevice {
 public:
  explicit IntervalTimerDevice(interrupt::IntervalTimer& timer) : timer_(timer) {}
  void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) override { timer_.arm(cpu.id(), deadline_ps); }

 private:
  interrupt::IntervalTimer& timer_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "interrupt/interval_timer.h"
#include "switchyard/module.h"

namespace switchyard::interrupt {

/// The timers of an IntervalTimer: one line and one deadline for each CPU.
class TimerLines {
 public:
  /// The next CPU's line; while the machine is wired.
  void connect(InterruptLine& line);
  unsigned size() const { return static_cast<unsigned>(timers_.size()); }
  /// As IntervalTimer::arm.
  void arm(unsigned cpu, std::uint64_t deadline_ps);
  /// What is wrong when `harts` CPUs have a wire at `ipi_port` but not as many at `timer_port`; empty when all is well.
  std::string check(unsigned harts, const std::string& timer_port, const std::string& ipi_port) const;

 private:
  struct Timer {
    InterruptLine* line;
    std::unique_ptr<sc_core::sc_event> due;
  };
  std::vector<Timer> timers_;  // by CPU
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "interrupt/interval_timer.h"
#include "interrupt/smode_ipi.h"
#include "interrupt/timer_lines.h"

namespace switchyard::interrupt {

/// Parameters of PaExternal.
struct PaExternalParams : SswiParams {
  PaExternalParams() { base = 0xfffa0000; }
};

/// External interrupts of PA-RISC: a store to the external interrupt register of a CPU interrupts it, without firmware;
/// and the interval timer of each CPU. The registers lie 4 bytes apart instead of in a page of each CPU's own.
/// The n-th wires of `ssip` and `itimer` belong to CPU n.
class PaExternal : public Sswi, public IntervalTimer {
 public:
  using Params = PaExternalParams;
  PaExternal(const sc_core::sc_module_name& name, const Params& params) : Sswi(name, params) {}

  std::vector<PortInfo> ports() const override;
  void connect_interrupt(const std::string& port, InterruptLine& line) override;
  std::string check_wiring() const override;
  void arm(unsigned cpu, std::uint64_t deadline_ps) override { timers_.arm(cpu, deadline_ps); }

 private:
  TimerLines timers_;
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/params.h"
#include "interrupt/interval_timer.h"
#include "interrupt/supervisor_ipi.h"
#include "interrupt/timer_lines.h"

namespace switchyard::interrupt {

/// Parameters of interrupt controllers that are part of each CPU.
struct LocalInterruptParams : base::ParamSet {
  base::Address base = 0;
  base::Latency latency = base::nanoseconds(0);
  base::Latency delivery = base::nanoseconds(0);

  LocalInterruptParams(base::Address first, base::Latency access_time, base::Latency delivery_time)
      : base(first), latency(access_time), delivery(delivery_time) {}
  void visit(base::ParamVisitor& v) override {
    v.address({"base", "First bus address of the window"}, base);
    v.value({"latency", "Time of one access, at the CPU that sends; must be a time"}, latency);
    v.value({"delivery", "Time from the write to the interrupt at the CPU that is named; must be a time"}, delivery);
  }
  std::string check() const override {
    for (const base::Latency& time : {latency, delivery})
      if (time.unit == base::Latency::Unit::cycles)
        return "latency and delivery must be times such as `50 ns`, not cycles";
    if (base % 4096 != 0) return "base must be a multiple of 4096, got " + std::to_string(base);
    return "";
  }
};

/// An interrupt controller that each CPU has for itself: it sends interrupts to the others by writes into a window of
/// the address space, and has a timer. The n-th wires of `intr` and `timer` belong to CPU n. Derived classes say where
/// in the window the CPUs are.
class LocalInterrupts : public SupervisorIpi, public IntervalTimer {
 public:
  std::vector<PortInfo> ports() const override;
  void connect_interrupt(const std::string& port, InterruptLine& line) override;
  std::string check_wiring() const override;
  void arm(unsigned cpu, std::uint64_t deadline_ps) override { timers_.arm(cpu, deadline_ps); }
  base::Address base() const override { return base_; }

 protected:
  LocalInterrupts(const sc_core::sc_module_name& name, const LocalInterruptParams& params, unsigned most_cpus,
                  std::uint64_t stride);

 private:
  const base::Address base_;
  const unsigned most_cpus_;
  TimerLines timers_;
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/local_interrupts.h"

namespace switchyard::interrupt {

LocalInterrupts::LocalInterrupts(const sc_core::sc_module_name& name, const LocalInterruptParams& params,
                                 unsigned most_cpus, std::uint64_t stride)
    : SupervisorIpi(name, {params.base, most_cpus * stride}, {params.latency.value, params.delivery.value}, "intr"),
      base_(params.base),
      most_cpus_(most_cpus) {}

std::vector<PortInfo> LocalInterrupts::ports() const {
  std::vector<PortInfo> ports = SupervisorIpi::ports();
  ports.push_back({"timer", PortKind::interrupt_out, true});
  return ports;
}

void LocalInterrupts::connect_interrupt(const std::string& port, InterruptLine& line) {
  if (port != "timer") return SupervisorIpi::connect_interrupt(port, line);
  timers_.connect(line);
}

std::string LocalInterrupts::check_wiring() const {
  if (harts() > most_cpus_)
    return "at most " + std::to_string(most_cpus_) + " CPUs have a place in its window, got " + std::to_string(harts());
  return timers_.check(harts(), "timer", "intr");
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/pa_external.h"

#include "sim/clock.h"

namespace switchyard::interrupt {

std::vector<PortInfo> PaExternal::ports() const {
  std::vector<PortInfo> ports = Sswi::ports();
  ports.push_back({"itimer", PortKind::interrupt_out, true});
  return ports;
}

void PaExternal::connect_interrupt(const std::string& port, InterruptLine& line) {
  if (port != "itimer") return Sswi::connect_interrupt(port, line);
  timers_.push_back({&line, std::make_unique<sc_core::sc_event>()});
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(timers_.back().due.get());
  sc_core::sc_spawn([&line] { line.set(true); }, sc_core::sc_gen_unique_name("itimer"), &options);
}

std::string PaExternal::check_wiring() const {
  if (timers_.size() == harts()) return Sswi::check_wiring();
  return std::to_string(timers_.size()) + " CPUs are wired to itimer and " + std::to_string(harts()) +
         " to ssip; every CPU needs both";
}

void PaExternal::arm(unsigned cpu, std::uint64_t deadline_ps) {
  Timer& timer = timers_[cpu];
  timer.line->set(false);
  timer.due->cancel();
  if (deadline_ps == kNever) return;
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  timer.due->notify(sim::from_ps(deadline_ps > now ? deadline_ps - now : 0));
}

}  // namespace switchyard::interrupt

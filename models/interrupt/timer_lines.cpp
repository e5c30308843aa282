// SPDX-License-Identifier: Apache-2.0
#include "interrupt/timer_lines.h"

#include "sim/clock.h"

namespace switchyard::interrupt {

void TimerLines::connect(InterruptLine& line) {
  timers_.push_back({&line, std::make_unique<sc_core::sc_event>()});
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(timers_.back().due.get());
  sc_core::sc_spawn([&line] { line.set(true); }, sc_core::sc_gen_unique_name("timer"), &options);
}

void TimerLines::arm(unsigned cpu, std::uint64_t deadline_ps) {
  Timer& timer = timers_[cpu];
  timer.line->set(false);
  timer.due->cancel();
  if (deadline_ps == IntervalTimer::kNever) return;
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  timer.due->notify(sim::from_ps(deadline_ps > now ? deadline_ps - now : 0));
}

std::string TimerLines::check(unsigned harts, const std::string& timer_port, const std::string& ipi_port) const {
  if (size() == harts) return "";
  return std::to_string(size()) + " CPUs are wired to " + timer_port + " and " + std::to_string(harts) + " to " +
         ipi_port + "; every CPU needs both";
}

}  // namespace switchyard::interrupt

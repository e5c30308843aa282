// SPDX-License-Identifier: Apache-2.0
#include "interrupt/supervisor_ipi.h"

#include <utility>

#include "sim/clock.h"

namespace switchyard::interrupt {

SupervisorIpi::SupervisorIpi(const sc_core::sc_module_name& name, AddressRange range, Times times, std::string port)
    : RegisterDevice(name, range, times.access_ps), delivery_ps_(times.delivery_ps), port_(std::move(port)) {
  SC_HAS_PROCESS(SupervisorIpi);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

std::vector<PortInfo> SupervisorIpi::ports() const {
  return {{"in", PortKind::target}, {port_, PortKind::interrupt_out, true}};
}

void SupervisorIpi::connect_interrupt(const std::string&, InterruptLine& line) { lines_.push_back(&line); }

tlm::tlm_response_status SupervisorIpi::check(const RegisterAccess& access) const {
  if (cpu_at(access.offset) >= lines_.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return access.bytes == 4 ? tlm::TLM_OK_RESPONSE : tlm::TLM_BURST_ERROR_RESPONSE;
}

tlm::tlm_response_status SupervisorIpi::read(const RegisterAccess& access, std::uint64_t& value) {
  value = 0;
  return check(access);
}

tlm::tlm_response_status SupervisorIpi::write(const RegisterAccess& access, std::uint64_t value) {
  const tlm::tlm_response_status status = check(access);
  if (status != tlm::TLM_OK_RESPONSE || !interrupts(value)) return status;
  const unsigned cpu = cpu_at(access.offset);
  if (!access.debug) ++stats_.ipis;
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  const std::uint64_t at = access.at_ps + delivery_ps_;
  if (at <= now) {
    raise(cpu);
  } else {
    later_.emplace(at, cpu);
    wake_.notify(sim::from_ps(at - now));  // an earlier notification stays
  }
  return status;
}

void SupervisorIpi::raise(unsigned cpu) {
  lines_[cpu]->set(false);
  lines_[cpu]->set(true);
}

void SupervisorIpi::step() {
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  while (!later_.empty() && later_.begin()->first <= now) {
    const unsigned cpu = later_.begin()->second;
    later_.erase(later_.begin());
    raise(cpu);
  }
  if (!later_.empty()) wake_.notify(sim::from_ps(later_.begin()->first - now));
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/smode_ipi.h"

#include "sim/clock.h"

namespace switchyard::interrupt {

Sswi::Sswi(const sc_core::sc_module_name& name, const Params& params)
    : RegisterDevice(name, {params.base, params.size.value}, params.latency.value), params_(params) {
  SC_HAS_PROCESS(Sswi);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

std::vector<PortInfo> Sswi::ports() const {
  return {{"in", PortKind::target}, {"ssip", PortKind::interrupt_out, true}};
}

void Sswi::connect_interrupt(const std::string&, InterruptLine& line) { lines_.push_back(&line); }

std::string Sswi::check_wiring() const {
  if (lines_.size() * 4 <= params_.size.value) return "";
  return "size holds " + std::to_string(params_.size.value / 4) + " harts, got " + std::to_string(lines_.size());
}

tlm::tlm_response_status Sswi::check(const RegisterAccess& access) const {
  if (access.offset / 4 >= lines_.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return access.bytes == 4 ? tlm::TLM_OK_RESPONSE : tlm::TLM_BURST_ERROR_RESPONSE;
}

tlm::tlm_response_status Sswi::read(const RegisterAccess& access, std::uint64_t& value) {
  value = 0;
  return check(access);
}

tlm::tlm_response_status Sswi::write(const RegisterAccess& access, std::uint64_t value) {
  const tlm::tlm_response_status status = check(access);
  if (status != tlm::TLM_OK_RESPONSE || (value & 1) == 0) return status;
  const auto hart = static_cast<unsigned>(access.offset / 4);
  if (!access.debug) ++stats_.ipis;
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  if (access.at_ps <= now) {
    raise(hart);
  } else {
    later_.emplace(access.at_ps, hart);
    wake_.notify(sim::from_ps(access.at_ps - now));  // an earlier notification stays
  }
  return status;
}

void Sswi::raise(unsigned hart) {
  lines_[hart]->set(false);
  lines_[hart]->set(true);
}

void Sswi::step() {
  const std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  while (!later_.empty() && later_.begin()->first <= now) {
    const unsigned hart = later_.begin()->second;
    later_.erase(later_.begin());
    raise(hart);
  }
  if (!later_.empty()) wake_.notify(sim::from_ps(later_.begin()->first - now));
}

}  // namespace switchyard::interrupt

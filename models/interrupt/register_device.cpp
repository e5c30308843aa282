// SPDX-License-Identifier: Apache-2.0
#include "interrupt/register_device.h"

#include <cstring>

#include "sim/clock.h"

namespace switchyard::interrupt {

RegisterDevice::RegisterDevice(const sc_core::sc_module_name& name, AddressRange range, std::uint64_t latency_ps)
    : Module(name), range_(range), latency_(sim::from_ps(latency_ps)), in_("in") {
  in_.bind(*this);
}

tlm::tlm_response_status RegisterDevice::perform(tlm::tlm_generic_payload& tx, std::uint64_t at_ps, bool debug) {
  if (tx.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (tx.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const base::Address offset = tx.get_address() - range_.base;
  if (offset >= range_.size) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const unsigned bytes = tx.get_data_length();
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0 || (tx.get_streaming_width() < bytes && !debug))
    return tlm::TLM_BURST_ERROR_RESPONSE;
  const RegisterAccess access{offset, bytes, at_ps, debug};
  std::uint64_t value = 0;
  if (tx.is_write()) {
    std::memcpy(&value, tx.get_data_ptr(), bytes);
    return write(access, value);
  }
  const tlm::tlm_response_status status = read(access, value);
  if (status == tlm::TLM_OK_RESPONSE) std::memcpy(tx.get_data_ptr(), &value, bytes);
  return status;
}

void RegisterDevice::b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  tx.set_response_status(perform(tx, sim::to_ps(sc_core::sc_time_stamp() + delay), false));
  delay += latency_;
}

tlm::tlm_sync_enum RegisterDevice::nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(tx, delay);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_COMPLETED;
}

unsigned RegisterDevice::transport_dbg(tlm::tlm_generic_payload& tx) {
  const bool done = perform(tx, sim::to_ps(sc_core::sc_time_stamp()), true) == tlm::TLM_OK_RESPONSE;
  return done && tx.get_command() != tlm::TLM_IGNORE_COMMAND ? tx.get_data_length() : 0;
}

}  // namespace switchyard::interrupt

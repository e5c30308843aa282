// SPDX-License-Identifier: Apache-2.0
#include "memory/upstream_port.h"

#include <string>

namespace switchyard::memory {

UpstreamPort::UpstreamPort(CoherencePoint& owner, unsigned index)
    : in(("cpu_" + std::to_string(index)).c_str()),
      snoop(("cpu_snoop_" + std::to_string(index)).c_str()),
      owner_(owner),
      index_(index) {
  in.bind(*this);
  snoop.bind(*this);
}

void UpstreamPort::b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  owner_.transport(*this, tx, delay);
}

tlm::tlm_sync_enum UpstreamPort::nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  owner_.transport(*this, tx, delay);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_COMPLETED;
}

unsigned UpstreamPort::transport_dbg(tlm::tlm_generic_payload& tx) { return owner_.transport_debug(tx); }

}  // namespace switchyard::memory

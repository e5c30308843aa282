// SPDX-License-Identifier: Apache-2.0
#include "memory/upstream_port.h"

#include "memory/cache.h"

namespace switchyard::memory {

UpstreamPort::UpstreamPort(Cache& cache, unsigned index)
    : in(("cpu_" + std::to_string(index)).c_str()),
      snoop(("cpu_snoop_" + std::to_string(index)).c_str()),
      cache_(cache),
      index_(index) {
  in.bind(*this);
  snoop.bind(*this);
}

void UpstreamPort::b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  cache_.transport(*this, tx, delay);
}

tlm::tlm_sync_enum UpstreamPort::nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  cache_.transport(*this, tx, delay);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_COMPLETED;
}

unsigned UpstreamPort::transport_dbg(tlm::tlm_generic_payload& tx) { return cache_.transport_debug(tx); }

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <tlm>

#include "memory/coherence_point.h"
#include "switchyard/module.h"

namespace switchyard::memory {

/// One of the sockets by which a cache or an interconnect is reached from above; knows which one it is.
class UpstreamPort : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
 public:
  UpstreamPort(CoherencePoint& owner, unsigned index);

  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  CoherencePoint& owner() { return owner_; }
  /// Position among the ports of the owner; the child's number in its directory.
  unsigned index() const { return index_; }
  /// The initiator above is a cache that can be snooped.
  bool coherent() const { return snoop.size() > 0; }

  TargetSocket in;
  InitiatorSocket snoop;

 private:
  CoherencePoint& owner_;
  unsigned index_;
};

}  // namespace switchyard::memory

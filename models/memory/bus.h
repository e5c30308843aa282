// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/params.h"
#include "base/stats.h"
#include "switchyard/module.h"

namespace switchyard::memory {

/// Parameters of Bus.
struct BusParams : base::ParamSet {
  base::Latency latency = base::nanoseconds(0);

  void visit(base::ParamVisitor& v) override {
    v.value({"latency", "Time added to every transaction; must be a time"}, latency);
  }
  std::string check() const override {
    return latency.unit == base::Latency::Unit::cycles && latency.value != 0
               ? "latency must be a time such as `10 ns`, not cycles"
               : "";
  }
};

/// Address decoder between any number of initiators (`in`) and targets (`out`), without queueing.
/// Addresses pass unchanged; one that no target claims gets an address error.
class Bus : public Module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
 public:
  using Params = BusParams;
  Bus(const sc_core::sc_module_name& name, const Params& params);

  std::vector<PortInfo> ports() const override {
    return {{"in", PortKind::target, true}, {"out", PortKind::initiator, true}};
  }
  Initiator initiator(const std::string& port) override;
  Target target(const std::string& port) override;
  void route(const std::string& port, AddressRange range) override;
  std::string check_wiring() const override;
  const base::StatGroup& stats() const override { return stats_; }

 private:
  struct Stats : base::StatGroup {
    base::Counter transactions{*this, "transactions", "count", "Transactions routed"};
    base::Counter unclaimed{*this, "unclaimed", "count", "Transactions to an address that no target claims"};
  };
  struct Route {
    AddressRange range;
    std::unique_ptr<InitiatorSocket> out;
  };

  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  InitiatorSocket* find(std::uint64_t address);

  const sc_core::sc_time latency_;
  std::vector<std::unique_ptr<TargetSocket>> in_;
  std::vector<Route> routes_;  // ordered by wiring; few enough to search
  Stats stats_;
};

}  // namespace switchyard::memory

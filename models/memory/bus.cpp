// SPDX-License-Identifier: Apache-2.0
#include "memory/bus.h"

#include <algorithm>
#include <sstream>

#include "memory/caching_initiator.h"
#include "sim/clock.h"
#include "switchyard/coherence.h"

namespace switchyard::memory {

namespace {

/// Sockets made after construction belong below their module all the same.
template <class Socket>
std::unique_ptr<Socket> make_socket(sc_core::sc_module* owner, const std::string& name) {
  sc_core::sc_get_curr_simcontext()->hierarchy_push(owner);
  auto socket = std::make_unique<Socket>(name.c_str());
  sc_core::sc_get_curr_simcontext()->hierarchy_pop();
  return socket;
}

}  // namespace

Bus::Bus(const sc_core::sc_module_name& name, const Params& params)
    : Module(name), latency_(sim::from_ps(params.latency.value)) {}

Module::Initiator Bus::initiator(const std::string&) {
  routes_.push_back({{}, make_socket<InitiatorSocket>(this, "out_" + std::to_string(routes_.size()))});
  routes_.back().out->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  return {routes_.back().out.get(), nullptr};
}

Module::Target Bus::target(const std::string&) {
  in_.push_back(make_socket<TargetSocket>(this, "in_" + std::to_string(in_.size())));
  in_.back()->bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  return {in_.back().get(), nullptr};
}

void Bus::route(const std::string&, AddressRange range) { routes_.back().range = range; }

std::string Bus::check_wiring() const {
  const auto caches = std::count_if(in_.begin(), in_.end(), [](const auto& socket) {
    return socket->size() > 0 && dynamic_cast<const CachingInitiator*>(socket->operator->()) != nullptr;
  });
  if (caches > 1)
    return std::to_string(caches) + " caches are wired to port in; a bus keeps no directory, they need a common cache";
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const AddressRange a = routes_[i].range;
    if (a.size == 0) return "target " + std::to_string(i) + " on port out has no address range";
    for (std::size_t j = 0; j < i; ++j) {
      const AddressRange b = routes_[j].range;
      if (a.base - b.base < b.size || b.base - a.base < a.size) {
        std::ostringstream text;
        text << std::hex << "targets on port out overlap: 0x" << b.base << " + 0x" << b.size << " and 0x" << a.base
             << " + 0x" << a.size;
        return text.str();
      }
    }
  }
  return "";
}

InitiatorSocket* Bus::find(std::uint64_t address) {
  for (Route& route : routes_)
    if (address - route.range.base < route.range.size) return route.out.get();
  return nullptr;
}

void Bus::b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  InitiatorSocket* out = find(tx.get_address());
  if (out == nullptr) {
    ++stats_.unclaimed;
    return tx.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  ++stats_.transactions;
  delay += latency_;
  if (auto* ext = tx.get_extension<CoherenceExtension>()) ext->spent.memory += sim::to_ps(latency_);
  (*out)->b_transport(tx, delay);
}

tlm::tlm_sync_enum Bus::nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(tx, delay);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_COMPLETED;
}

unsigned Bus::transport_dbg(tlm::tlm_generic_payload& tx) {
  InitiatorSocket* out = find(tx.get_address());
  return out == nullptr ? 0 : (*out)->transport_dbg(tx);
}

}  // namespace switchyard::memory

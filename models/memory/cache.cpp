// SPDX-License-Identifier: Apache-2.0
#include "memory/cache.h"

#include <algorithm>
#include <cstring>

namespace switchyard::memory {

Cache::Cache(const sc_core::sc_module_name& name, const Params& params)
    : Module(name),
      params_(params),
      clock_(params.clock),
      latency_ps_(clock_.ps(params.latency)),
      transfer_ps_(clock_.ps(params.transfer)),
      hold_ps_(clock_.ps(params.hold)),
      latency_(sim::from_ps(latency_ps_)),
      transfer_(sim::from_ps(transfer_ps_)),
      array_(params),
      mem_("mem"),
      snoop_in_("mem_snoop"),
      snoop_target_(*this) {
  mem_.bind(backward_);
  snoop_in_.bind(snoop_target_);
  down_.set_extension(&down_ext_);
  down_.set_byte_enable_ptr(nullptr);
  up_.set_extension(&up_ext_);
  up_.set_byte_enable_ptr(nullptr);
}

Cache::~Cache() {
  down_.clear_extension(&down_ext_);
  up_.clear_extension(&up_ext_);
}

std::vector<PortInfo> Cache::ports() const { return {{"cpu", PortKind::target, true}, {"mem", PortKind::initiator}}; }

Module::Initiator Cache::initiator(const std::string&) { return {&mem_, &snoop_in_}; }

Module::Target Cache::target(const std::string&) {
  sc_core::sc_get_curr_simcontext()->hierarchy_push(this);
  upstream_.push_back(std::make_unique<UpstreamPort>(*this, static_cast<unsigned>(upstream_.size())));
  sc_core::sc_get_curr_simcontext()->hierarchy_pop();
  return {&upstream_.back()->in, &upstream_.back()->snoop};
}

void Cache::end_of_elaboration() {
  std::uint64_t sector = array_.line_size();
  bool children = false;
  for (const auto& port : upstream_) {
    if (!port->coherent()) continue;
    children = true;
    if (const Cache* child = behind(*port)) sector = std::min(sector, child->line_size());
  }
  if (children) directory_.resize(array_.slots(), static_cast<unsigned>(upstream_.size()), array_.line_size(), sector);
  auto* port = mem_.size() > 0 ? dynamic_cast<UpstreamPort*>(mem_.get_interface(0)) : nullptr;
  if (port != nullptr) below_ = &port->owner();
}

const Cache* Cache::behind(const UpstreamPort& port) {
  const auto* snooped = port.coherent() ? dynamic_cast<const SnoopTarget*>(port.snoop.get_interface(0)) : nullptr;
  return snooped != nullptr ? &snooped->cache : nullptr;
}

std::string Cache::check_wiring() const {
  if (watchers_.size() > ThreadLines::kMostThreads)
    return std::to_string(watchers_.size()) + " CPUs share this cache as their first level; at most " +
           std::to_string(ThreadLines::kMostThreads) + " threads can";
  std::uint64_t sector = 0;
  for (const auto& port : upstream_) {
    if (!port->coherent()) continue;
    const Cache* child = behind(*port);
    if (child == nullptr) continue;
    const std::uint64_t line = child->line_size();
    if (line > array_.line_size())
      return "line of " + std::to_string(array_.line_size()) + " B is shorter than the " + std::to_string(line) +
             " B of " + child->name() + " above it; the lower level's line must be at least as long";
    if (sector != 0 && line != sector)
      return "caches above have lines of " + std::to_string(sector) + " B and " + std::to_string(line) +
             " B; they must agree";
    sector = line;
  }
  return "";
}

void Cache::set_check(CoherenceCheck* check) {
  check_ = check;
  const bool first_level =
      std::none_of(upstream_.begin(), upstream_.end(), [](auto& port) { return port->coherent(); });
  if (check != nullptr && first_level) check->add(*this);
}

void Cache::transport(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  if (port.coherent()) return dispatch(port, tx, delay);  // the cache above has taken the path
  path_->take();
  dispatch(port, tx, delay);
  path_->leave();
}

void Cache::start_of_simulation() {
  path_ = &path();
  if (watchers_.size() > 1) thread_lines_.resize(array_.slots(), hold_ps_);
}

void Cache::dispatch(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  auto* ext = tx.get_extension<CoherenceExtension>();
  tx.set_response_status(tlm::TLM_OK_RESPONSE);
  if (ext == nullptr || ext->request == Coherence::none)
    serve_plain(tx, delay);
  else if (ext->request == Coherence::write_back || ext->request == Coherence::evict)
    serve_drop(port, tx, *ext);
  else if (port.coherent())
    serve_line(port, tx, *ext, delay);
  else
    serve_fill(tx, *ext, delay);
}

void Cache::serve_line(UpstreamPort& port, tlm::tlm_generic_payload& tx, CoherenceExtension& ext,
                       sc_core::sc_time& delay) {
  const Address pa = tx.get_address();
  const bool unique = ext.request != Coherence::read_shared;
  ++stats_.requests;
  add_lookup_time(ext, delay);
  const std::size_t slot = obtain(pa, unique, ext, delay);
  if (slot == CacheArray::kNone) return tx.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  resolve(slot, pa, static_cast<int>(port.index()), unique, ext, delay);
  grant(slot, pa, port.index(), unique, ext);
  if (tx.is_read()) copy_line(tx.get_data_ptr(), array_.byte(slot, pa), tx.get_data_length());
}

void Cache::serve_drop(UpstreamPort& port, tlm::tlm_generic_payload& tx, const CoherenceExtension& ext) {
  const Address pa = tx.get_address();
  const std::size_t slot = array_.find(pa);
  if (slot == CacheArray::kNone) return tx.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  if (ext.request == Coherence::write_back) {
    std::memcpy(array_.byte(slot, pa), tx.get_data_ptr(), tx.get_data_length());
    array_.set_state(slot, LineState::modified);
  }
  if (!directory_.empty()) directory_.remove(directory_.row(slot, pa), port.index());
}

void Cache::serve_fill(tlm::tlm_generic_payload& tx, CoherenceExtension& ext, sc_core::sc_time& delay) {
  if (tx.is_read()) return tx.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);  // a copy that nobody could snoop
  const Address pa = tx.get_address();
  const bool unique = ext.request != Coherence::read_shared;
  ++stats_.requests;
  ext.level = 1;
  const std::size_t slot = obtain(pa, unique, ext, delay);
  if (slot == CacheArray::kNone) return tx.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (!directory_.empty()) resolve(slot, pa, -1, unique, ext, delay);
  if (check_ != nullptr) check_->line_settled(pa);
}

/// The last cache sees to all copies, those of the caches that the transaction came through among them.
void Cache::serve_plain(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  if (below_ != nullptr) return mem_->b_transport(tx, delay);
  const Address first = array_.align(tx.get_address());
  for (Address pa = first; pa < tx.get_address() + tx.get_data_length(); pa += array_.line_size()) {
    const std::size_t slot = array_.find(pa);
    if (slot == CacheArray::kNone) continue;
    if (tx.is_write()) {
      release(slot, delay);
    } else {
      recall_all(slot, false, delay);
      if (array_.state(slot) == LineState::modified) {
        sc_core::sc_time unpaid;
        forward(pa, Coherence::none, array_.line(slot), static_cast<unsigned>(array_.line_size()), nullptr, unpaid);
        array_.set_state(slot, LineState::exclusive);
      }
    }
  }
  mem_->b_transport(tx, delay);
  if (check_ != nullptr && tx.is_write() && tx.is_response_ok()) check_->wrote(tx);
}

void Cache::add_lookup_time(CoherenceExtension& ext, sc_core::sc_time& delay) {
  ++ext.level;
  delay += latency_;
  (ext.level <= 2 ? ext.spent.cache : ext.spent.last_level) += latency_ps_;
}

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#include "memory/interconnect.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "memory/cache.h"
#include "sim/clock.h"

namespace switchyard::memory {

Interconnect::Interconnect(const sc_core::sc_module_name& name, const Params& params)
    : Module(name),
      far_ps_(params.transfer.latency.value),
      saved_ps_(params.transfer.same_bus_saves.value),
      snoop_ps_(params.transfer.snoop.value),
      hold_ps_(params.transfer.hold.value),
      memory_ps_(params.memory.value),
      beat_ps_(params.beat.value),
      address_ps_(params.address.value),
      width_(params.width.value),
      forward_clean_(params.forward_clean),
      queues_all_(params.line_order == LineOrder::requests),
      migrates_(params.dirty_read == DirtyRead::migrates),
      per_bus_(params.caches_per_bus),
      mem_("mem") {
  mem_.bind(backward_);
  up_.set_extension(&up_ext_);
  up_.set_byte_enable_ptr(nullptr);
  down_.set_byte_enable_ptr(nullptr);
}

Interconnect::~Interconnect() { up_.clear_extension(&up_ext_); }

std::vector<PortInfo> Interconnect::ports() const {
  return {{"cpu", PortKind::target, true}, {"mem", PortKind::initiator}};
}

Module::Initiator Interconnect::initiator(const std::string&) { return {&mem_, nullptr}; }

Module::Target Interconnect::target(const std::string&) {
  sc_core::sc_get_curr_simcontext()->hierarchy_push(this);
  upstream_.push_back(std::make_unique<UpstreamPort>(*this, static_cast<unsigned>(upstream_.size())));
  sc_core::sc_get_curr_simcontext()->hierarchy_pop();
  return {&upstream_.back()->in, &upstream_.back()->snoop};
}

void Interconnect::end_of_elaboration() {
  const auto count = std::max<std::uint64_t>(upstream_.size(), 1);
  if (per_bus_ == 0) per_bus_ = count;
  buses_.resize((count + per_bus_ - 1) / per_bus_);
  all_buses_ = buses_.size() == 64 ? ~BusMask{0} : (BusMask{1} << buses_.size()) - 1;
  for (const auto& port : upstream_)
    if (port->coherent())
      if (const auto* cache = Cache::behind(*port)) line_size_ = cache->line_size();
  lines_.set_line_size(line_size_);
  near_ps_ = buses_.size() > 1 ? far_ps_ - saved_ps_ : far_ps_;
  data_ps_ = (line_size_ + width_ - 1) / width_ * beat_ps_;
}

std::string Interconnect::check_wiring() const {
  if (upstream_.size() > LineTable::kMaxChildren)
    return std::to_string(upstream_.size()) + " initiators are wired to port cpu; at most " +
           std::to_string(LineTable::kMaxChildren) + " can be";
  for (const auto& port : upstream_) {
    const auto* cache = port->coherent() ? Cache::behind(*port) : nullptr;
    if (cache != nullptr && cache->line_size() != line_size_)
      return "caches above have lines of " + std::to_string(cache->line_size()) + " B (" + cache->name() + ") and " +
             std::to_string(line_size_) + " B; they must agree";
  }
  if (near_ps_ < snoop_ps_ + address_ps_ + beat_ps_)
    return "snoop, address phase and first beat take " + std::to_string(snoop_ps_ + address_ps_ + beat_ps_) +
           " ps, longer than the " + std::to_string(near_ps_) + " ps of a transfer";
  return "";
}

std::uint64_t Interconnect::now_ps() const { return sim::to_ps(sc_core::sc_time_stamp()); }

void Interconnect::transport(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  if (port.coherent()) return dispatch(port, tx, delay);  // the cache above has taken the path
  path_.take();
  dispatch(port, tx, delay);
  path_.leave();
}

void Interconnect::dispatch(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  auto* ext = tx.get_extension<CoherenceExtension>();
  tx.set_response_status(tlm::TLM_OK_RESPONSE);
  if (ext == nullptr || ext->request == Coherence::none)
    serve_plain(port, tx, delay);
  else if (!port.coherent())
    tx.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);  // a copy that nobody could snoop
  else if (ext->request == Coherence::write_back || ext->request == Coherence::evict)
    serve_drop(port, tx, *ext, delay);
  else
    serve_line(port, tx, *ext, delay);
}

void Interconnect::serve_line(UpstreamPort& port, tlm::tlm_generic_payload& tx, CoherenceExtension& ext,
                              sc_core::sc_time& delay) {
  ++stats_.requests;
  const Address line = tx.get_address();
  const auto child = static_cast<int>(port.index());
  const bool unique = ext.request != Coherence::read_shared, moves_data = tx.is_read();
  const std::size_t row = lines_.row(line);
  const std::uint64_t asked = now_ps() + sim::to_ps(delay);
  const bool is_alone = !moves_data && is_mutated(ProtocolMutation::upgrade_alone);
  const Copies copies = is_alone ? Copies{} : take_copies({row, line, child, unique, delay});
  const bool owns = unique || copies.migrates;  // the requester may write
  const BusMask own = bus_of(child);
  const bool answers = !moves_data || copies.supplier != kNobody;  // another cache, and not memory
  std::uint64_t at = occupy(own | copies.buses, address_ps_, asked);
  at = wait_for_line(row, answers ? at + snoop_ps_ : at);
  if (moves_data) at = occupy(own | bus_of(copies.supplier), data_ps_, at + address_ps_) - address_ps_;
  if (answers) at += latency(own, copies, moves_data) - snoop_ps_;
  ext.spent.coherence += at - asked;
  delay += sim::from_ps(at - asked);
  if (moves_data)
    fetch(copies, owns, tx, ext, delay);
  else
    ++stats_.upgrades;
  if (!tx.is_response_ok()) return;
  ext.exclusive = owns || !copies.shared || is_mutated(ProtocolMutation::always_exclusive);
  ext.dirty = owns && copies.dirty;
  granted(row, port.index());
  if (queues_all_ || ext.exclusive || copies.supplier != kNobody)
    lines_.busy_until_ps(row) = now_ps() + sim::to_ps(delay) + (answers && owns ? hold_ps_ : 0);
}

/// Puts the line into `tx`.
void Interconnect::fetch(const Copies& copies, bool owns, tlm::tlm_generic_payload& tx, CoherenceExtension& ext,
                         sc_core::sc_time& delay) {
  if (copies.supplier == kNobody) {
    ++stats_.memory_reads;
    ext.spent.memory += memory_ps_;
    delay += sim::from_ps(memory_ps_);
    return mem_->b_transport(tx, delay);
  }
  ++stats_.transfers;
  if (!copies.dirty) {  // clean: memory has the same bytes
    sc_core::sc_time unpaid;
    const LatencyBreakdown spent = ext.spent;
    mem_->b_transport(tx, unpaid);
    ext.spent = spent;
    return;
  }
  std::memcpy(tx.get_data_ptr(), buffer_.data(), line_size_);
  if (!owns && !is_mutated(ProtocolMutation::no_memory_update)) write_memory(tx.get_address(), buffer_.data());
}

std::uint64_t Interconnect::wait_for_line(std::size_t row, std::uint64_t at) {
  const std::uint64_t busy_until = lines_.busy_until_ps(row);
  if (busy_until <= at) return at;
  ++stats_.line_waits;
  stats_.line_wait_time += busy_until - at;
  return busy_until;
}

/// Occupies all of `buses` for `length` from the first bus edge on, not before `at`, at which they are free together.
std::uint64_t Interconnect::occupy(BusMask buses, std::uint64_t length, std::uint64_t at) {
  const std::uint64_t wanted = at;
  if (beat_ps_ != 0) at = (at + beat_ps_ - 1) / beat_ps_ * beat_ps_;
  for (std::uint64_t before = ~at; before != at;) {
    before = at;
    for (BusMask rest = buses; rest != 0; rest &= rest - 1)
      at = buses_[static_cast<std::size_t>(std::countr_zero(rest))].free_at(at, length);
  }
  for (BusMask rest = buses; rest != 0; rest &= rest - 1) {
    buses_[static_cast<std::size_t>(std::countr_zero(rest))].occupy(at, length, now_ps());
    stats_.bus_time += length;
  }
  stats_.bus_wait_time += at - wanted;
  return at;
}

/// From its turn to the data, or to the permission, at the requester.
std::uint64_t Interconnect::latency(BusMask requester, const Copies& copies, bool moves_data) const {
  const BusMask involved = moves_data ? bus_of(copies.supplier) : copies.buses;
  const std::uint64_t distance = (involved & ~requester) != 0 ? far_ps_ : near_ps_;
  return moves_data ? distance : distance - beat_ps_;
}

void Interconnect::serve_drop(UpstreamPort& port, tlm::tlm_generic_payload& tx, const CoherenceExtension& ext,
                              const sc_core::sc_time& delay) {
  const Address line = tx.get_address();
  if (ext.request == Coherence::write_back) {
    const BusMask own = bus_of(static_cast<int>(port.index()));
    occupy(own, address_ps_ + data_ps_, now_ps() + sim::to_ps(delay));
    if (!is_mutated(ProtocolMutation::lose_write_back)) write_memory(line, tx.get_data_ptr());
  }
  dropped(lines_.row(line), port.index());
}

/// Every copy is brought up to date in memory first, and dropped before a write.
void Interconnect::serve_plain(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  const std::uint64_t asked = now_ps() + sim::to_ps(delay);
  const Address end = tx.get_address() + tx.get_data_length();
  for (Address line = tx.get_address() & ~(line_size_ - 1); line < end; line += line_size_) {
    if (is_mutated(ProtocolMutation::plain_write_unnoticed)) break;
    const Copies copies = take_copies({lines_.row(line), line, kNobody, tx.is_write(), delay});
    if (copies.dirty) write_memory(line, buffer_.data());
  }
  const BusMask own = bus_of(static_cast<int>(port.index()));
  const std::uint64_t at = occupy(own, address_ps_, asked);
  delay += sim::from_ps(at - asked + memory_ps_);
  mem_->b_transport(tx, delay);
  if (check_ != nullptr && tx.is_write() && tx.is_response_ok()) check_->wrote(tx);
}

/// Sends one snoop, whose answer is in up_ext_ and, where it is modified, in buffer_.
void Interconnect::snoop(unsigned child, const Request& request, bool drops) {
  up_.set_command(tlm::TLM_READ_COMMAND);
  up_.set_address(request.line);
  up_.set_data_ptr(buffer_.data());
  up_.set_data_length(static_cast<unsigned>(line_size_));
  up_.set_streaming_width(static_cast<unsigned>(line_size_));
  up_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  up_ext_.request = drops ? Coherence::snoop_invalid : Coherence::snoop_shared;
  up_ext_.dirty = up_ext_.present = false;
  sc_core::sc_time at = request.delay;
  upstream_[child]->snoop->b_transport(up_, at);
}

void Interconnect::ask(unsigned child, const Request& request, Copies& copies) {
  snoop(child, request, request.unique);
  copies.buses |= bus_of(static_cast<int>(child));
  if (!up_ext_.present) return;
  const bool is_dirty = up_ext_.dirty && !is_mutated(ProtocolMutation::memory_before_owner);
  if (is_dirty) {
    copies.supplier = static_cast<int>(child);
    copies.dirty = true;
    copies.migrates = migrates_ && !request.unique && request.requester != kNobody;
  } else if (forward_clean_ && copies.supplier == kNobody) {
    copies.supplier = static_cast<int>(child);
  }
  if (copies.migrates) snoop(child, request, true);
  if (request.unique || copies.migrates)
    ++stats_.invalidations;
  else
    copies.shared = true;
}

Interconnect::Copies SnoopBus::take_copies(const Request& request) {
  Copies copies;
  if (!request.unique && is_mutated(ProtocolMutation::skip_downgrade)) return copies;
  bool skips_one = request.unique && is_mutated(ProtocolMutation::skip_invalidation);
  for (unsigned child = 0; child < children(); ++child) {
    if (static_cast<int>(child) == request.requester || !is_cache(child)) continue;
    if (!std::exchange(skips_one, false)) ask(child, request, copies);
  }
  copies.buses = all_buses();
  return copies;
}

/// A line that two caches have is clean and shared: its readers need not be asked.
Interconnect::Copies DirectoryFabric::take_copies(const Request& request) {
  Copies copies;
  std::uint64_t others = lines_.sharers(request.row);
  if (request.requester != kNobody) others &= ~(std::uint64_t{1} << request.requester);
  if (!request.unique && is_mutated(ProtocolMutation::skip_downgrade)) return copies;
  if (!request.unique && std::popcount(lines_.sharers(request.row)) > 1) {
    copies.shared = true;
    return copies;
  }
  bool skips_one = request.unique && is_mutated(ProtocolMutation::skip_invalidation);
  for (std::uint64_t rest = others; rest != 0; rest &= rest - 1) {
    const auto child = static_cast<unsigned>(std::countr_zero(rest));
    if (std::exchange(skips_one, false)) continue;
    ask(child, request, copies);
    if (request.unique || copies.migrates) lines_.sharers(request.row) &= ~(std::uint64_t{1} << child);
  }
  return copies;
}

void Interconnect::write_memory(Address line, const std::uint8_t* data) {
  ++stats_.writebacks;
  down_.set_command(tlm::TLM_WRITE_COMMAND);
  down_.set_address(line);
  down_.set_data_ptr(const_cast<std::uint8_t*>(data));  // a TLM write only reads it
  down_.set_data_length(static_cast<unsigned>(line_size_));
  down_.set_streaming_width(static_cast<unsigned>(line_size_));
  down_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time unpaid;  // buffered: nobody waits for it
  mem_->b_transport(down_, unpaid);
}

unsigned Interconnect::transport_debug(tlm::tlm_generic_payload& tx) {
  const unsigned done = mem_->transport_dbg(tx);
  for (const auto& port : upstream_)
    if (port->coherent()) port->snoop->transport_dbg(tx);
  return done;
}

}  // namespace switchyard::memory

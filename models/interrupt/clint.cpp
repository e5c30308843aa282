// SPDX-License-Identifier: Apache-2.0
#include "interrupt/clint.h"

#include <algorithm>

#include "interrupt/clint_map.h"
#include "interrupt/timer_ticks.h"
#include "sim/clock.h"

namespace switchyard::interrupt {

namespace {
std::uint64_t now() { return sim::to_ps(sc_core::sc_time_stamp()); }
std::uint64_t ones(unsigned bytes) { return ~std::uint64_t{0} >> (64 - 8 * bytes); }
}  // namespace

Clint::Clint(const sc_core::sc_module_name& name, const Params& params)
    : RegisterDevice(name, {params.base, params.size.value}, params.latency.value), params_(params), next_ps_(kNever) {
  SC_HAS_PROCESS(Clint);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

std::vector<PortInfo> Clint::ports() const {
  return {{"in", PortKind::target},
          {"msip", PortKind::interrupt_out, true},
          {"mtip", PortKind::interrupt_out, true, false}};
}

void Clint::connect_interrupt(const std::string& port, InterruptLine& line) {
  (port == "msip" ? msip_lines_ : mtip_lines_).push_back(&line);
  const std::size_t harts = std::max(msip_lines_.size(), mtip_lines_.size());
  msip_.resize(harts, 0);
  mtimecmp_.resize(harts, kNever);
  deadlines_.resize(harts, kNever);
}

std::string Clint::check_wiring() const {
  const std::size_t room = (clint_map::kMtime - clint_map::kMtimecmp) / 8;
  if (msip_lines_.size() > room)
    return "at most " + std::to_string(room) + " harts fit its registers, got " + std::to_string(msip_lines_.size());
  if (mtip_lines_.size() == msip_lines_.size()) return "";
  return "msip has " + std::to_string(msip_lines_.size()) + " wires, mtip " + std::to_string(mtip_lines_.size()) +
         "; every hart needs both";
}

Clint::Place Clint::decode(const RegisterAccess& access) const {
  const base::Address offset = access.offset;
  if (offset >= clint_map::kMtime && offset < clint_map::kMtime + 8)
    return {Register::mtime, 0, static_cast<unsigned>(offset % 8) * 8};
  if (offset >= clint_map::kMtimecmp && offset < clint_map::mtimecmp(harts()))
    return {Register::mtimecmp, static_cast<unsigned>((offset - clint_map::kMtimecmp) / 8),
            static_cast<unsigned>(offset % 8) * 8};
  if (offset < clint_map::msip(harts())) return {Register::msip, static_cast<unsigned>(offset / 4), 0};
  return {};
}

std::uint64_t& Clint::storage(const Place& place) {
  return (place.reg == Register::msip ? msip_ : mtimecmp_)[place.hart];
}

tlm::tlm_response_status Clint::read(const RegisterAccess& access, std::uint64_t& value) {
  const Place place = decode(access);
  if (place.reg == Register::none) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (place.reg == Register::msip && access.bytes != 4) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!access.debug) ++stats_.reads;
  value = (value_at(place, access.at_ps) >> place.shift) & ones(access.bytes);
  return tlm::TLM_OK_RESPONSE;
}

/// Stores of initiators that are less far ahead are seen, later ones are not.
std::uint64_t Clint::value_at(const Place& place, std::uint64_t at_ps) const {
  if (place.reg == Register::mtime) return tick_count(at_ps, params_.timebase);
  std::uint64_t value = (place.reg == Register::msip ? msip_ : mtimecmp_)[place.hart];
  for (auto it = updates_.begin(); it != updates_.end() && it->first <= at_ps; ++it) {
    const Update& update = it->second;
    if (update.place.reg == place.reg && update.place.hart == place.hart) value = (value & ~update.mask) | update.value;
  }
  return value;
}

tlm::tlm_response_status Clint::write(const RegisterAccess& access, std::uint64_t value) {
  const Place place = decode(access);
  if (place.reg == Register::none) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (place.reg == Register::mtime) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (place.reg == Register::msip && access.bytes != 4) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!access.debug) ++(place.reg == Register::msip ? stats_.msip_writes : stats_.mtimecmp_writes);
  if (place.reg == Register::msip) value &= 1;
  const Update update{place, ones(access.bytes) << place.shift, value << place.shift};
  const std::uint64_t now_ps = now();
  if (access.at_ps > now_ps) {
    updates_.emplace(access.at_ps, update);
  } else {
    apply_due(now_ps);
    apply(update, now_ps);
  }
  schedule(now_ps);
  return tlm::TLM_OK_RESPONSE;
}

void Clint::apply(const Update& update, std::uint64_t now_ps) {
  std::uint64_t& word = storage(update.place);
  word = (word & ~update.mask) | update.value;
  if (update.place.reg == Register::msip)
    msip_lines_[update.place.hart]->set(word != 0);
  else
    arm(update.place.hart, now_ps);
}

/// Sets the timer line to what mtimecmp means now and notes when that changes.
void Clint::arm(unsigned hart, std::uint64_t now_ps) {
  if (hart >= mtip_lines_.size()) return;
  if (deadlines_[hart] != kNever) timers_.erase({deadlines_[hart], hart});
  const std::uint64_t deadline = time_of(mtimecmp_[hart], params_.timebase);
  deadlines_[hart] = deadline > now_ps ? deadline : kNever;
  if (deadlines_[hart] != kNever) timers_.emplace(deadline, hart);
  mtip_lines_[hart]->set(deadline <= now_ps);
}

void Clint::apply_due(std::uint64_t now_ps) {
  while (!updates_.empty() && updates_.begin()->first <= now_ps) {
    const Update update = updates_.begin()->second;
    updates_.erase(updates_.begin());
    apply(update, now_ps);
  }
  while (!timers_.empty() && timers_.begin()->first <= now_ps) {
    const unsigned hart = timers_.begin()->second;
    timers_.erase(timers_.begin());
    deadlines_[hart] = kNever;
    mtip_lines_[hart]->set(true);
  }
}

void Clint::step() {
  next_ps_ = kNever;
  apply_due(now());
  schedule(now());
}

void Clint::schedule(std::uint64_t now_ps) {
  const std::uint64_t update = updates_.empty() ? kNever : updates_.begin()->first;
  const std::uint64_t next = timers_.empty() ? update : std::min(update, timers_.begin()->first);
  if (next == next_ps_) return;
  next_ps_ = next;
  wake_.cancel();
  if (next != kNever) wake_.notify(sim::from_ps(next - now_ps));
}

}  // namespace switchyard::interrupt

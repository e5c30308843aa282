// SPDX-License-Identifier: Apache-2.0
// What Cpu does where other CPUs are on its first-level cache.
#include "base/errors.h"
#include "cpu/cpu.h"

namespace switchyard::cpu {

using memory::CacheArray;
using memory::LineState;

std::string Cpu::check_wiring() const {
  if (cache_ == nullptr || cache_->watchers().size() < 2) return "";
  if (threads_wanted_ != 0 && threads_wanted_ != cache_->watchers().size())
    return std::to_string(cache_->watchers().size()) + " CPUs share " + cache_->name() +
           ", smt.throughput is given for " + std::to_string(threads_wanted_) + "; it needs one value for each";
  for (const memory::LineWatcher* watcher : cache_->watchers()) {
    const auto* other = dynamic_cast<const Cpu*>(watcher);
    if (other != nullptr && (other->clock_.hz() != clock_.hz() || other->threads_wanted_ != threads_wanted_))
      return std::string("shares ") + cache_->name() + " with " + other->name() +
             "; threads of a core have one clock and one smt.throughput";
  }
  return "";
}

/// All CPUs are known now.
void Cpu::join_core() {
  thread_lines_ = cache_->thread_lines();
  if (thread_lines_ == nullptr) {
    own_l1_ = l1_;
    return;
  }
  std::vector<SmtThread*> core;
  for (memory::LineWatcher* watcher : cache_->watchers())
    if (auto* other = dynamic_cast<Cpu*>(watcher)) core.push_back(&other->smt_);
  smt_.join(core);
}

/// A hit in a line that this thread may use at its own time; nullptr for everything else.
std::uint8_t* Cpu::reach_shared(Address va, Access access, LineState need) {
  if (cycle_ >= limit_ || !physical_quickly(va, access)) return nullptr;
  const bool writes = need == LineState::exclusive;
  const std::size_t slot = l1_->hit(pa_, need);
  if (slot == CacheArray::kNone || !thread_lines_->may(slot, thread_, writes)) return nullptr;
  charge(Cause::l1_hit, l1_cycles_);
  if (writes) l1_->set_state(slot, LineState::modified);
  return l1_->byte(slot, pa_);
}

/// The slot of pa_ with the rights of `need`, for this thread from now on; kNone when a target below waited and another
/// CPU took the line meanwhile. This CPU is settled.
std::size_t Cpu::line_of_thread(LineState need) {
  const bool writes = need == LineState::exclusive;
  std::size_t slot = l1_->settled_hit(pa_, need);
  if (slot == CacheArray::kNone) {
    const bool is_new = l1_->find(pa_) == CacheArray::kNone;
    fill(pa_, need, false);
    slot = l1_->settled_hit(pa_, need);
    if (slot == CacheArray::kNone) return slot;
    if (is_new) thread_lines_->brought(slot, thread_);
  }
  const std::uint64_t now = sim::to_ps(sc_now_), mine = clock_.ps_at(cycle_);
  sc_core::sc_time delay = mine > now ? sim::from_ps(mine - now) : sc_core::SC_ZERO_TIME;
  cache_->take_line(slot, thread_, writes, delay);
  const std::uint64_t has_it = clock_.cycle_at(now + sim::to_ps(delay));
  if (has_it > cycle_) charge(Cause::coherence, has_it - cycle_);
  charge(Cause::l1_hit, l1_cycles_);
  if (writes) l1_->set_state(slot, LineState::modified);
  return slot;
}

}  // namespace switchyard::cpu

// SPDX-License-Identifier: Apache-2.0
// How Cache gets lines from below, takes them from above, and answers snoops.
#include <cstring>

#include "memory/cache.h"

namespace switchyard::memory {

/// The slot of the line of `pa`, brought here with the rights to hand out a unique copy if `unique`; kNone when the
/// level below refuses the address.
std::size_t Cache::obtain(Address pa, bool unique, CoherenceExtension& ext, sc_core::sc_time& delay) {
  const Address line = array_.align(pa);
  std::size_t slot = array_.settled_hit(pa, LineState::shared);
  if (slot == CacheArray::kNone) {
    ++stats_.misses;
    slot = array_.victim(pa);
    if (array_.state(slot) != LineState::invalid) release(slot, delay);
    if (!forward(line, unique ? Coherence::read_unique : Coherence::read_shared, array_.line(slot),
                 static_cast<unsigned>(array_.line_size()), &ext, delay))
      return CacheArray::kNone;
    const bool only = unique || below_ == nullptr || down_ext_.exclusive;
    array_.install(slot, pa, down_ext_.dirty ? LineState::modified : only ? LineState::exclusive : LineState::shared);
    if (!directory_.empty()) {
      directory_.clear(slot);  // the time of the old line's last transfer is not the new one's
      directory_.busy_until_ps(directory_.row(slot, pa)) = sim::to_ps(sc_now_) + sim::to_ps(delay);
    }
    if (down_ext_.spent.coherence != 0) array_.set_contended(slot);
  } else if (unique && array_.state(slot) == LineState::shared) {
    ++stats_.upgrades;
    forward(line, Coherence::upgrade, nullptr, static_cast<unsigned>(array_.line_size()), &ext, delay);
    array_.set_state(slot, LineState::exclusive);
    if (down_ext_.spent.coherence != 0) array_.set_contended(slot);
  }
  return slot;
}

/// Takes the sector of `pa` away from the caches above as far as the request needs it: from a possible writer always,
/// from readers when `unique`. Requests for a sector in transfer queue behind it.
void Cache::resolve(std::size_t slot, Address pa, int requester, bool unique, CoherenceExtension& ext,
                    sc_core::sc_time& delay) {
  const std::size_t row = directory_.row(slot, pa);
  std::uint64_t& busy_until = directory_.busy_until_ps(row);
  if (busy_until != 0) {
    const std::uint64_t at = sim::to_ps(sc_now_) + sim::to_ps(delay);
    if (busy_until > at) {
      ++stats_.waits;
      ext.spent.coherence += busy_until - at;
      delay += sim::from_ps(busy_until - at);
    }
  }
  const Address sector = pa & ~(sector_size() - 1);
  bool moved = false;
  if (is_mutated(ProtocolMutation::skip_recall)) return;
  if (unique) {
    directory_.for_each(row, requester, [&](unsigned child) {
      recall(slot, sector, child, true, delay);
      moved = true;
    });
  } else if (directory_.owner(row) != Directory::kNoOwner && directory_.owner(row) != requester) {
    recall(slot, sector, static_cast<unsigned>(directory_.owner(row)), false, delay);
    moved = true;
  }
  if (!moved) return;
  ext.spent.coherence += transfer_ps_;
  delay += transfer_;
  busy_until = sim::to_ps(sc_now_) + sim::to_ps(delay) + (unique ? hold_ps_ : 0);
}

void Cache::grant(std::size_t slot, Address pa, unsigned child, bool unique, CoherenceExtension& ext) {
  const std::size_t row = directory_.row(slot, pa);
  if (!is_mutated(ProtocolMutation::forget_sharer)) directory_.add(row, child);
  const bool may_be_only = array_.state(slot) != LineState::shared || is_mutated(ProtocolMutation::share_as_exclusive);
  ext.exclusive = unique || (may_be_only && directory_.only(row, child));
  if (ext.exclusive) directory_.set_owner(row, static_cast<int>(child));
}

void Cache::recall(std::size_t slot, Address sector_pa, unsigned child, bool invalidate,
                   const sc_core::sc_time& delay) {
  up_.set_command(tlm::TLM_READ_COMMAND);
  up_.set_address(sector_pa);
  up_.set_data_ptr(array_.byte(slot, sector_pa));
  up_.set_data_length(static_cast<unsigned>(sector_size()));
  up_.set_streaming_width(static_cast<unsigned>(sector_size()));
  up_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  up_ext_.request = invalidate ? Coherence::snoop_invalid : Coherence::snoop_shared;
  up_ext_.dirty = false;
  sc_core::sc_time at = delay;
  upstream_[child]->snoop->b_transport(up_, at);
  if (up_ext_.dirty) {
    ++stats_.transfers;
    array_.set_state(slot, LineState::modified);
  }
  const std::size_t row = directory_.row(slot, sector_pa);
  if (invalidate) {
    ++stats_.invalidations;
    directory_.remove(row, child);
  } else {
    directory_.set_owner(row, Directory::kNoOwner);
  }
}

void Cache::recall_all(std::size_t slot, bool invalidate, const sc_core::sc_time& delay) {
  if (directory_.empty()) return;
  const Address line = array_.address(slot);
  for (std::uint64_t offset = 0; offset < array_.line_size(); offset += sector_size())
    directory_.for_each(directory_.row(slot, line + offset), -1,
                        [&](unsigned child) { recall(slot, line + offset, child, invalidate, delay); });
}

/// Gives up a valid line: copies above are dropped, a modified line goes below.
void Cache::release(std::size_t slot, const sc_core::sc_time& delay) {
  ++stats_.evictions;
  if (!is_mutated(ProtocolMutation::skip_back_invalidate)) recall_all(slot, true, delay);
  sc_core::sc_time unpaid;  // buffered: the requester does not wait for it
  const auto length = static_cast<unsigned>(array_.line_size());
  if (array_.state(slot) == LineState::modified) {
    ++stats_.writebacks;
    if (!is_mutated(ProtocolMutation::lose_victim))
      forward(array_.address(slot), Coherence::write_back, array_.line(slot), length, nullptr, unpaid);
  } else if (below_ != nullptr) {
    forward(array_.address(slot), Coherence::evict, nullptr, length, nullptr, unpaid);
  }
  drop(slot, delay);
}

void Cache::drop(std::size_t slot, const sc_core::sc_time& delay) {
  if (array_.watched(slot)) tell_watchers(slot, ThreadLines::kMostThreads, delay);
  array_.set_state(slot, LineState::invalid);
}

/// Tells all watchers of the line at `slot`, except thread `but`, and forgets them.
void Cache::tell_watchers(std::size_t slot, unsigned but, const sc_core::sc_time& delay) {
  const unsigned own = 1u << but;
  const unsigned watching = watchers_.size() > 1 ? thread_lines_.watchers(slot) : 1;
  array_.set_watched(slot, (watching & own) != 0);
  if (watchers_.size() > 1) thread_lines_.set_watchers(slot, watching & own);
  for (unsigned thread = 0; thread < watchers_.size(); ++thread)
    if ((watching & ~own & 1u << thread) != 0) watchers_[thread]->line_lost(delay);
}

void Cache::take_line(std::size_t slot, unsigned thread, bool write, sc_core::sc_time& delay) {
  const std::uint64_t now = sim::to_ps(sc_now_);
  if (!thread_lines_.may(slot, thread, write)) array_.set_contended(slot);
  const std::uint64_t at = thread_lines_.take(slot, thread, write, now + sim::to_ps(delay));
  delay = sim::from_ps(at - now);
  if (write && array_.watched(slot)) tell_watchers(slot, thread, delay);
}

/// One request to the level below, for whole lines of this cache. False when it was refused.
bool Cache::forward(Address pa, Coherence request, std::uint8_t* data, unsigned length, CoherenceExtension* from,
                    sc_core::sc_time& delay) {
  const bool write = request == Coherence::write_back || request == Coherence::none;
  down_.set_command(data == nullptr ? tlm::TLM_IGNORE_COMMAND : write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  down_.set_address(pa);
  down_.set_data_ptr(data);
  down_.set_data_length(length);
  down_.set_streaming_width(length);
  down_.set_dmi_allowed(false);
  down_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  down_ext_.request = request;
  down_ext_.level = from == nullptr ? 1 : from->level;
  down_ext_.exclusive = false;
  down_ext_.dirty = request == Coherence::write_back;
  down_ext_.spent = {};
  mem_->b_transport(down_, delay);
  if (from != nullptr) from->spent += down_ext_.spent;
  return down_.is_response_ok();
}

void Cache::snoop(tlm::tlm_generic_payload& tx, const sc_core::sc_time& delay) {
  auto* ext = tx.get_extension<CoherenceExtension>();
  tx.set_response_status(tlm::TLM_OK_RESPONSE);
  const std::size_t slot = array_.find(tx.get_address());
  ext->present = slot != CacheArray::kNone;
  if (slot == CacheArray::kNone) return;
  const bool invalidate = ext->request == Coherence::snoop_invalid;
  if (!is_mutated(ProtocolMutation::snoop_stops_here)) recall_all(slot, invalidate, delay);
  ext->dirty = array_.state(slot) == LineState::modified;
  if (ext->dirty) copy_line(tx.get_data_ptr(), array_.byte(slot, tx.get_address()), tx.get_data_length());
  if (invalidate)
    drop(slot, delay);
  else
    array_.set_state(slot, LineState::shared);
}

unsigned Cache::transport_debug(tlm::tlm_generic_payload& tx) {
  const unsigned done = mem_->transport_dbg(tx);
  debug_copies(tx);
  return done;
}

void Cache::debug_copies(tlm::tlm_generic_payload& tx) {
  const Address begin = tx.get_address();
  const Address end = begin + tx.get_data_length();
  for (Address at = begin; at < end;) {
    const Address next = std::min<Address>(array_.align(at) + array_.line_size(), end);
    const std::size_t slot = array_.find(at);
    if (slot != CacheArray::kNone) {
      std::uint8_t* data = tx.get_data_ptr() + (at - begin);
      if (tx.is_write())
        std::memcpy(array_.byte(slot, at), data, next - at);
      else if (array_.state(slot) == LineState::modified)
        std::memcpy(data, array_.byte(slot, at), next - at);
    }
    at = next;
  }
  for (const auto& port : upstream_)
    if (port->coherent()) port->snoop->transport_dbg(tx);
}

}  // namespace switchyard::memory

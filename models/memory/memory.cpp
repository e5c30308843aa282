// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.h"

#include <algorithm>
#include <cstring>

#include "sim/clock.h"

namespace switchyard::memory {

Memory::Memory(const sc_core::sc_module_name& name, const Params& params)
    : Module(name),
      params_(params),
      latency_(sim::from_ps(params.latency.value)),
      chunks_((params.size.value >> kChunkShift) + 1),
      in_("in") {
  in_.bind(*this);
}

std::uint8_t* Memory::chunk(std::uint64_t offset, bool make) {
  auto& slot = chunks_[offset >> kChunkShift];
  if (!slot && make) slot = std::make_unique<std::uint8_t[]>(std::size_t{1} << kChunkShift);
  return slot.get();
}

bool Memory::access(tlm::tlm_generic_payload& tx) {
  if (tx.get_command() == tlm::TLM_IGNORE_COMMAND) return true;
  const std::uint64_t length = tx.get_data_length();
  const std::uint64_t first = tx.get_address() - params_.base;
  if (tx.get_address() < params_.base || first >= params_.size.value || length > params_.size.value - first)
    return false;
  const std::uint8_t* enable = tx.get_byte_enable_ptr();
  constexpr std::uint64_t kChunk = std::uint64_t{1} << kChunkShift;
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t offset = first + done;
    const std::uint64_t part = enable != nullptr ? 1 : std::min(length - done, kChunk - offset % kChunk);
    const bool skip = enable != nullptr && enable[done % tx.get_byte_enable_length()] != TLM_BYTE_ENABLED;
    std::uint8_t* data = tx.get_data_ptr() + done;
    if (std::uint8_t* bytes = skip ? nullptr : chunk(offset, tx.is_write())) {
      if (tx.is_write())
        std::memcpy(bytes + offset % kChunk, data, part);
      else
        std::memcpy(data, bytes + offset % kChunk, part);
    } else if (!skip) {
      std::memset(data, 0, part);
    }
    done += part;
  }
  return true;
}

void Memory::b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) {
  if (!access(tx)) return tx.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  tx.set_response_status(tlm::TLM_OK_RESPONSE);
  if (tx.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  ++(tx.is_write() ? stats_.writes : stats_.reads);
  delay += latency_;
  if (auto* ext = tx.get_extension<CoherenceExtension>()) ext->spent.memory += sim::to_ps(latency_);
}

tlm::tlm_sync_enum Memory::nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(tx, delay);
  phase = tlm::BEGIN_RESP;
  return tlm::TLM_COMPLETED;
}

unsigned Memory::transport_dbg(tlm::tlm_generic_payload& tx) { return access(tx) ? tx.get_data_length() : 0; }

}  // namespace switchyard::memory

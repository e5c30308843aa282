// SPDX-License-Identifier: Apache-2.0
#include "memory/coherence_check.h"

#include <sstream>

#include "base/errors.h"
#include "memory/cache.h"

namespace switchyard::memory {

CoherenceCheck::Page& CoherenceCheck::page(base::Address pa) {
  auto& slot = pages_[pa >> 12];
  if (!slot) slot = std::make_unique<Page>();
  return *slot;
}

void CoherenceCheck::wrote(base::Address pa, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    Page& at = page(pa + i);
    at.value[(pa + i) & 4095] = static_cast<std::uint8_t>(value >> (8 * i));
    at.known[(pa + i) & 4095] = true;
  }
}

void CoherenceCheck::wrote(const tlm::tlm_generic_payload& tx) {
  const std::uint8_t* enable = tx.get_byte_enable_ptr();
  for (unsigned i = 0; i < tx.get_data_length(); ++i)
    if (enable == nullptr || enable[i % tx.get_byte_enable_length()] == TLM_BYTE_ENABLED)
      wrote(tx.get_address() + i, tx.get_data_ptr()[i], 1);
}

void CoherenceCheck::read(unsigned who, base::Address pa, std::uint64_t value, unsigned bytes) {
  ++checked_;
  for (unsigned i = 0; i < bytes; ++i) {
    Page& at = page(pa + i);
    const auto got = static_cast<std::uint8_t>(value >> (8 * i));
    if (!at.known[(pa + i) & 4095]) {
      at.value[(pa + i) & 4095] = got;
      at.known[(pa + i) & 4095] = true;
    }
    if (const auto expected = at.value[(pa + i) & 4095]; got != expected) {
      std::ostringstream text;
      text << "coherence: CPU " << who << " read byte 0x" << std::hex << unsigned{got} << " at 0x" << pa + i
           << ", the last write there was 0x" << unsigned{expected};
      throw base::CheckError(text.str());
    }
  }
}

void CoherenceCheck::line_settled(base::Address pa) {
  const Cache* writer = nullptr;
  const Cache* holder = nullptr;
  for (Cache* cache : caches_) {
    const std::size_t slot = cache->array().find(pa);
    if (slot == CacheArray::kNone) continue;
    const bool writes = cache->array().state(slot) >= LineState::exclusive;
    if (holder != nullptr && (writes || writer != nullptr)) {
      std::ostringstream text;
      text << "coherence: line of 0x" << std::hex << pa << " is writable in "
           << (writer != nullptr ? writer : cache)->name() << " while " << (writer != nullptr ? cache : holder)->name()
           << " has a copy";
      throw base::CheckError(text.str());
    }
    holder = cache;
    if (writes) writer = cache;
  }
}

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
// Transactions of Cpu.
#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "cpu/bytes.h"
#include "cpu/cpu.h"

namespace switchyard::cpu {

/// Sends `tx` and goes on at the time of its end. What this CPU is ahead of SystemC time is annotated.
void Cpu::transport(tlm::tlm_generic_payload& tx) {
  const std::uint64_t now = sim::to_ps(sc_now_);
  const std::uint64_t mine = clock_.ps_at(cycle_);
  sc_core::sc_time delay = mine > now ? sim::from_ps(mine - now) : sc_core::SC_ZERO_TIME;
  data_->b_transport(tx, delay);
  const std::uint64_t end = sim::to_ps(sc_now_) + sim::to_ps(delay);
  cycle_ = std::max(cycle_, clock_.cycle_at(end));
}

void Cpu::throw_bus_error(Address pa, const char* what) const {
  std::ostringstream text;
  text << "CPU " << id_ << ": bus error on a " << what << " of physical address 0x" << std::hex << pa;
  throw base::CheckError(text.str());
}

/// One plain transaction: a device register, or memory where there is no first-level cache.
std::uint64_t Cpu::transact(Address pa, std::uint64_t value, unsigned bytes, bool write, Cause cause) {
  std::uint8_t data[8];
  write_bytes(data, value, 8);
  plain_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  plain_.set_address(pa);
  plain_.set_data_ptr(data);
  plain_.set_data_length(bytes);
  plain_.set_streaming_width(bytes);
  plain_.set_byte_enable_ptr(nullptr);
  plain_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const std::uint64_t before = cycle_;
  transport(plain_);
  if (!plain_.is_response_ok()) throw_bus_error(pa, write ? "write" : "read");
  context_->node->cycles[static_cast<std::size_t>(cause)] += cycle_ - before;
  return truncated(read_bytes(data, 8), bytes);
}

std::uint64_t Cpu::mmio_read(Address pa, unsigned bytes) {
  settle();
  return transact(pa, 0, bytes, false, Cause::device);
}

void Cpu::mmio_write(Address pa, std::uint64_t value, unsigned bytes) {
  settle();
  transact(pa, value, bytes, true, Cause::device);
}

std::uint64_t Cpu::SocketDebug::peek(Address pa, unsigned bytes) {
  std::uint8_t data[8] = {};
  transport(pa, data, bytes, tlm::TLM_READ_COMMAND);
  return read_bytes(data, bytes);
}

void Cpu::SocketDebug::poke(Address pa, std::uint64_t value, unsigned bytes) {
  std::uint8_t data[8];
  write_bytes(data, value, 8);
  transport(pa, data, bytes, tlm::TLM_WRITE_COMMAND);
}

void Cpu::SocketDebug::transport(Address pa, std::uint8_t* data, unsigned bytes, tlm::tlm_command command) {
  tlm::tlm_generic_payload tx;
  tx.set_command(command);
  tx.set_address(pa);
  tx.set_data_ptr(data);
  tx.set_data_length(bytes);
  tx.set_streaming_width(bytes);
  tx.set_byte_enable_ptr(nullptr);
  if (socket->transport_dbg(tx) != bytes) {
    std::ostringstream text;
    text << "no memory at physical address 0x" << std::hex << pa;
    throw base::CheckError(text.str());
  }
}

}  // namespace switchyard::cpu

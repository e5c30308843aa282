// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <ostream>
#include <vector>

#include "sim/clock.h"
#include "support/sim_test.h"
#include "switchyard/module.h"

namespace switchyard::test {

struct LevelChange {
  std::uint64_t ps = 0;
  bool level = false;
  bool operator==(const LevelChange&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const LevelChange& change) {
  return out << change.ps << " ps: " << change.level;
}
using Changes = std::vector<LevelChange>;

/// An interrupt input that notes when its level was set to something new.
struct RecordingLine : InterruptLine {
  Changes changes;
  bool level = false;
  void set(bool to) override {
    if (to == level) return;
    level = to;
    changes.push_back({sim::to_ps(sc_core::sc_time_stamp()), to});
  }
};

/// Sends single transactions to a device, from outside of any process.
struct Driver : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  InitiatorSocket out{"out"};

  explicit Driver(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { out.bind(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  static void fill(tlm::tlm_generic_payload& tx, tlm::tlm_command command, std::uint64_t address, void* data,
                   unsigned bytes) {
    tx.set_command(command);
    tx.set_address(address);
    tx.set_data_ptr(static_cast<unsigned char*>(data));
    tx.set_data_length(bytes);
    tx.set_streaming_width(bytes);
    tx.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, std::uint64_t& value,
                                     unsigned bytes, std::uint64_t ahead_ps = 0) {
    tlm::tlm_generic_payload tx;
    fill(tx, command, address, &value, bytes);
    delay = sim::from_ps(ahead_ps);
    out->b_transport(tx, delay);
    return tx.get_response_status();
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint64_t value, unsigned bytes,
                                 std::uint64_t ahead_ps = 0) {
    return transport(tlm::TLM_WRITE_COMMAND, address, value, bytes, ahead_ps);
  }
  std::uint64_t read(std::uint64_t address, unsigned bytes, std::uint64_t ahead_ps = 0) {
    std::uint64_t value = 0;
    BOOST_TEST(transport(tlm::TLM_READ_COMMAND, address, value, bytes, ahead_ps) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  sc_core::sc_time delay;  ///< after the last transport
};

}  // namespace switchyard::test

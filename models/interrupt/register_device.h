// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "base/quantity.h"
#include "switchyard/module.h"

namespace switchyard::interrupt {

/// A TLM target made of 4 and 8 byte registers, one access at a time: port `in`, loosely timed, no DMI. An access takes
/// effect at the caller's annotated time; the latency is added to the caller's delay after that.
class RegisterDevice : public Module, protected tlm::tlm_fw_transport_if<> {
 public:
  Target target(const std::string&) override { return {&in_, nullptr}; }
  AddressRange address_range() const override { return range_; }

 protected:
  struct RegisterAccess {
    base::Address offset = 0;  ///< a multiple of `bytes`
    unsigned bytes = 4;        ///< 4 or 8
    std::uint64_t at_ps = 0;   ///< when it happens, not before the present
    bool debug = false;        ///< not to be counted
  };

  RegisterDevice(const sc_core::sc_module_name& name, AddressRange range, std::uint64_t latency_ps);

  virtual tlm::tlm_response_status read(const RegisterAccess& access, std::uint64_t& value) = 0;
  virtual tlm::tlm_response_status write(const RegisterAccess& access, std::uint64_t value) = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override;
  tlm::tlm_response_status perform(tlm::tlm_generic_payload& tx, std::uint64_t at_ps, bool debug);

  const AddressRange range_;
  const sc_core::sc_time latency_;
  TargetSocket in_;
};

}  // namespace switchyard::interrupt

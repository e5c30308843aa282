// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/stats.h"
#include "interrupt/ipi_fabric.h"
#include "interrupt/register_device.h"

namespace switchyard::interrupt {

/// Registers that each interrupt one CPU when they are written, without firmware. A write makes a rising edge on the
/// line, which stays high: the CPU holds it as its pending bit, which its supervisor clears. Derived classes say where
/// the registers are. The n-th wire of the interrupt port belongs to CPU n.
class SupervisorIpi : public RegisterDevice, public IpiFabric {
 public:
  std::vector<PortInfo> ports() const override;
  void connect_interrupt(const std::string& port, InterruptLine& line) override;
  const base::StatGroup& stats() const override { return stats_; }

  Mode mode() const override { return Mode::supervisor; }
  unsigned harts() const override { return static_cast<unsigned>(lines_.size()); }

 protected:
  static constexpr unsigned kNobody = ~0u;

  struct Times {
    std::uint64_t access_ps;    ///< at the initiator
    std::uint64_t delivery_ps;  ///< from the write to the edge
  };
  /// `port` names the interrupt output.
  SupervisorIpi(const sc_core::sc_module_name& name, AddressRange range, Times times, std::string port);

  /// The CPU whose register lies at `offset`; kNobody, or a number beyond the last CPU, where there is none.
  virtual unsigned cpu_at(base::Address offset) const = 0;
  /// Whether writing `value` interrupts.
  virtual bool interrupts(std::uint64_t value) const { return (value & 1) != 0; }

 private:
  struct Stats : base::StatGroup {
    base::Counter ipis{*this, "ipis", "count", "Supervisor software interrupts raised"};
  };

  tlm::tlm_response_status read(const RegisterAccess& access, std::uint64_t& value) override;
  tlm::tlm_response_status write(const RegisterAccess& access, std::uint64_t value) override;
  tlm::tlm_response_status check(const RegisterAccess& access) const;
  void raise(unsigned cpu);
  void step();

  const std::uint64_t delivery_ps_;
  const std::string port_;
  Stats stats_;
  std::vector<InterruptLine*> lines_;
  std::multimap<std::uint64_t, unsigned> later_;  // CPU, by time: interrupts on their way
  sc_core::sc_event wake_;
};

}  // namespace switchyard::interrupt

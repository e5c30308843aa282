// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/params.h"
#include "base/stats.h"
#include "interrupt/ipi_fabric.h"
#include "interrupt/register_device.h"

namespace switchyard::interrupt {

/// Parameters of Sswi.
struct SswiParams : base::ParamSet {
  base::Address base = 0x2f00000;
  base::Bytes size = {0x4000};
  base::Latency latency = base::nanoseconds(50);

  void visit(base::ParamVisitor& v) override {
    v.address({"base", "First bus address"}, base);
    v.value({"size", "Size of the register range"}, size, {4, 1 << 24});
    v.value({"latency", "Time of one access; must be a time"}, latency);
  }
  std::string check() const override {
    if (latency.unit == base::Latency::Unit::cycles) return "latency must be a time such as `50 ns`, not cycles";
    if (base % 4 != 0) return "base must be a multiple of 4, got " + std::to_string(base);
    if (base + size.value < base) return "base + size goes beyond the 64-bit address space";
    return "";
  }
};

/// Supervisor software interrupts without firmware (RISC-V ACLINT, SSWI device): SETSSIP of hart h is 4 bytes at 4 * h,
/// reads as zero; storing 1 makes a rising edge on the line, which stays high. The hart holds it as its pending bit,
/// which its supervisor clears. The n-th wire of `ssip` belongs to hart n.
class Sswi : public RegisterDevice, public IpiFabric {
 public:
  using Params = SswiParams;
  Sswi(const sc_core::sc_module_name& name, const Params& params);

  std::vector<PortInfo> ports() const override;
  void connect_interrupt(const std::string& port, InterruptLine& line) override;
  std::string check_wiring() const override;
  const base::StatGroup& stats() const override { return stats_; }

  Mode mode() const override { return Mode::supervisor; }
  base::Address base() const override { return params_.base; }
  unsigned harts() const override { return static_cast<unsigned>(lines_.size()); }

 private:
  struct Stats : base::StatGroup {
    base::Counter ipis{*this, "ipis", "count", "Supervisor software interrupts raised"};
  };

  tlm::tlm_response_status read(const RegisterAccess& access, std::uint64_t& value) override;
  tlm::tlm_response_status write(const RegisterAccess& access, std::uint64_t value) override;
  tlm::tlm_response_status check(const RegisterAccess& access) const;
  void raise(unsigned hart);
  void step();

  const Params params_;
  Stats stats_;
  std::vector<InterruptLine*> lines_;
  std::multimap<std::uint64_t, unsigned> later_;  // hart, by time: stores of initiators that run ahead
  sc_core::sc_event wake_;
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/params.h"
#include "interrupt/supervisor_ipi.h"

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
/// reads as zero; storing 1 interrupts the hart. The n-th wire of `ssip` belongs to hart n.
class Sswi : public SupervisorIpi {
 public:
  using Params = SswiParams;
  Sswi(const sc_core::sc_module_name& name, const Params& params)
      : SupervisorIpi(name, {params.base, params.size.value}, {params.latency.value, 0}, "ssip"), params_(params) {}

  std::string check_wiring() const override;
  base::Address base() const override { return params_.base; }

 private:
  unsigned cpu_at(base::Address offset) const override { return static_cast<unsigned>(offset / 4); }

  const Params params_;
};

}  // namespace switchyard::interrupt

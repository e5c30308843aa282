// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/local_interrupts.h"

namespace switchyard::interrupt {

/// Parameters of GicSgi.
struct GicSgiParams : LocalInterruptParams {
  GicSgiParams() : LocalInterruptParams(0x8100000, base::nanoseconds(50), base::nanoseconds(500)) {}
};

/// Software generated interrupts of an Arm GICv3, and the generic timer of each CPU. Each CPU has a redistributor of
/// two 64 KiB frames; a write to GICR_ISPENDR0 in its SGI frame with one of the bits 0 to 15 set interrupts it.
/// Source of the layout: Arm IHI 0069, redistributor register map.
class GicSgi : public LocalInterrupts {
 public:
  using Params = GicSgiParams;
  GicSgi(const sc_core::sc_module_name& name, const Params& params)
      : LocalInterrupts(name, params, kMostCpus, kStride) {}

  base::Address register_of(unsigned cpu) const override { return base() + cpu * kStride + kIspendr0; }

 private:
  static constexpr unsigned kMostCpus = 512;
  static constexpr base::Address kStride = 0x20000, kIspendr0 = 0x10000 + 0x200;

  unsigned cpu_at(base::Address offset) const override {
    return offset % kStride == kIspendr0 ? static_cast<unsigned>(offset / kStride) : kNobody;
  }
  bool interrupts(std::uint64_t value) const override { return (value & 0xffff) != 0; }
};

}  // namespace switchyard::interrupt

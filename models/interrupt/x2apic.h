// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/local_interrupts.h"

namespace switchyard::interrupt {

/// Parameters of X2Apic.
struct X2ApicParams : LocalInterruptParams {
  X2ApicParams() : LocalInterruptParams(0xfee00000, base::nanoseconds(50), base::nanoseconds(500)) {}
};

/// Local APICs of x86 CPUs: a write to `base | cpu << 12` is a message that interrupts the CPU, whatever its vector.
/// That is how devices send them (MSI); the CPU's own interrupt command register is modelled by the same write.
/// Source of the address format: Intel SDM volume 3, "Message Signalled Interrupts".
class X2Apic : public LocalInterrupts {
 public:
  using Params = X2ApicParams;
  X2Apic(const sc_core::sc_module_name& name, const Params& params)
      : LocalInterrupts(name, params, 1u << kCpuBits, std::uint64_t{1} << kShift) {}

  base::Address register_of(unsigned cpu) const override { return base() | base::Address{cpu} << kShift; }

 private:
  static constexpr unsigned kShift = 12, kCpuBits = 8;

  unsigned cpu_at(base::Address offset) const override {
    return (offset & ((1u << kShift) - 1)) == 0 ? static_cast<unsigned>(offset >> kShift) : kNobody;
  }
  bool interrupts(std::uint64_t) const override { return true; }
};

}  // namespace switchyard::interrupt

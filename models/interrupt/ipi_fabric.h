// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace switchyard::interrupt {

/// A device through which harts interrupt each other, as software finds it in the devicetree: where its registers are
/// and whom they interrupt. Storing 1, 4 bytes, in the register of a hart raises its interrupt.
class IpiFabric {
 public:
  enum class Mode : std::uint8_t { machine, supervisor };

  virtual ~IpiFabric() = default;
  /// The mode that the interrupts enter: machine ones belong to firmware, supervisor ones to the kernel.
  virtual Mode mode() const = 0;
  virtual base::Address base() const = 0;
  /// The number of harts it reaches; known after the wiring.
  virtual unsigned harts() const = 0;
  /// Frequency of its timer; zero without one.
  virtual base::Frequency timebase() const { return {0}; }

  virtual base::Address register_of(unsigned hart) const { return base() + base::Address{4} * hart; }
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::Access;
using cpu::TlbFlush;

inline constexpr Address kVa = 0x10000, kPa = 0x5000;

struct FaultTest : CpuTest {
  Faults faults;
  Address root = 0;

  void build_mapped(unsigned cpu_count) {
    build(cpu_count);
    root = new_root();
    map(root, kVa, kPa);
    for (const auto& each : cpus) each->write_translation_base(root, 1);
  }
};

}  // namespace switchyard::test

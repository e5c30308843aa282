// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/quantity.h"

namespace switchyard::interrupt {

/// Registers of the SiFive CLINT, as offsets from its base (FU740-C000 manual, chapter CLINT).
namespace clint_map {
inline constexpr base::Address kMtimecmp = 0x4000;
inline constexpr base::Address kMtime = 0xbff8;

/// 4 bytes, bit 0 drives the machine software interrupt of the hart.
constexpr base::Address msip(unsigned hart) { return base::Address{4} * hart; }
/// 8 bytes, also accessible in halves; the machine timer interrupt is pending while mtime >= mtimecmp.
constexpr base::Address mtimecmp(unsigned hart) { return kMtimecmp + base::Address{8} * hart; }
}  // namespace clint_map

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/smode_ipi.h"

namespace switchyard::interrupt {

std::string Sswi::check_wiring() const {
  if (harts() * std::uint64_t{4} <= params_.size.value) return "";
  return "size holds " + std::to_string(params_.size.value / 4) + " harts, got " + std::to_string(harts());
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/mm_costs.h"

namespace switchyard::kernel::riscv {

/// Path lengths of a riscv kernel. `flush_tlb` (93) and `sbi_rfence` + 4 * `sbi_rfence_per_cpu` (240) add up to the 334
/// instructions counted in an emulated Linux 6.12 for one fence on four harts; how they split is assumed, and so is
/// every other default.
struct RiscvCosts : MmCosts {
  std::uint64_t flush_tlb = 93;
  std::uint64_t sbi_rfence = 100;
  std::uint64_t sbi_rfence_per_cpu = 35;

  void visit(base::ParamVisitor& v) override {
    visit_paths(v);
    count(v, "flush_tlb", flush_tlb, "One TLB flush up to the choice between local and remote");
    count(v, "sbi_rfence", sbi_rfence, "Preparation of one remote fence by firmware call");
    count(v, "sbi_rfence_per_cpu", sbi_rfence_per_cpu, "Per CPU of its mask: translation to a hart id");
    visit_lines(v);
    visit_rest(v);
  }
};

}  // namespace switchyard::kernel::riscv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/riscv/local_tlb.h"
#include "kernel/arch/riscv/mm_context.h"
#include "kernel/arch/riscv/riscv_mm.h"
#include "kernel/reclaim.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel::riscv {

/// Everything that `kernel: {type: linux-riscv, params: ...}` may hold.
struct LinuxRiscvParams : base::ParamSet {
  UnmapParams unmap;
  AsidParams asid;
  TlbParams tlb;
  ReclaimParams reclaim;
  SchedulerParams scheduler;
  LayoutParams layout;
  RiscvCosts costs;

  void visit(base::ParamVisitor& v) override {
    v.object({.key = "unmap", .text = "Unmapping by reclaim"}, unmap);
    v.object({.key = "asid", .text = "Address-space ids"}, asid);
    v.object({.key = "tlb", .text = "TLB maintenance"}, tlb);
    v.object({.key = "reclaim", .text = "Reclaim and faults"}, reclaim);
    v.object({.key = "scheduler", .text = "Time slices and tick"}, scheduler);
    v.object({.key = "layout", .text = "Placement and mapping of memory"}, layout);
    v.object({.key = "costs", .text = "Path lengths"}, costs);
  }
};

}  // namespace switchyard::kernel::riscv

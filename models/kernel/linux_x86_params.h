// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/tlb_flush.h"
#include "kernel/costs/ipc_costs.h"
#include "kernel/costs/process_costs.h"
#include "kernel/scheduler_params.h"

namespace switchyard::kernel::x86 {

/// Everything that `kernel: {type: linux-x86, params: ...}` may hold.
struct LinuxX86Params : base::ParamSet {
  SwitchMmParams switch_mm;
  TlbFlushParams tlb;
  SchedulerParams scheduler;
  LayoutParams layout;
  X86Costs costs;
  IpcCosts ipc;
  ProcessCosts process;
  std::uint64_t path_scale = 1000;

  void visit(base::ParamVisitor& v) override {
    v.object({.key = "switch_mm", .text = "Switch of address spaces"}, switch_mm);
    v.object({.key = "tlb", .text = "TLB flushes"}, tlb);
    v.object({.key = "scheduler", .text = "Time slices, tick, wake-up and idle"}, scheduler);
    v.object({.key = "layout", .text = "Placement and mapping of memory"}, layout);
    v.object({.key = "costs", .text = "Path lengths"}, costs);
    v.object({.key = "ipc", .text = "Path lengths of pipes and sockets"}, ipc);
    v.object({.key = "process", .text = "Path lengths of processes and their memory"}, process);
    v.value(
        {.key = "path_scale",
         .text =
             "How long the paths of `costs`, `ipc` and `process` are that every kernel version shares (not those of "
             "switching and flushing), in thousandths of what is listed",
         .unit = "thousandths"},
        path_scale, {1, 100000});
  }
};

}  // namespace switchyard::kernel::x86

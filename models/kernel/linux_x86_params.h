// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/switch_mm.h"
#include "kernel/costs/ipc_costs.h"
#include "kernel/scheduler_params.h"

namespace switchyard::kernel::x86 {

/// Everything that `kernel: {type: linux-x86, params: ...}` may hold.
struct LinuxX86Params : base::ParamSet {
  SwitchMmParams switch_mm;
  SchedulerParams scheduler;
  LayoutParams layout;
  X86Costs costs;
  IpcCosts ipc;
  std::uint64_t path_scale = 1000;

  void visit(base::ParamVisitor& v) override {
    v.object({.key = "switch_mm", .text = "Switch of address spaces"}, switch_mm);
    v.object({.key = "scheduler", .text = "Time slices, tick, wake-up and idle"}, scheduler);
    v.object({.key = "layout", .text = "Placement and mapping of memory"}, layout);
    v.object({.key = "costs", .text = "Path lengths"}, costs);
    v.object({.key = "ipc", .text = "Path lengths of pipes and sockets"}, ipc);
    v.value({.key = "path_scale",
             .text = "How long the paths of `costs` and `ipc` are that every kernel version shares (not those of "
                     "switching and flushing), in thousandths of what is listed",
             .unit = "thousandths"},
            path_scale, {1, 100000});
  }
};

}  // namespace switchyard::kernel::x86

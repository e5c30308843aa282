// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/arm64/asid_params.h"
#include "kernel/costs/arm64_costs.h"
#include "kernel/costs/ipc_costs.h"
#include "kernel/costs/process_costs.h"
#include "kernel/layout.h"
#include "kernel/scheduler_params.h"

namespace switchyard::kernel::arm64 {

/// Everything that `kernel: {type: linux-arm64, params: ...}` may hold.
struct LinuxArm64Params : base::ParamSet {
  AsidParams asid;
  SchedulerParams scheduler;
  LayoutParams layout;
  Arm64Costs costs;
  IpcCosts ipc;
  ProcessCosts process;
  std::uint64_t path_scale = 1000;

  void visit(base::ParamVisitor& v) override {
    v.object({.key = "asid", .text = "ASIDs and the switch of address spaces"}, asid);
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

}  // namespace switchyard::kernel::arm64

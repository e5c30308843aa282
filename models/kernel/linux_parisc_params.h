// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/parisc/hashed_atomics.h"
#include "kernel/arch/parisc/lws.h"
#include "kernel/arch/parisc/tlb_purge.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel::parisc {

/// Everything that `kernel: {type: linux-parisc, params: ...}` may hold.
struct LinuxPariscParams : base::ParamSet {
  LwsParams lws;
  AtomicHashParams atomic_hash;
  TlbPurgeParams tlb;
  SchedulerParams scheduler;
  LayoutParams layout;
  PariscCosts costs;

  void visit(base::ParamVisitor& v) override {
    v.object({.key = "lws", .text = "Light-weight system calls"}, lws);
    v.object({.key = "atomic_hash", .text = "Locks of atomic_t"}, atomic_hash);
    v.object({.key = "tlb", .text = "Purges of translations"}, tlb);
    v.object({.key = "scheduler", .text = "Time slices and tick"}, scheduler);
    v.object({.key = "layout", .text = "Placement and mapping of memory"}, layout);
    v.object({.key = "costs", .text = "Path lengths"}, costs);
  }
};

}  // namespace switchyard::kernel::parisc

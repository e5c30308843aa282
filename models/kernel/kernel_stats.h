// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/stats.h"

namespace switchyard::kernel {

/// What the kernel counts, over all CPUs.
struct KernelStats : base::StatGroup {
  base::Counter context_switches{*this, "context_switches", "count",
                                 "Switches from one task to another, idle included"};
  base::Counter migrations{*this, "migrations", "count",
                           "Wake-ups on another CPU than the task ran on last, and tasks pulled by CPUs that ran out"};
  base::Counter ticks{*this, "ticks", "count", "Periodic ticks"};
  base::Counter system_calls{*this, "system_calls", "count", "System calls"};
  base::Counter page_faults{*this, "page_faults", "count", "Page faults of user code"};
  base::Counter pages_reclaimed{*this, "pages_reclaimed", "count", "Pages freed by reclaim"};
  base::Counter remote_flush_page{*this, "remote_flush_page", "count", "flush_tlb_page that reached other CPUs"};
  base::Counter remote_flush_range{*this, "remote_flush_range", "count", "flush_tlb_range that reached other CPUs"};
  base::Counter remote_flush_mm{*this, "remote_flush_mm", "count", "flush_tlb_mm that reached other CPUs"};
  base::Counter remote_flush_batch{*this, "remote_flush_batch", "count", "arch_tlbbatch_flush that reached other CPUs"};
  base::Counter local_only_flushes{*this, "local_only_flushes", "count", "Flushes that only this CPU needed"};
  base::Counter local_fences{*this, "local_fences", "count", "Fence instructions that the kernel executed itself"};
};

}  // namespace switchyard::kernel

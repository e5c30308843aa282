// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"
#include "kernel/kernel_stats.h"
#include "kernel/layout.h"
#include "kernel/spinlock.h"
#include "kernel/tracepoints.h"

namespace switchyard::kernel {

/// What every part of a kernel builds on. The referenced objects outlive the parts.
struct KernelServices {
  Layout& layout;
  cpu::FunctionTable& functions;
  const KernelCosts& costs;
  SpinLocks& locks;
  AtomicOps& atomics;
  KernelStats& stats;
  Tracepoints trace{};
};

}  // namespace switchyard::kernel

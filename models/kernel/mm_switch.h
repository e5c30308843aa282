// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_ops.h"
#include "kernel/address_space.h"

namespace switchyard::kernel {

/// Changes the address space of a CPU. Functions bear the kernel's names; interrupts are off in all of them.
class MmSwitch {
 public:
  virtual ~MmSwitch() = default;
  /// The next task is a user task. `prev` is what the task before it used or borrowed, and may be `next` itself.
  virtual void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) = 0;
  /// A kernel thread follows a task that used or borrowed `mm`, and borrows it from now on.
  virtual void enter_lazy_tlb(cpu::CpuOps&, const AddressSpace& /*mm*/) {}
  /// The idle task is about to enter a state in which the CPU loses its TLB: it gives up what it borrows.
  virtual void leave_mm(cpu::CpuOps&) {}
};

}  // namespace switchyard::kernel

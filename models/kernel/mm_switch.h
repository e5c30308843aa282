// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_ops.h"
#include "kernel/address_space.h"

namespace switchyard::kernel {

/// Changes the address space of a CPU, and does what else a switch of tasks does on one architecture only. Functions
/// bear the kernel's names; interrupts are off in all of them.
class MmSwitch {
 public:
  virtual ~MmSwitch() = default;
  /// The next task is a user task. `prev` is what the task before it used or borrowed, and may be `next` itself.
  virtual void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) = 0;
  /// A kernel thread follows a task that used or borrowed `mm`, and borrows it from now on.
  virtual void enter_lazy_tlb(cpu::CpuOps&, const AddressSpace& /*mm*/) {}
  /// The idle task is about to enter a state in which the CPU loses its TLB: it gives up what it borrows.
  virtual void leave_mm(cpu::CpuOps&) {}
  /// First in __schedule: finds the run queue, cpu_rq(smp_processor_id()). By default the CPU's register is enough.
  virtual void cpu_rq(cpu::CpuOps&) {}
  /// switch_to besides saving and loading the registers.
  virtual void switch_to(cpu::CpuOps&, const Thread& /*next*/) {}
};

}  // namespace switchyard::kernel

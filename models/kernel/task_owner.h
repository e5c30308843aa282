// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/task.h"

namespace switchyard::kernel {

/// Told by the scheduler about what it no longer needs.
class TaskOwner {
 public:
  virtual ~TaskOwner() = default;
  /// `task` has ended and left its CPU, on which another one runs now.
  virtual void put_task_struct(cpu::CpuOps& cpu, Task& task) = 0;
  /// The last reference to `mm` is gone.
  virtual void mmdrop(cpu::CpuOps& cpu, AddressSpace& mm) = 0;
};

}  // namespace switchyard::kernel

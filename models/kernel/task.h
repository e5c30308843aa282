// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "base/cpu_mask.h"
#include "cpu/cpu_ops.h"
#include "kernel/address_space.h"

namespace switchyard::kernel {

struct Task;

/// Something that happens once and that tasks wait for (struct completion).
struct Completion {
  std::string name;  ///< for reports of a deadlock
  bool done = false;
  std::vector<Task*> waiters;
};

/// A schedulable flow of control: a user thread with its kernel stack, or the idle task of a CPU. One SystemC thread
/// each, which runs while a CPU is assigned to it.
struct Task : Thread {
  using Body = std::function<void(Task&)>;
  enum class State : std::uint8_t { running, sleeping, waking, dead };

  std::string name;
  unsigned id = 0;  ///< in order of creation; idle tasks first
  Body body;
  cpu::CallNode calls_root;  ///< the task's call tree with its cycles
  cpu::ExecContext context{&calls_root, nullptr, cpu::Privilege::supervisor};
  cpu::FunctionId user_function = 0;
  AddressSpace* mm = nullptr;         ///< null for kernel threads
  AddressSpace* active_mm = nullptr;  ///< the one in use: a kernel thread borrows that of the task before it

  State state = State::running;
  std::string waits_for;  ///< what a sleeping task waits for, for the deadlock report
  bool need_resched = false;
  bool cancelled = false;
  bool wake_when_off_cpu = false;  ///< it changes CPUs: whoever follows it here wakes it up there
  bool on_queue = false;
  base::CpuMask allowed;  ///< CPUs that it may run on
  unsigned recent_used_cpu = 0;
  const Task* last_wakee = nullptr;
  std::uint64_t wakee_flips = 0;
  std::uint64_t flips_decayed_ps = 0;
  unsigned last_cpu = 0;
  std::uint64_t runtime_ps = 0;  ///< virtual runtime
  std::uint64_t exec_start_ps = 0;
  std::uint64_t slice_start_ps = 0;
  Completion end;  ///< its body has returned

  bool has_cpu = false;
  sc_core::sc_event dispatched;

  /// The CPU that the task runs on; changes when it blocks.
  cpu::CpuOps& cpu() const { return *context.cpu; }
  bool idle() const { return mm == nullptr; }
};

/// Thrown through the body of a task that ends before its last statement.
struct TaskExit {};

}  // namespace switchyard::kernel

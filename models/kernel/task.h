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
class WaitQueue;

/// A process: what its threads share besides memory (struct signal_struct, and the lists of its first thread).
struct ThreadGroup {
  Task* leader = nullptr;         ///< the first thread
  ThreadGroup* parent = nullptr;  ///< who waits for it; null: nobody
  unsigned threads = 0;           ///< that have not ended
  bool forked = false;            ///< made by fork: its memory is given back when it ends
  bool ended = false;             ///< and not waited for
  std::vector<Task*> children;    ///< leaders that were not waited for, in order of creation
  std::vector<Task*> gone;        ///< threads that have ended
  Address signal = 0;             ///< signal_struct; 0 before the first fork
  WaitQueue* child_exit = nullptr;
};

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
  ThreadGroup* group = nullptr;       ///< null for idle tasks
  AddressSpace* mm = nullptr;         ///< null for kernel threads, and once a process made by fork has ended
  AddressSpace* active_mm = nullptr;  ///< the one in use: a kernel thread borrows that of the task before it

  bool started = false;  ///< has a SystemC thread
  State state = State::running;
  std::string waits_for;  ///< what a sleeping task waits for, for the deadlock report
  bool need_resched = false;
  bool cancelled = false;
  unsigned references = 0;         ///< of a process made by fork: who still needs it, and its threads
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
  bool is_on_cpu = false;  ///< what the word on_cpu says
  sc_core::sc_event dispatched;

  /// The CPU that the task runs on; changes when it blocks.
  cpu::CpuOps& cpu() const { return *context.cpu; }
  bool idle() const { return group == nullptr; }
};

/// Thrown through the body of a task that ends before its last statement.
struct TaskExit {};

}  // namespace switchyard::kernel

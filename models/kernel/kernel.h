// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.h"
#include "base/stats.h"
#include "cpu/logical_cpu.h"
#include "interrupt/sbi.h"
#include "kernel/ipi_sender.h"
#include "kernel/layout.h"
#include "kernel/task.h"

namespace switchyard::kernel {

/// The machine that a kernel runs on. `observer` and `ipi_sender` may be null.
struct KernelContext {
  std::vector<cpu::LogicalCpu*> cpus;
  interrupt::Sbi* sbi = nullptr;
  cpu::DebugMemory* memory = nullptr;
  Address ram_base = 0;  ///< memory that firmware leaves
  std::uint64_t ram_size = 0;
  cpu::FunctionTable* functions = nullptr;
  cpu::TranslationObserver* observer = nullptr;
  std::uint64_t seed = 0;
  IpiSender* ipi_sender = nullptr;
};

/// An operating system: runs tasks on CPUs and serves their system calls. Made during elaboration; from then on it owns
/// the CPUs' supervisor mode. All functions that take the calling task are called from its body.
class Kernel {
 public:
  using Body = Task::Body;
  virtual ~Kernel() = default;

  /// A process with one thread whose user code is `body`; before the simulation starts.
  virtual Task& spawn_process(const std::string& name, Body body) = 0;
  /// A thread that shares the address space of `parent`; before the simulation or as a system call of `parent`.
  /// `pin` is a CPU number, or negative for any CPU.
  virtual Task& spawn_thread(Task& parent, const std::string& name, int pin, Body body) = 0;

  virtual Address mmap(Task& task, std::uint64_t size, MapKind kind) = 0;
  virtual void madvise_pageout(Task& task, Address va, std::uint64_t size) = 0;
  virtual void nanosleep(Task& task, std::uint64_t ps) = 0;
  virtual void sched_yield(Task& task) = 0;
  virtual void pin(Task& task, unsigned cpu) = 0;
  /// Ends the task; does not return.
  [[noreturn]] virtual void exit(Task& task) = 0;
  /// Waits until `other` has ended.
  virtual void join(Task& task, Task& other) = 0;
  /// Makes `other` end when it next returns to user mode (pthread_cancel).
  virtual void cancel(Task& task, Task& other) = 0;

  /// User code: one access of a byte every `stride` bytes.
  virtual void touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) = 0;
  virtual void compute(Task& task, std::uint64_t instructions) = 0;
  /// Where user code may be preempted; to be called between its operations on the CPU.
  virtual void user_checkpoint(Task& task) = 0;

  /// All tasks ever made, idle tasks first, in order of creation. Each has its call tree.
  virtual const std::vector<std::unique_ptr<Task>>& tasks() const = 0;
  virtual const std::vector<Symbol>& symbols() const = 0;
  virtual const base::StatGroup& stats() const = 0;
  virtual bool all_ended() const = 0;
  /// Notified when the last task has ended.
  virtual sc_core::sc_event& all_ended_event() = 0;
};

/// Kernel types that `kernel: {type: ...}` can name.
using KernelRegistry = base::Registry<Kernel, const KernelContext&>;

}  // namespace switchyard::kernel

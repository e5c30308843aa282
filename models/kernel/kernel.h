// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
#include "kernel/poll_set.h"
#include "kernel/task.h"
#include "kernel/timer_device.h"
#include "kernel/trace_events.h"

namespace switchyard::kernel {

/// The machine that a kernel runs on. `sbi`, `observer`, `trace`, `ipi_sender` and `timer` may be null; a kernel that
/// needs a device that is not there says so.
struct KernelContext {
  std::vector<cpu::LogicalCpu*> cpus;
  interrupt::Sbi* sbi = nullptr;  ///< RISC-V firmware
  std::string firmware = "none";  ///< its type, for messages
  cpu::DebugMemory* memory = nullptr;
  Address ram_base = 0;  ///< memory that firmware leaves
  std::uint64_t ram_size = 0;
  cpu::FunctionTable* functions = nullptr;
  cpu::TranslationObserver* observer = nullptr;
  TraceObserver* trace = nullptr;
  std::uint64_t seed = 0;
  IpiSender* ipi_sender = nullptr;  ///< IPIs without firmware
  TimerDevice* timer = nullptr;     ///< timer without firmware
};

/// What a channel between processes is. Of a pipe, end 0 is read and end 1 written; of a TCP connection over loopback
/// and of a socketpair (AF_UNIX, SOCK_STREAM), both ends are both.
enum class ChannelKind : std::uint8_t { pipe, tcp, unix_stream };

/// A process that holds ends of a channel.
struct ChannelUser {
  Task* first = nullptr;                 ///< its first thread
  std::array<bool, 2> holds{};           ///< by end
  std::array<unsigned, 2> descriptor{};  ///< of the ends that it holds, set by the kernel
};

/// An operating system: runs tasks on CPUs and serves their system calls. Made during elaboration; from then on it owns
/// the CPUs' supervisor mode. All functions that take the calling task are called from its body.
class Kernel {
 public:
  using Body = Task::Body;
  virtual ~Kernel() = default;

  /// A process with one thread whose user code is `body`; before the simulation starts. The regions of `data` lie in
  /// its address space from the start, in this order. It may run on the CPUs of `allowed`, or on all if that is empty.
  virtual Task& spawn_process(const std::string& name, Body body, const std::vector<UserData>& data,
                              const std::vector<unsigned>& allowed) = 0;
  Task& spawn_process(const std::string& name, Body body, const std::vector<UserData>& data = {}) {
    return spawn_process(name, std::move(body), data, {});
  }
  /// A thread that shares the address space of `parent`; before the simulation or as a system call of `parent`.
  /// `pin` is a CPU number, or negative for any CPU.
  virtual Task& spawn_thread(Task& parent, const std::string& name, int pin, Body body) = 0;

  /// fork(2): a process with one thread whose user code is `body`, with a copy of the memory and the descriptors of
  /// that of `parent`. What it runs counts as `name`. It waits for its parent when it has ended.
  virtual Task& fork(Task& parent, const std::string& name, Body body) = 0;
  /// Waits until a child of the process of `task` has ended, and frees it; false when there is none.
  virtual bool wait_for_child(Task& task) = 0;
  /// execve(2): from now on the process of `task`, which has one thread, is the program `name` with memory of its own,
  /// in which nothing is mapped.
  virtual void exec(Task& task, const std::string& name) = 0;

  virtual Address mmap(Task& task, std::uint64_t size, MapKind kind) = 0;
  /// Unmaps whole pages.
  virtual void munmap(Task& task, Address va, std::uint64_t size) = 0;
  virtual void madvise_pageout(Task& task, Address va, std::uint64_t size) = 0;
  /// madvise(MADV_DONTNEED): private memory is zeros again at the next access.
  virtual void madvise_dontneed(Task& task, Address va, std::uint64_t size) = 0;
  /// Opens `count` files of /dev/null in the process of `task`, a struct file each, before the simulation starts;
  /// returns the descriptor of the first, the others follow.
  virtual unsigned open_files(Task& task, const std::string& name, unsigned count) = 0;
  /// Makes something that processes talk through, and gives each of them descriptors of the ends that it holds; before
  /// the simulation starts.
  virtual void open_channel(std::vector<ChannelUser>& users, const std::string& name, ChannelKind kind) = 0;
  /// pipe(2) or socketpair(2): the process of `task` gets descriptors of both ends. `name` is for symbols.
  virtual std::array<unsigned, 2> make_channel(Task& task, const std::string& name, ChannelKind kind) = 0;
  virtual void close(Task& task, unsigned descriptor) = 0;
  /// poll(2) without a timeout: returns when one of the files is ready for what is asked, or the task is cancelled.
  virtual void poll(Task& task, const PollSet& files) = 0;
  /// read(2) and write(2). A task that reads what nobody can write any more, or writes what nobody can read, ends.
  virtual void read(Task& task, unsigned descriptor, std::uint64_t bytes) = 0;
  virtual void write(Task& task, unsigned descriptor, std::uint64_t bytes) = 0;
  virtual void nanosleep(Task& task, std::uint64_t ps) = 0;
  virtual void sched_yield(Task& task) = 0;
  virtual void pin(Task& task, unsigned cpu) = 0;
  /// Ends the task; does not return.
  [[noreturn]] virtual void exit(Task& task) = 0;
  /// Waits until `other` has ended.
  virtual void join(Task& task, Task& other) = 0;
  /// Waits until complete_all() was called for `event`, which outlives the tasks that wait.
  virtual void wait_for_completion(Task& task, Completion& event) = 0;
  /// Wakes all that wait for `event`, now and later.
  virtual void complete_all(Task& task, Completion& event) = 0;
  /// Makes `other` end when it next returns to user mode (pthread_cancel).
  virtual void cancel(Task& task, Task& other) = 0;

  /// User code: one access of a byte every `stride` bytes.
  virtual void touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) = 0;
  virtual void compute(Task& task, std::uint64_t instructions) = 0;
  /// User code: adds to a word of 4 or 8 bytes atomically and returns what it was.
  virtual std::uint64_t atomic_add(Task& task, Address va, std::int64_t delta, unsigned bytes) = 0;
  /// Where user code may be preempted; to be called between its operations on the CPU.
  virtual void user_checkpoint(Task& task) = 0;

  /// Address of static data of the task's process; throws ConfigError when there is none of that name.
  virtual Address data(const Task& task, const std::string& name) const = 0;
  /// What a word of such data holds now, wherever its newest copy is. Takes no simulated time.
  virtual std::uint64_t peek(const Task& task, Address va, unsigned bytes) const = 0;

  /// All tasks ever made, idle tasks first, in order of creation. Each has its call tree. A task that fork makes may be
  /// one of the same name that is gone.
  virtual const std::vector<std::unique_ptr<Task>>& tasks() const = 0;
  virtual const std::vector<Symbol>& symbols() const = 0;
  virtual const base::StatGroup& stats() const = 0;
  virtual bool all_ended() const = 0;
  /// Notified when the last task has ended.
  virtual sc_core::sc_event& all_ended_event() = 0;
  /// The message of the base::ConfigError that a task ended the simulation with; empty when none did. SystemC passes on
  /// what a process threw without its type.
  virtual std::string input_fault() const { return ""; }
};

/// Kernel types that `kernel: {type: ...}` can name.
using KernelRegistry = base::Registry<Kernel, const KernelContext&>;

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/files.h"
#include "kernel/task_memory.h"
#include "kernel/user_memory.h"
#include "kernel/wait_queue.h"

namespace switchyard::kernel {

/// fork, exit, wait4 and exec. Sources: Linux v4.17 and v5.8 kernel/{fork,exit,pid}.c, fs/exec.c. A task that is gone
/// leaves its task_struct, stack and signal_struct to later ones, and what the model keeps of it on the host to a later
/// task of the same name, whose cycles add up with its own. Readers of tasklist_lock take it as writers do. A process
/// whose parent has ended is waited for by init, which takes no time.
class Processes {
 public:
  /// `files` is null while no process has any.
  Processes(const ProcessCosts& costs, const KernelServices& services, Scheduler& scheduler, MmSwitch& mm_switch,
            UserMemory& memory, TaskMemory& task_memory, const std::unique_ptr<Files>& files);

  /// A task of that name that is gone, or null.
  Task* take(const std::string& name);
  /// sys_fork up to the start of `child`, which is new or was taken.
  void copy_process(Task& parent, Task& child);
  /// A thread more in a process that fork has made.
  void add_thread(cpu::CpuOps& cpu, Task& thread);
  /// A task of a process that fork has made ends: all but the switch away from it.
  void do_exit(Task& task);
  /// Waits for one child of the process and frees it; false when there is none.
  bool wait4(Task& task);
  /// The address space of the process becomes a new one with `text`, a page of code at `va`.
  void exec(Task& task, const std::string& name, Address va, Address text);
  /// A task of such a process has left its CPU for good.
  void finish_dead_task(cpu::CpuOps& cpu, Task& task);

 private:
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : forks(group, "forks", "count", "Processes made by fork"),
          exits(group, "exits", "count", "Processes made by fork that have ended"),
          reaped(group, "reaped", "count", "Ended processes that were waited for, or had nobody to wait for them"),
          execs(group, "execs", "count", "Calls of exec") {}
    base::Counter forks, exits, reaped, execs;
  };

  void dup_task_struct(cpu::CpuOps& cpu, const Task& parent, Task& child);
  void copy_signal(cpu::CpuOps& cpu, Task& parent, Task& child);
  void copy_mm(cpu::CpuOps& cpu, const Task& parent, Task& child);
  void alloc_pid(cpu::CpuOps& cpu);
  void exit_mm(Task& task);
  void exit_notify(Task& task);
  /// Whether nobody will wait for the leader of `group`, which has ended.
  bool notify_parent(cpu::CpuOps& cpu, ThreadGroup& group);
  Task* find_zombie(cpu::CpuOps& cpu, ThreadGroup& group);
  void release_task(cpu::CpuOps& cpu, Task& task);
  void put_task_struct(cpu::CpuOps& cpu, Task& task);
  void recycle(Task& leader);
  WaitQueue& child_exit(cpu::CpuOps& cpu, ThreadGroup& group);
  template <class F>
  void under_tasklist_lock(cpu::CpuOps& cpu, F f);

  const ProcessCosts costs_;
  const KernelServices services_;
  Scheduler& scheduler_;
  MmSwitch& mm_switch_;
  UserMemory& memory_;
  TaskMemory& task_memory_;
  const std::unique_ptr<Files>& files_;
  Stats stats_;
  const Address tasklist_lock_, pidmap_lock_;
  SlabCache task_structs_, signals_;
  std::vector<std::unique_ptr<ThreadGroup>> groups_;
  std::vector<ThreadGroup*> free_groups_;
  std::vector<std::unique_ptr<WaitQueue>> queues_;
  std::map<std::string, std::vector<Task*>> gone_;  ///< by name
  const cpu::FunctionId copy_process_, dup_task_, exit_, exit_mm_, notify_, wait_, release_, execve_;
};

}  // namespace switchyard::kernel

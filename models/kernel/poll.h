// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "kernel/costs/ipc_costs.h"
#include "kernel/kernel_services.h"
#include "kernel/poll_set.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel {

class Files;
class PollTable;
class WaitQueue;

/// struct poll_table_entry: what a poller leaves in a wait queue.
struct PollEntry {
  PollTable* table = nullptr;
  WaitQueue* queue = nullptr;
  Address address = 0;
  Address file_count = 0;  ///< f_count of the file, to which the entry holds a reference
  PollEvents key = 0;      ///< what wakes it
};

/// One call of poll(2): struct poll_wqueues in the frame of do_sys_poll, with its inline entries. Source: Linux v5.8
/// fs/select.c.
class PollTable {
 public:
  PollTable(const KernelServices& services, const PollCosts& costs, Task& task)
      : services_(services), costs_(costs), task_(task) {}

  /// The file that wait() is about until the next call.
  void look_at(Address file_count, PollEvents key) {
    file_count_ = file_count;
    key_ = key;
  }
  /// poll_wait: adds an entry to the queue, in the first round of a call only.
  void wait(WaitQueue& queue);
  void stop_queueing() { queueing_ = false; }
  /// poll_freewait.
  void free_wait();
  /// pollwake, for the waker.
  void trigger(cpu::CpuOps& cpu);
  bool triggered() const { return triggered_; }
  /// poll_schedule_timeout, without a timeout.
  void sleep(Scheduler& scheduler);
  Task& task() const { return task_; }
  Address triggered_field() const { return task_.frame(256); }

 private:
  const KernelServices& services_;
  const PollCosts& costs_;
  Task& task_;
  std::array<PollEntry, PollSet::kMost> entries_{};  ///< each file here has one wait queue
  unsigned used_ = 0;
  bool queueing_ = true, triggered_ = false;
  Address file_count_ = 0;
  PollEvents key_ = 0;
};

/// poll(2) without a timeout, inside the system call's frame.
class Poll {
 public:
  Poll(const KernelServices& services, Scheduler& scheduler, const PollCosts& costs);
  /// Returns how many of the files are ready; 0 only when the task has been cancelled.
  unsigned do_sys_poll(Task& task, Files& files, const PollSet& set);

 private:
  const KernelServices services_;
  Scheduler& scheduler_;
  const PollCosts& costs_;
  const cpu::FunctionId poll_;
};

}  // namespace switchyard::kernel

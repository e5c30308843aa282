// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "kernel/kernel_services.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel {

/// A wait_queue_head: its lock and the list of those who wait. Sources: Linux v4.14 kernel/sched/wait.c
/// (prepare_to_wait, finish_wait, __wake_up_sync_key with autoremove_wake_function). An entry lies in the frame of the
/// waiting function. Interrupts are off while the lock is held.
class WaitQueue {
 public:
  static constexpr std::uint64_t kBytes = 24;

  /// `head` is the address of kBytes bytes; `what` tells in reports what its tasks wait for.
  WaitQueue(const KernelServices& services, Scheduler& scheduler, Address head, std::string what);

  /// Adds `task` and announces its sleep; the caller looks at its condition once more and calls schedule().
  void prepare_to_wait(Task& task);
  /// After schedule(), or in place of it: takes the announcement and, unless a waker did it, the entry back.
  void finish_wait(Task& task);
  /// Wakes all that wait, and takes their entries off the list. The waker is about to sleep itself (WF_SYNC).
  void wake_up_sync(cpu::CpuOps& cpu);
  bool active() const { return !waiters_.empty(); }

 private:
  Address lock() const { return head_; }
  Address list() const { return head_ + 8; }
  static Address entry(const Task& task) { return task.frame(128); }
  void remove(Task& task);

  const KernelServices services_;
  Scheduler& scheduler_;
  const Address head_;
  const std::string what_;
  std::deque<Task*> waiters_;
  const cpu::FunctionId prepare_, wake_;
};

/// A mutex whose owner never sleeps while it holds it: contenders spin, as mutex_optimistic_spin does. Source: Linux
/// v4.14 kernel/locking/mutex.c.
class SpinMutex {
 public:
  SpinMutex(const KernelServices& services, Address owner) : services_(services), owner_(owner) {}
  void lock(Task& task) const;
  void unlock(Task& task) const;

 private:
  const KernelServices services_;
  const Address owner_;
};

}  // namespace switchyard::kernel

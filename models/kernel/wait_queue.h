// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "kernel/kernel_services.h"
#include "kernel/poll.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel {

/// A wait_queue_head: its lock and the list of those who wait, the last one first. Sources: Linux v4.14
/// kernel/sched/wait.c (prepare_to_wait, finish_wait, add_wait_queue, __wake_up_sync_key with autoremove_wake_function
/// and with pollwake of fs/select.c). An entry lies in the frame of the waiting function. Interrupts are off while the
/// lock is held.
class WaitQueue {
 public:
  static constexpr std::uint64_t kBytes = 24;
  static constexpr unsigned kWalkBreak = 64;  ///< WAITQUEUE_WALK_BREAK_CNT: entries between two chances for the lock

  /// `head` is the address of kBytes bytes; `what` tells in reports what its tasks wait for.
  WaitQueue(const KernelServices& services, Scheduler& scheduler, Address head, std::string what);

  /// Adds `task` and announces its sleep; the caller looks at its condition once more and calls schedule().
  void prepare_to_wait(Task& task);
  /// After schedule(), or in place of it: takes the announcement and, unless a waker did it, the entry back.
  void finish_wait(Task& task);
  /// The entry of a poller, which stays until it is removed.
  void add_wait_queue(cpu::CpuOps& cpu, PollEntry& entry);
  void remove_wait_queue(cpu::CpuOps& cpu, PollEntry& entry);
  /// Wakes all that wait, and takes their entries off the list; of pollers those that ask for one of `key`, whose
  /// entries stay. The waker is about to sleep itself (WF_SYNC).
  void wake_up_sync(cpu::CpuOps& cpu, PollEvents key = kPollAll);
  bool active() const { return !waiters_.empty(); }
  /// What its tasks wait for.
  const std::string& what() const { return what_; }

 private:
  Address lock() const { return head_; }
  Address list() const { return head_ + 8; }
  static Address entry(const Task& task) { return task.frame(128); }
  struct Waiter {
    Task* task = nullptr;                ///< null: a bookmark
    PollEntry* poll = nullptr;           ///< null: autoremove_wake_function
    const cpu::CpuOps* waker = nullptr;  ///< whose bookmark it is
  };
  static Address entry(const Waiter& waiter) {
    return waiter.poll != nullptr ? waiter.poll->address : entry(*waiter.task);
  }
  std::deque<Waiter>::iterator find(const Task& task);
  /// Takes the bookmark of `cpu` off the list; its place, or 0 without one.
  std::size_t take_bookmark(const cpu::CpuOps& cpu);
  /// __wake_up_common from waiters_[at] on: where it left off, or the end.
  std::size_t wake_some(cpu::CpuOps& cpu, std::size_t at, PollEvents key);
  /// Calls the wake function of waiters_[at]; true when that takes the entry off the list.
  bool wake(cpu::CpuOps& cpu, std::size_t at, PollEvents key);

  const KernelServices services_;
  Scheduler& scheduler_;
  const Address head_;
  const std::string what_;
  std::deque<Waiter> waiters_;
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

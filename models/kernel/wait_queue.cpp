// SPDX-License-Identifier: Apache-2.0
#include "kernel/wait_queue.h"

#include <algorithm>
#include <utility>

namespace switchyard::kernel {

using cpu::CpuOps;

WaitQueue::WaitQueue(const KernelServices& services, Scheduler& scheduler, Address head, std::string what)
    : services_(services),
      scheduler_(scheduler),
      head_(head),
      what_(std::move(what)),
      prepare_(services.functions.add("prepare_to_wait", cpu::Domain::kernel)),
      wake_(services.functions.add("__wake_up_sync_key", cpu::Domain::kernel)) {}

void WaitQueue::prepare_to_wait(Task& task) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(prepare_);
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.store(entry(task), list());
    cpu.store(list(), entry(task));
    waiters_.push_front({&task, nullptr});
    scheduler_.prepare_to_sleep(task, what_);
  }
  cpu.set_interrupts(interrupts);
}

std::deque<WaitQueue::Waiter>::iterator WaitQueue::find(const Task& task) {
  return std::find_if(waiters_.begin(), waiters_.end(),
                      [&](const Waiter& waiter) { return waiter.task == &task && waiter.poll == nullptr; });
}

// list_empty_careful(): the entry of a task that was woken points to itself.
void WaitQueue::finish_wait(Task& task) {
  CpuOps& cpu = task.cpu();
  scheduler_.cancel_sleep(task);
  cpu.load(entry(task));
  if (find(task) == waiters_.end()) return;
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.store(list(), list());
    if (const auto found = find(task); found != waiters_.end()) waiters_.erase(found);
  }
  cpu.set_interrupts(interrupts);
}

void WaitQueue::add_wait_queue(CpuOps& cpu, PollEntry& entry) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.store(entry.address, list());
    cpu.store(list(), entry.address);
    waiters_.push_front({&entry.table->task(), &entry});
  }
  cpu.set_interrupts(interrupts);
}

void WaitQueue::remove_wait_queue(CpuOps& cpu, PollEntry& entry) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.load(entry.address);
    cpu.store(list(), list());
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.poll == &entry; });
  }
  cpu.set_interrupts(interrupts);
}

// __wake_up_common_lock: after some entries the lock and interrupts are let go, and a bookmark keeps the place.
void WaitQueue::wake_up_sync(CpuOps& cpu, PollEvents key) {
  const auto scope = cpu.function(wake_);
  cpu.execute(services_.costs.call);
  for (bool done = false; !done;) {
    const bool interrupts = cpu.set_interrupts(false);
    {
      const SpinGuard guard(services_.locks, cpu, lock());
      cpu.load(list());
      const std::size_t at = wake_some(cpu, take_bookmark(cpu), key);
      done = at == waiters_.size();
      if (!done) {
        if (waiters_[at].task != nullptr) cpu.store(entry(waiters_[at]) + 8, list());
        waiters_.insert(waiters_.begin() + static_cast<std::ptrdiff_t>(at), Waiter{.waker = &cpu});
      }
    }
    cpu.set_interrupts(interrupts);
  }
}

std::size_t WaitQueue::take_bookmark(const CpuOps& cpu) {
  const auto found =
      std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) { return waiter.waker == &cpu; });
  if (found == waiters_.end()) return 0;
  const auto place = static_cast<std::size_t>(found - waiters_.begin());
  waiters_.erase(found);  // moves begin() as well when the place is in the front half
  return place;
}

std::size_t WaitQueue::wake_some(CpuOps& cpu, std::size_t at, PollEvents key) {
  for (unsigned seen = 0; at < waiters_.size() && seen < kWalkBreak; ++seen) {
    if (waiters_[at].task != nullptr && wake(cpu, at, key))
      waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(at));
    else
      ++at;
  }
  return at;
}

bool WaitQueue::wake(CpuOps& cpu, std::size_t at, PollEvents key) {
  const Waiter waiter = waiters_[at];
  cpu.load(entry(waiter));
  if (waiter.poll != nullptr) {
    if ((waiter.poll->key & key) == 0) return false;
    waiter.poll->table->trigger(cpu);
    scheduler_.wake_up(cpu, *waiter.task, true);
    return false;
  }
  if (!scheduler_.wake_up(cpu, *waiter.task, true)) return false;
  cpu.store(entry(waiter), entry(waiter));
  cpu.store(list(), list());
  return true;
}

void SpinMutex::lock(Task& task) const {
  CpuOps& cpu = task.cpu();
  WaitGraph& waits = services_.locks.waits();
  while (services_.atomics.cmpxchg(cpu, owner_, 0, task.task_struct) != 0) {
    const WaitGraph::Wait wait(waits, cpu, owner_, WaitGraph::Order::any);
    cpu.spin_until(
        {owner_}, [&] { return cpu.load(owner_) == 0; }, cpu::Cause::lock_spin);
  }
  waits.acquired(cpu, owner_);
}

void SpinMutex::unlock(Task& task) const {
  services_.atomics.cmpxchg(task.cpu(), owner_, task.task_struct, 0);
  services_.locks.waits().released(task.cpu(), owner_);
}

}  // namespace switchyard::kernel

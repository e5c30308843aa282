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
    waiters_.push_back(&task);
    scheduler_.prepare_to_sleep(task, what_);
  }
  cpu.set_interrupts(interrupts);
}

void WaitQueue::remove(Task& task) {
  const auto found = std::find(waiters_.begin(), waiters_.end(), &task);
  if (found != waiters_.end()) waiters_.erase(found);
}

// list_empty_careful(): the entry of a task that was woken points to itself.
void WaitQueue::finish_wait(Task& task) {
  CpuOps& cpu = task.cpu();
  scheduler_.cancel_sleep(task);
  cpu.load(entry(task));
  if (std::find(waiters_.begin(), waiters_.end(), &task) == waiters_.end()) return;
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.store(list(), list());
    remove(task);
  }
  cpu.set_interrupts(interrupts);
}

void WaitQueue::wake_up_sync(CpuOps& cpu) {
  const auto scope = cpu.function(wake_);
  cpu.execute(services_.costs.call);
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, lock());
    cpu.load(list());
    for (std::size_t left = waiters_.size(); left != 0 && !waiters_.empty(); --left) {
      Task& task = *waiters_.front();
      cpu.load(entry(task));
      if (!scheduler_.wake_up(cpu, task, true)) {
        waiters_.push_back(&task);
        waiters_.pop_front();
        continue;
      }
      cpu.store(entry(task), entry(task));
      cpu.store(list(), list());
      remove(task);
    }
  }
  cpu.set_interrupts(interrupts);
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

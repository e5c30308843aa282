// SPDX-License-Identifier: Apache-2.0
#include "kernel/poll.h"

#include "base/errors.h"
#include "kernel/files.h"
#include "kernel/wait_queue.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kEntryDepth = 320;  // of the entries in the frame
constexpr std::uint64_t kEntryBytes = 72;

}  // namespace

void PollTable::wait(WaitQueue& queue) {
  if (!queueing_) return;
  SWITCHYARD_ASSERT(used_ < PollSet::kMost, "a PollSet has no more files, and each file one queue");
  CpuOps& cpu = task_.cpu();
  cpu.execute(costs_.wait);
  PollEntry& entry = entries_[used_];
  entry = {this, &queue, task_.frame(kEntryDepth + kEntryBytes * used_), file_count_, key_};
  ++used_;
  services_.atomics.atomic_add(cpu, entry.file_count, 1, 8);
  queue.add_wait_queue(cpu, entry);
}

void PollTable::free_wait() {
  CpuOps& cpu = task_.cpu();
  for (unsigned i = 0; i < used_; ++i) {
    entries_[i].queue->remove_wait_queue(cpu, entries_[i]);
    services_.atomics.atomic_add(cpu, entries_[i].file_count, -1, 8);
  }
  used_ = 0;
}

void PollTable::trigger(CpuOps& cpu) {
  cpu.store(triggered_field(), 1, 4);
  triggered_ = true;
}

void PollTable::sleep(Scheduler& scheduler) {
  scheduler.prepare_to_sleep(task_, used_ == 0 ? "poll of nothing" : "poll of " + entries_[0].queue->what());
  task_.cpu().load(triggered_field(), 4);
  if (!triggered_) scheduler.schedule(task_);
  scheduler.cancel_sleep(task_);
  task_.cpu().store(triggered_field(), 0, 4);
  task_.cpu().barrier();
  triggered_ = false;
}

Poll::Poll(const KernelServices& services, Scheduler& scheduler, const PollCosts& costs)
    : services_(services),
      scheduler_(scheduler),
      costs_(costs),
      poll_(services.functions.add("do_sys_poll", cpu::Domain::kernel)) {}

// do_poll: from the first file that is ready on, no entry is added any more, nor in later rounds.
unsigned Poll::do_sys_poll(Task& task, Files& files, const PollSet& set) {
  const auto scope = task.cpu().function(poll_);
  task.cpu().execute(costs_.call);
  PollTable table(services_, costs_, task);
  unsigned ready = 0;
  for (;;) {
    for (unsigned i = 0; i < set.count; ++i) {
      task.cpu().execute(costs_.file);
      if (files.poll(task, set.files[i], table) == 0) continue;
      ++ready;
      table.stop_queueing();
    }
    table.stop_queueing();
    if (ready != 0 || task.cancelled) break;
    table.sleep(scheduler_);
  }
  table.free_wait();
  return ready;
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "platforms/shared_loop_monitor.h"

#include <algorithm>

#include "platforms/loop_monitor.h"

namespace switchyard::platforms {

using workloads::SharedTurn;

namespace {

constexpr double kSecondsPerPs = 1e-12;

}  // namespace

SharedLoopMonitor::Member& SharedLoopMonitor::member(const kernel::Task& task, std::uint64_t count) {
  if (task.id >= by_task_.size()) by_task_.resize(task.id + 1);
  Member& one = by_task_[task.id];
  if (one.is_in) return one;
  one.is_in = true;
  ++members_;
  count_ += count;
  return one;
}

SharedTurn SharedLoopMonitor::iteration(const kernel::Task& task, std::uint64_t done, std::uint64_t run,
                                        std::uint64_t count) {
  Member& own = member(task, count);
  if (ended_) {
    if (!std::exchange(released_, true)) return SharedTurn::wake;
    return done < most_ ? SharedTurn::iterate : SharedTurn::end;
  }
  const bool is_pass = done != own.done;  // else it comes to the loop, or back from a wait
  own.done = done;
  if (is_pass) ++passes_;
  if (!started_) {
    if (passes_ >= warm_up_) start(clocks_.now(task), run);
    most_ = std::max(most_, done + run);
    return SharedTurn::iterate;
  }
  if (is_pass && (passes_ - warm_up_) % every_ == 0) sample(clocks_.now(task));
  if (done < own.base + run) return SharedTurn::iterate;
  if (is_pass) ++finished_;
  if (finished_ < members_) return SharedTurn::wait;
  end(clocks_.now(task));
  return iteration(task, done, run, count);
}

void SharedLoopMonitor::start(std::uint64_t now_ps, std::uint64_t run) {
  started_ = true;
  every_ = std::clamp<std::uint64_t>(members_ * run / kSamples, 1, kSample);
  for (Member& one : by_task_) one.base = one.done;
  started_ps_ = last_ps_ = now_ps;
  start_(now_ps);
  last_spent_ = clocks_.spent();
}

void SharedLoopMonitor::sample(std::uint64_t now_ps) {
  const CpuTime spent = clocks_.spent();
  series_s_[0].push_back(static_cast<double>(now_ps - last_ps_) * kSecondsPerPs / static_cast<double>(every_));
  series_s_[1].push_back((spent.user_s - last_spent_.user_s) / static_cast<double>(every_));
  series_s_[2].push_back((spent.sys_s - last_spent_.sys_s) / static_cast<double>(every_));
  last_ps_ = now_ps;
  last_spent_ = spent;
}

void SharedLoopMonitor::stop(std::uint64_t now_ps) {
  if (used() && !ended_) end(now_ps);
}

void SharedLoopMonitor::end(std::uint64_t now_ps) {
  ended_ = true;
  ended_ps_ = now_ps;
  finish_(now_ps);
}

void SharedLoopMonitor::write(LoopRecord& record) const {
  record.count = count_;
  record.warm_up = warm_up_;
  record.iterations = !started_ ? 0 : passes_ - warm_up_;
  record.converged = members_ != 0 && finished_ == members_;
  if (record.iterations == 0) return;
  record.iteration_s.ci95 = batch_means(series_s_[0]).ci95;
  record.cpu_ci95 = CpuTime{batch_means(series_s_[1]).ci95, batch_means(series_s_[2]).ci95};
  record.iteration_s.mean =
      static_cast<double>(ended_ps_ - started_ps_) * kSecondsPerPs / static_cast<double>(record.iterations);
}

}  // namespace switchyard::platforms

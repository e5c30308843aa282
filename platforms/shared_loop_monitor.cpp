// SPDX-License-Identifier: Apache-2.0
#include "platforms/shared_loop_monitor.h"

#include <algorithm>

#include "platforms/loop_monitor.h"

namespace switchyard::platforms {

namespace {

constexpr double kSecondsPerPs = 1e-12;

}  // namespace

bool SharedLoopMonitor::iteration(const kernel::Task& task, std::uint64_t done, std::uint64_t run,
                                  std::uint64_t count) {
  if (done == 0 && members_.insert(&task).second) count_ += count;
  if (ended_) return done < most_;
  most_ = std::max(most_, done);
  if (done != 0) ++passes_;
  if (!started_) {
    if (passes_ < warm_up_) return true;
    started_ = true;
    started_ps_ = last_ps_ = now_(task);
    start_(started_ps_);
    return true;
  }
  const std::uint64_t measured = passes_ - warm_up_;
  if (done != 0 && measured % kSample == 0) {
    const std::uint64_t now = now_(task);
    series_s_.push_back(static_cast<double>(now - last_ps_) * kSecondsPerPs / kSample);
    last_ps_ = now;
  }
  if (measured >= members_.size() * run) {
    end(now_(task));
    ++most_;  // the fastest may be in the middle of its next one
  }
  return !ended_ || done < most_;
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
  record.converged = false;
  if (record.iterations == 0) return;
  record.iteration_s.ci95 = batch_means(series_s_).ci95;
  record.iteration_s.mean =
      static_cast<double>(ended_ps_ - started_ps_) * kSecondsPerPs / static_cast<double>(record.iterations);
}

}  // namespace switchyard::platforms

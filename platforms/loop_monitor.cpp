// SPDX-License-Identifier: Apache-2.0
#include "platforms/loop_monitor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cpu/logical_cpu.h"

namespace switchyard::platforms {

namespace {

constexpr std::size_t kBatches = kIntervalBatches;
constexpr double kStudentT9 = 2.2621571628;  // 97.5 % quantile, 9 degrees of freedom
constexpr double kSecondsPerPs = 1e-12;

}  // namespace

Estimate batch_means(const std::vector<double>& series) {
  if (series.empty()) return {};
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
  const std::size_t size = series.size() / kBatches;
  if (size == 0) return {mean, mean};
  const std::size_t skip = series.size() % kBatches;  // the oldest
  std::array<double, kBatches> means;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const auto first = series.begin() + static_cast<std::ptrdiff_t>(skip + batch * size);
    means[batch] = std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), 0.0) / static_cast<double>(size);
  }
  const double n = kBatches;
  const double centre = std::accumulate(means.begin(), means.end(), 0.0) / n;
  double squares = 0;  // of differences: a narrow spread around a large mean must not cancel out
  for (const double value : means) squares += (value - centre) * (value - centre);
  return {mean, kStudentT9 * std::sqrt(squares / (n - 1) / n)};
}

std::size_t mser5(const std::vector<double>& series) {
  constexpr std::size_t kBatch = 5;
  const std::size_t batches = series.size() / kBatch;
  std::size_t best = 0;
  double least = 0, mean = 0, squares = 0;
  // From the back, so that mean and squares of what is kept grow by one batch at a time (Welford).
  for (std::size_t kept = 1; kept <= batches; ++kept) {
    const std::size_t first = batches - kept;
    const auto at = series.begin() + static_cast<std::ptrdiff_t>(first * kBatch);
    const double value = std::accumulate(at, at + kBatch, 0.0) / kBatch;
    const double step = value - mean;
    mean += step / static_cast<double>(kept);
    squares += step * (value - mean);
    if (first > batches / 2) continue;
    const double error = squares / static_cast<double>(kept * kept);
    if (first == batches / 2 || error <= least) {
      least = error;
      best = first;
    }
  }
  return best * kBatch;
}

namespace {

/// The task's time, up to which everything else in the simulation has happened too: what others have spent by then can
/// be read. It may wait.
std::uint64_t settled_ps(const kernel::Task& task) {
  if (auto* cpu = dynamic_cast<cpu::LogicalCpu*>(task.context.cpu)) cpu->synchronise();
  return task.cpu().now_ps();
}

}  // namespace

LoopMonitor::LoopMonitor(const UntilConfig& until, Callback start, Callback finish, std::function<CpuTime()> spent,
                         const ProgressSink& progress)
    : until_(until),
      start_(std::move(start)),
      finish_(std::move(finish)),
      progress_(progress),
      shared_(until.warm_up, {settled_ps, std::move(spent)}, start_, finish_) {}

workloads::SharedTurn LoopMonitor::shared_iteration(kernel::Task& task, const std::string& loop, std::uint64_t done,
                                                    std::uint64_t run, std::uint64_t count) {
  record_.name = loop;
  const bool was_over = shared_.ended();
  const workloads::SharedTurn turn = shared_.iteration(task, done, run, count);
  if (shared_.ended() && !was_over) shared_.write(record_);
  return turn;
}

bool LoopMonitor::iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t count) {
  if (ended_) return false;
  if (task_ != nullptr && task_ != &task) return true;
  const std::uint64_t warm_up = std::min(until_.warm_up, count - 1);
  const bool last = until_.max_iterations != 0 && durations_s_.size() + 1 >= until_.max_iterations;
  const bool boundary = done == warm_up || done == count || (done - warm_up) % kBatches == 0 || last;
  const std::uint64_t now = boundary ? settled_ps(task) : task.cpu().now_ps();
  if (done == 0) {
    task_ = &task;
    record_ = {};
    record_.name = loop;
    record_.count = count;
    record_.warm_up = warm_up;
  }
  if (done > warm_up) durations_s_.push_back(static_cast<double>(now - last_ps_) * kSecondsPerPs);
  last_ps_ = now;
  if (done == warm_up) {
    started_ps_ = now;
    start_(now);
  }
  record_.iterations = durations_s_.size();
  if (done == count || enough()) {
    end(done != count, now);
    return false;
  }
  if (done % 16 == 0) report(now, done);
  return true;
}

bool LoopMonitor::enough() {
  const std::uint64_t n = durations_s_.size();
  if (until_.max_iterations != 0 && n >= until_.max_iterations) return true;
  if (n < until_.min_iterations || n % kBatches != 0 || last_ps_ - started_ps_ < until_.min_time.ps) return false;
  const Estimate estimate = batch_means(durations_s_);
  return estimate.ci95 <= until_.relative_ci.value * estimate.mean;
}

void LoopMonitor::stop(std::uint64_t now_ps) {
  if (task_ != nullptr && !ended_) end(false, now_ps);
  if (shared_.used() && !shared_.ended()) {
    shared_.stop(now_ps);
    shared_.write(record_);
  }
}

void LoopMonitor::report(std::uint64_t now_ps, std::uint64_t done) const {
  if (!progress_) return;
  const Estimate estimate = batch_means(durations_s_);
  const double relative = estimate.mean > 0 ? estimate.ci95 / estimate.mean : 1;
  // The interval shrinks with the root of the number of iterations.
  const double ratio = until_.relative_ci.value > 0 ? relative / until_.relative_ci.value : 1e3;
  const double by_ci = static_cast<double>(durations_s_.size()) * std::min(ratio * ratio, 1e6);
  const double by_time =
      estimate.mean > 0 ? static_cast<double>(until_.min_time.ps) * kSecondsPerPs / estimate.mean : 0;
  const double wanted = std::clamp(std::max({by_ci, by_time, static_cast<double>(until_.min_iterations)}), 1.0,
                                   static_cast<double>(record_.count));
  progress_({static_cast<double>(now_ps) * kSecondsPerPs, done, record_.warm_up + static_cast<std::uint64_t>(wanted),
             relative});
}

void LoopMonitor::end(bool converged, std::uint64_t now_ps) {
  ended_ = true;
  const Estimate estimate = batch_means(durations_s_);
  record_.iteration_s = estimate;
  record_.unsettled = mser5(durations_s_);
  record_.converged = converged && estimate.ci95 <= until_.relative_ci.value * estimate.mean;
  finish_(now_ps);
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "sc_main/statistics.h"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 60;

/// `runs/line-64B_harts-4_seed-101.0123456789abcdef`: readable, and no two runs have the same.
std::string folder_of(const SweepPoint& point, const PlannedRun& run) {
  std::string name;
  for (const char c : point.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') name += c;
    if (c == '=') name += '-';
    if (c == ',') name += '_';
  }
  return fmt::format("runs/{}_seed-{}.{}", name.substr(0, kLongestName), run.seed, run.key);
}

/// Leftovers of a driver that was killed: folders that OutputFolder had not put in place yet.
void remove_scratch(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(".results.part")) fs::remove_all(entry.path(), ignored);
}

void prepare_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw base::ConfigError(folder.generic_string(),
                            "cannot write: " + error.message() + " (results so far are kept; start again)");
  remove_scratch(folder);
  fs::remove(folder / kLogFile, error);
}

}  // namespace

SweepDriver::SweepDriver(SweepPlan& plan, SweepStore& store, RunLauncher& launcher, DriverOptions options,
                         DriverEvents events)
    : plan_(plan),
      store_(store),
      launcher_(launcher),
      options_(options),
      events_(std::move(events)),
      attempts_(store.folder()),
      stored_(store.runs()),
      seeds_(plan.points().size(), 0),
      open_(plan.points().size(), 0) {}

SweepEnd SweepDriver::run() {
  store_.show(plan_);
  for (std::size_t p = 0; p < plan_.points().size(); ++p) ask(p, 0, plan_.first_seeds());
  extend_points();
  while (!waiting_.empty() || launcher_.running() > 0) {
    if (events_.progress) events_.progress(progress_);
    const bool is_over = is_interrupted() || (options_.fail_fast && progress_.failed > 0);
    if (is_over) {
      launcher_.stop();
      return is_interrupted() ? SweepEnd::interrupted : SweepEnd::failed_fast;
    }
    while (!waiting_.empty() && launcher_.has_room()) {
      start(waiting_.front());
      waiting_.pop_front();
    }
    take(launcher_.wait());
    extend_points();
  }
  if (events_.progress) events_.progress(progress_);
  return options_.fail_fast && progress_.failed > 0 ? SweepEnd::failed_fast : SweepEnd::complete;
}

/// Asks for runs `first_seed` to `seeds` of a point.
void SweepDriver::ask(std::size_t point, std::size_t first_seed, std::size_t seeds) {
  const std::vector<PlannedRun>& runs = plan_.runs(point, seeds);
  seeds_[point] = seeds;
  for (std::size_t i = first_seed; i < seeds; ++i) {
    const auto [found, is_new] = by_key_.try_emplace(runs[i].key, jobs_.size());
    if (is_new) {
      Job& job = jobs_.emplace_back();
      job.job = {found->second, point, runs[i], {}};
      job.result = {runs[i].key,
                    runs[i].config_hash,
                    runs[i].seed,
                    RunStatus::missing,
                    "",
                    folder_of(plan_.points()[point], runs[i]),
                    {}};
      ++progress_.total;
      if (!reuse(job)) waiting_.push_back(found->second);
    }
    Job& job = jobs_[found->second];
    job.points.push_back(point);
    if (job.result.status == RunStatus::missing) ++open_[point];
  }
  if (open_[point] == 0) settled_points_.push_back(point);
}

/// Takes a result of an earlier start. Where the store lacks it or a metric, the folder may have the outcome still.
/// False when the run must be done.
bool SweepDriver::reuse(Job& job) {
  StoredRun& result = job.result;
  if (const auto stored = stored_.find(result.key); stored != stored_.end()) result = stored->second;
  const std::vector<std::string>& metrics = plan_.params().measure;
  const bool has_all = std::all_of(metrics.begin(), metrics.end(), [&](const auto& name) { return result.find(name); });
  if (result.status != RunStatus::done || !has_all) {
    RunReply reply = measure_again(store_.folder() / result.folder, metrics);
    const bool was_done = std::exchange(result.status, RunStatus::missing) == RunStatus::done;
    if (!reply.error.empty()) return false;
    if (!was_done) result.values.clear();
    for (MetricValue& one : reply.values)
      if (!result.find(one.metric)) result.values.push_back(std::move(one));
    result.status = RunStatus::done;
    result.error.clear();
    store_.put({result});
  }
  ++progress_.done;
  ++progress_.reused;
  return true;
}

void SweepDriver::start(std::size_t index) {
  Job& job = jobs_[index];
  job.job.folder = store_.folder() / job.result.folder;
  prepare_folder(job.job.folder);
  ++job.attempts;
  launcher_.start(job.job);
}

/// Stores what has ended, in one transaction.
void SweepDriver::take(std::vector<EndedRun> ended) {
  std::sort(ended.begin(), ended.end(), [](const EndedRun& a, const EndedRun& b) { return a.id < b.id; });
  std::vector<StoredRun> results;
  for (EndedRun& run : ended) {
    Job& job = jobs_[run.id];
    attempts_.add(job.result.key, run);
    if (run.reply.disk_failed) throw base::ConfigError(run.reply.error + " (results so far are kept; start again)");
    if (!run.reply.error.empty() && run.may_repeat && is_interrupted()) continue;  // by the same Ctrl-C
    if (wants_retry(job, run)) {
      waiting_.push_back(run.id);
      continue;
    }
    job.result.status = run.reply.error.empty() ? RunStatus::done : RunStatus::failed;
    job.result.error = std::move(run.reply.error);
    job.result.values = std::move(run.reply.values);
    results.push_back(job.result);
  }
  if (!results.empty()) store_.put(results);
  for (const EndedRun& run : ended)
    if (jobs_[run.id].result.status != RunStatus::missing) settle(jobs_[run.id]);
}

bool SweepDriver::wants_retry(const Job& job, const EndedRun& run) const {
  return !run.reply.error.empty() && run.may_repeat && job.attempts <= options_.retries;
}

void SweepDriver::settle(Job& job) {
  ++(job.result.status == RunStatus::done ? progress_.done : progress_.failed);
  if (job.result.status == RunStatus::failed) report(job);
  for (const std::size_t point : job.points)
    if (--open_[point] == 0) settled_points_.push_back(point);
}

void SweepDriver::report(const Job& job) const {
  if (!events_.failed) return;
  const std::string label =
      fmt::format("point {} ({}), seed {}", job.job.point + 1, plan_.points()[job.job.point].name, job.result.seed);
  events_.failed(label, job.result.error, store_.folder() / job.result.folder / kLogFile);
}

/// More seeds for points whose interval is not small enough yet.
void SweepDriver::extend_points() {
  while (!settled_points_.empty()) {
    const std::vector<std::size_t> settled = std::exchange(settled_points_, {});
    for (const std::size_t point : settled) {
      const std::size_t before = seeds_[point], wanted = wanted_seeds(point);
      if (wanted <= before) continue;
      store_.show_seeds(point, before, plan_.runs(point, wanted));
      ask(point, before, wanted);
    }
  }
}

/// Follows from the results of the seeds so far, in their order, and from nothing else.
std::size_t SweepDriver::wanted_seeds(std::size_t point) {
  const SweepUntilParams& until = plan_.params().until;
  const std::size_t n = seeds_[point];
  if (n >= until.max_seeds) return n;
  std::vector<double> values;
  const std::vector<PlannedRun>& runs = plan_.runs(point, n);
  for (std::size_t i = 0; i < n; ++i) {
    const StoredRun& result = jobs_[by_key_.at(runs[i].key)].result;
    const MetricValue* value = result.find(until.metric);
    if (result.status != RunStatus::done || !value) return n;  // a point that fails gets no more
    values.push_back(value->value);
  }
  const platforms::Estimate estimate = mean_of(values);
  const double target = until.ci.value * std::abs(estimate.mean);
  if (estimate.ci95 <= target) return n;
  // The interval shrinks with the root of the number of seeds; never more than twice as many at once.
  const double ratio = target > 0 ? estimate.ci95 / target : 2;
  const double wanted = std::ceil(static_cast<double>(n) * std::min(ratio * ratio, 2.0));
  return std::clamp(static_cast<std::size_t>(wanted), n + 1, static_cast<std::size_t>(until.max_seeds));
}

}  // namespace switchyard::cli

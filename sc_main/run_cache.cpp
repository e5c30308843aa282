// SPDX-License-Identifier: Apache-2.0
#include "sc_main/run_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "platforms/config/text.h"
#include "sc_main/metrics.h"
#include "sc_main/statistics.h"

namespace switchyard::cli {
namespace {

using platforms::RunOutcome;

constexpr std::uint64_t kFirstSeed = 101;  // of those after the files' own

/// Adds what `from` counted.
void add(RunOutcome& sum, RunOutcome& from) {
  sum.simulated_s += from.simulated_s;
  sum.measured_s += from.measured_s;
  sum.loop.iterations += from.loop.iterations;
  sum.loop.converged &= from.loop.converged;
  std::move(from.tasks.begin(), from.tasks.end(), std::back_inserter(sum.tasks));
  for (const platforms::StatRecord& stat : from.stats) {
    const auto own = std::find_if(sum.stats.begin(), sum.stats.end(),
                                  [&](const auto& s) { return s.module == stat.module && s.name == stat.name; });
    if (own == sum.stats.end())
      sum.stats.push_back(stat);
    else
      own->value += stat.value;
  }
}

/// Real, user and sys of one iteration.
std::array<double, 3> iteration_times(const RunOutcome& outcome) {
  const RunTimes times = run_times(outcome);
  const auto count = static_cast<double>(std::max<std::uint64_t>(outcome.loop.count, 1));
  return {times.real.mean / count, times.user.mean / count, times.sys.mean / count};
}

}  // namespace

std::uint64_t later_seed(std::size_t index) { return kFirstSeed + index - 1; }

std::vector<RunRequest> seeded(const RunRequest& request) {
  std::vector<RunRequest> result(request.seeds, request);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].seeds = 1;
    if (i == 0) continue;
    result[i].sets.push_back(fmt::format("seed={}", later_seed(i)));
    result[i].label += fmt::format(", seed {} of {}", i + 1, request.seeds);
  }
  return result;
}

RunResult merged(std::vector<RunResult> runs) {
  SWITCHYARD_ASSERT(!runs.empty(), "a request has a run");
  for (RunResult& run : runs)
    if (!run.failure().empty()) return std::move(run);
  RunResult result = std::move(runs.front());
  if (runs.size() == 1) return result;
  if (!result.outcome.has_loop) {
    result.error = "several seeds need a measured loop (measure: true in the workload)";
    return result;
  }
  std::array<std::vector<double>, 3> times;
  const auto note_times = [&times](const RunOutcome& outcome) {
    const std::array<double, 3> one = iteration_times(outcome);
    for (std::size_t i = 0; i < one.size(); ++i) times[i].push_back(one[i]);
  };
  note_times(result.outcome);
  std::uint64_t hash = base::fnv1a(result.hash);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    note_times(runs[i].outcome);
    add(result.outcome, runs[i].outcome);
    hash = base::fnv1a(runs[i].hash, hash);
  }
  result.hash = fmt::format("{:016x}", hash);
  result.outcome.loop.seeds = runs.size();
  result.outcome.loop.iteration_s = mean_of(times[0]);
  result.outcome.loop.cpu_ci95 = platforms::CpuTime{mean_of(times[1]).ci95, mean_of(times[2]).ci95};
  return result;
}

const std::string& RunCache::key(const RunRequest& request) {
  const std::string text = fmt::format("{}\n{}\n{}", platforms::join(request.files, "\n"),
                                       platforms::join(request.sets, "\n"), request.seeds);
  const auto [found, is_new] = keys_.try_emplace(text, text);
  if (is_new && simulator_.fingerprint) {
    try {
      found->second = fmt::format("{}, {} seeds", simulator_.fingerprint(request), request.seeds);
    } catch (const base::ConfigError&) {  // the run will say so
    }
  }
  return found->second;
}

std::vector<const RunResult*> RunCache::run(const std::vector<RunRequest>& requests) {
  std::vector<std::pair<std::string, std::size_t>> fresh;  // key, runs
  std::vector<RunRequest> work;
  for (const RunRequest& request : requests) {
    const std::string& own = key(request);
    const bool is_waiting = std::any_of(fresh.begin(), fresh.end(), [&](const auto& f) { return f.first == own; });
    if (is_waiting || results_.count(own) != 0) continue;
    fresh.emplace_back(own, request.seeds);
    std::vector<RunRequest> runs = seeded(request);
    std::move(runs.begin(), runs.end(), std::back_inserter(work));
  }
  if (!work.empty()) {
    std::vector<RunResult> results = simulator_.run(work);
    SWITCHYARD_ASSERT(results.size() == work.size(), "each run has a result");
    auto next = std::make_move_iterator(results.begin());
    for (const auto& [own, runs] : fresh) {
      const auto end = next + static_cast<std::ptrdiff_t>(runs);
      results_.emplace(own, merged(std::vector<RunResult>(next, end)));
      next = end;
    }
  }
  std::vector<const RunResult*> found;
  for (const RunRequest& request : requests) found.push_back(&results_.at(key(request)));
  return found;
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sc_main/experiment_simulator.h"

namespace switchyard::cli {

/// Simulates each configuration once, however often it is asked for and by whatever overrides.
class RunCache {
 public:
  explicit RunCache(const Simulator& simulator) : simulator_(simulator) {}
  bool has(const RunRequest& request) { return results_.count(key(request)) != 0; }
  /// Results in the order of the requests. They stay valid as long as the cache.
  std::vector<const RunResult*> run(const std::vector<RunRequest>& requests);

 private:
  /// What the result of a request depends on.
  const std::string& key(const RunRequest& request);

  const Simulator& simulator_;
  std::map<std::string, std::string> keys_;  ///< by files, overrides and seeds, as text
  std::map<std::string, RunResult> results_;
};

/// The seed of run `index` of several; the first, 0, keeps that of the files.
std::uint64_t later_seed(std::size_t index);

/// One run for each seed of the request. The first keeps the seed of the files.
std::vector<RunRequest> seeded(const RunRequest& request);

/// The runs of one request as one: counts and times are sums, and an iteration takes the mean of the runs with the 95 %
/// interval of that mean (Student's t over the runs). The first run that failed stands for all.
RunResult merged(std::vector<RunResult> runs);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/isolated_run.h"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace switchyard::cli {

std::vector<ChildResult> run_isolated(const std::vector<ChildWork>& work, const IsolationOptions& options) {
  std::vector<ChildResult> results(work.size());
  const std::size_t most = std::max(1u, options.jobs);
  const ChildSetup setup{options.time_limit_s, 0, ""};
  ChildPool pool;
  std::size_t next = 0;
  while (next < work.size() || pool.size() > 0) {
    for (; next < work.size() && pool.size() < most; ++next) pool.start(next, work[next], setup);
    for (EndedChild& ended : pool.wait()) {
      results[ended.id] = std::move(ended.result);
      if (options.on_done) options.on_done(ended.id);
    }
  }
  return results;
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace switchyard::cli

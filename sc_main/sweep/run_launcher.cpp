// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/run_launcher.h"

#include <utility>

namespace switchyard::cli {

void LocalLauncher::start(const RunJob& job) {
  const ChildSetup setup{limits_.time_limit_s, limits_.memory_limit_bytes, (job.folder / kLogFile).string()};
  pool_.start(
      job.id, [this, &job] { return write_reply(run_point(plan_, job)); }, setup);
}

std::vector<EndedRun> LocalLauncher::wait() {
  std::vector<EndedRun> result;
  for (EndedChild& child : pool_.wait()) {
    EndedRun& run = result.emplace_back();
    run.id = child.id;
    run.host_s = child.host_s;
    run.cpu_s = child.cpu_s;
    run.peak_bytes = child.peak_bytes;
    if (child.end == ChildEnd::finished)
      run.reply = read_reply(child.result.document);
    else
      run.reply.error = std::move(child.result.error);
    run.may_repeat = child.end != ChildEnd::finished && child.end != ChildEnd::refused;
  }
  return result;
}

}  // namespace switchyard::cli

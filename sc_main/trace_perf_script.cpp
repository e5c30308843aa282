// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_perf_script.h"

#include <iterator>

namespace switchyard::cli {

void PerfScriptWriter::write(const kernel::TraceEvent& event, const kernel::TaskTag& running) {
  constexpr std::uint64_t kNsPerS = 1'000'000'000;
  const std::uint64_t ns = event.time_ps / 1000;
  const EventName name = event_name(event);
  line_.clear();
  fmt::format_to(std::back_inserter(line_),
                 "{:>16} {:>5} [{:03}] {:>5}.{:09}: {:>24}: ", running.pid == 0 ? "swapper" : running.comm(),
                 running.pid, event.cpu, ns / kNsPerS, ns % kNsPerS, fmt::format("{}:{}", name.system, name.event));
  append_arguments(line_, event, cpus_);
  line_.push_back('\n');
  file_.write({line_.data(), line_.size()});
}

}  // namespace switchyard::cli

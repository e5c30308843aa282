// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_ftrace.h"

#include <iterator>
#include <string>
#include <string_view>

namespace switchyard::cli {
namespace {

constexpr std::string_view kBeforeCounts = "# tracer: nop\n#\n# entries-in-buffer/entries-written: ";
constexpr std::string_view kColumns =
    "#\n"
    "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
    "#              | |         |         |         |\n";

/// The number of entries is known in the end: spaces keep its place.
std::string counts(std::uint64_t entries, unsigned cpus) {
  return fmt::format("{:<42}#P:{}\n", fmt::format("{0}/{0}", entries), cpus);
}

}  // namespace

FtraceWriter::FtraceWriter(TraceFile& file, unsigned cpus) : file_(file), cpus_(cpus) {
  file_.write(kBeforeCounts);
  file_.write(counts(0, cpus));
  file_.write(kColumns);
}

void FtraceWriter::write(const kernel::TraceEvent& event, const kernel::TaskTag& running) {
  constexpr std::uint64_t kPsPerUs = 1'000'000;
  const std::uint64_t us = event.time_ps / kPsPerUs;
  line_.clear();
  fmt::format_to(std::back_inserter(line_),
                 "{:>16}-{:<7} [{:03}]  {:>5}.{:06}: {}: ", running.pid == 0 ? "<idle>" : running.comm(), running.pid,
                 event.cpu, us / kPsPerUs, us % kPsPerUs, event_name(event).event);
  append_arguments(line_, event, cpus_);
  line_.push_back('\n');
  file_.write({line_.data(), line_.size()});
  ++entries_;
}

void FtraceWriter::finish() {
  file_.rewrite(kBeforeCounts.size(), counts(entries_, cpus_));
  file_.close();
}

}  // namespace switchyard::cli

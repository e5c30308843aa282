// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sc_main/perfetto_trace.pb.h"
#include "sc_main/trace_writer.h"

namespace switchyard::cli {

/// A Perfetto trace: the kernel's events as Perfetto records them, in bundles by CPU, and the names of processes and
/// threads. Events that Perfetto's format has no message for (sched_migrate_task, sched_stat_runtime, tlb_flush) are
/// left out.
class PerfettoWriter : public TraceWriter {
 public:
  /// `file` outlives this.
  PerfettoWriter(TraceFile& file, unsigned cpus);

  void write(const kernel::TraceEvent& event, const kernel::TaskTag& running) override;
  void finish() override;

 private:
  void name(const kernel::TaskTag& task, std::uint64_t time_ns);
  void write_bundle(unsigned cpu);
  void write_packet();

  TraceFile& file_;
  std::vector<perfetto::protos::FtraceEventBundle> bundles_;  ///< by CPU
  std::set<unsigned> named_;                                  ///< threads and processes, by pid
  perfetto::protos::Trace trace_;                             ///< of one packet: such pieces in a row are a trace
  std::string bytes_;
};

}  // namespace switchyard::cli

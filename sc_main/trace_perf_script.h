// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sc_main/trace_text.h"
#include "sc_main/trace_writer.h"

namespace switchyard::cli {

/// What `perf script --ns` prints of these tracepoints. Source: Linux v6.1 tools/perf/builtin-script.c
/// (perf_sample__fprintf_start, process_event).
class PerfScriptWriter : public TraceWriter {
 public:
  /// `file` outlives this.
  PerfScriptWriter(TraceFile& file, unsigned cpus) : file_(file), cpus_(cpus) {}

  void write(const kernel::TraceEvent& event, const kernel::TaskTag& running) override;
  void finish() override { file_.close(); }

 private:
  TraceFile& file_;
  const unsigned cpus_;
  fmt::memory_buffer line_;
};

}  // namespace switchyard::cli

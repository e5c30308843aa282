// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sc_main/trace_text.h"
#include "sc_main/trace_writer.h"

namespace switchyard::cli {

/// What /sys/kernel/tracing/trace shows with its option irq-info off: the model does not know what those columns hold,
/// and readers of older formats take no line with them. Source: Linux v6.1 kernel/trace/trace.c
/// (print_func_help_header), kernel/trace/trace_output.c (trace_print_context).
class FtraceWriter : public TraceWriter {
 public:
  /// `file` outlives this.
  FtraceWriter(TraceFile& file, unsigned cpus);

  void write(const kernel::TraceEvent& event, const kernel::TaskTag& running) override;
  void finish() override;

 private:
  TraceFile& file_;
  const unsigned cpus_;
  std::uint64_t entries_ = 0;
  fmt::memory_buffer line_;
};

}  // namespace switchyard::cli

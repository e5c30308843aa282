// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "kernel/trace_events.h"

namespace switchyard::cli {

/// A file that grows while a run goes on. Throws base::ConfigError when it cannot be written, as soon as that shows.
class TraceFile {
 public:
  /// `shown` is what messages call it.
  TraceFile(const std::filesystem::path& path, std::string shown);

  void write(std::string_view bytes);
  /// Replaces bytes that have been written.
  void rewrite(std::uint64_t offset, std::string_view bytes);
  /// All bytes are on the disk.
  void close();

 private:
  void check() const;

  const std::string shown_;
  std::ofstream file_;
};

/// Writes the events of a run in one form.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  /// In order of their times; `running` is the task on whose stack the event happens.
  virtual void write(const kernel::TraceEvent& event, const kernel::TaskTag& running) = 0;
  /// After all events.
  virtual void finish() = 0;
};

}  // namespace switchyard::cli

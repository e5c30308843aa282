// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_writer.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace switchyard::cli {

TraceFile::TraceFile(const std::filesystem::path& path, std::string shown)
    : shown_(std::move(shown)), file_(path, std::ios::binary) {
  check();
}

void TraceFile::write(std::string_view bytes) {
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

void TraceFile::rewrite(std::uint64_t offset, std::string_view bytes) {
  file_.seekp(static_cast<std::streamoff>(offset));
  write(bytes);
  file_.seekp(0, std::ios::end);
  check();
}

void TraceFile::close() {
  file_.close();
  check();
}

void TraceFile::check() const {
  if (file_) return;
  throw base::ConfigError(shown_, "cannot write: " + std::error_code(errno, std::generic_category()).message());
}

}  // namespace switchyard::cli

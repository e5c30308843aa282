// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sc_main/sweep/run_launcher.h"

namespace switchyard::cli {

/// What runs took on this host, a JSON object a line; apart from the results, which do not depend on it. Best effort: a
/// line that cannot be written is missing.
class AttemptLog {
 public:
  explicit AttemptLog(const std::filesystem::path& folder) : file_(folder / "attempts.jsonl") {}
  void add(const std::string& key, const EndedRun& run) const;
  /// Mean seconds of the attempts that gave a result; 0 without any.
  double mean_seconds() const;

 private:
  std::filesystem::path file_;
};

}  // namespace switchyard::cli

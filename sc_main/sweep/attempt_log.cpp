// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/attempt_log.h"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sc_main/format.h"

namespace switchyard::cli {

void AttemptLog::add(const std::string& key, const EndedRun& run) const {
  const nlohmann::ordered_json line{{"run", key},
                                    {"ended", static_cast<std::int64_t>(std::time(nullptr))},
                                    {"ok", run.reply.error.empty()},
                                    {"error", run.reply.error},
                                    {"seconds", rounded(run.host_s, 6)},
                                    {"simulate_seconds", rounded(run.reply.simulate_s, 6)},
                                    {"cpu_seconds", rounded(run.cpu_s, 6)},
                                    {"peak_bytes", run.peak_bytes}};
  std::ofstream file(file_, std::ios::app | std::ios::binary);
  file << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n" << std::flush;
}

double AttemptLog::mean_seconds() const {
  double sum = 0;
  std::size_t count = 0;
  std::ifstream file(file_, std::ios::binary);
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);  // the last one may be cut
    if (!line.is_object() || !line.value("ok", false)) continue;
    sum += line.value("seconds", 0.0);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace switchyard::cli

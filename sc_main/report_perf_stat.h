// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/run_outcome.h"

namespace switchyard::cli {

/// One line of `perf stat`.
struct PerfEvent {
  std::string event;
  std::string unit;  ///< `msec`, or empty for counts
  double value = 0;
  /// Half-width of the 95 % interval in percent of the value; 0 for counts, nothing with too few iterations.
  std::optional<double> variance = 0;
  double metric_value = 0;
  std::string metric_unit;  ///< empty: no derived figure
};

/// The events of a run, scaled to the loop's count. Clocks and cycles are those of the processes; hardware and kernel
/// events those of the whole machine, as with `perf stat -a`.
std::vector<PerfEvent> perf_events(const platforms::RunOutcome& outcome);

/// `time` as bash prints it, under a comment that says what was measured.
std::string time_text(const platforms::RunOutcome& outcome);

/// `perf stat`.
std::string perf_stat_text(const platforms::RunOutcome& outcome, const std::string& name);

/// A list of the objects that `perf stat --json` prints, with its keys.
nlohmann::ordered_json perf_stat_json(const platforms::RunOutcome& outcome);

/// What stands where an interval would, with too few iterations for one.
inline constexpr std::string_view kNoInterval = "(too few iterations for an interval)";

/// `# did not complete: check_failed: <message>`, with its line end; empty when the run completed.
std::string incomplete_text(const platforms::RunOutcome& outcome);

/// `10000 iterations of loop reclaim, from 42 measured after 3 of warm-up`, or `the whole run`, or as far as it came.
std::string scale_text(const platforms::RunOutcome& outcome);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platforms/run_outcome.h"
#include "sc_main/profile.h"

namespace switchyard::cli {

/// What `perf report` on the kernel would show of the processes: firmware counted for its caller.
Profile perf_view(const platforms::RunOutcome& outcome);
/// Everything: firmware by its own functions, and what interrupts did on CPUs that were otherwise idle.
Profile full_view(const platforms::RunOutcome& outcome);

/// Both views in the layout of `perf report --children --stdio`, one under the other.
std::string perf_report_text(const platforms::RunOutcome& outcome);

/// One line a stack, `main;madvise;...;fn cycles`, as flame graph tools read it.
std::string folded_text(const platforms::RunOutcome& outcome);

/// Cycles by cause, a column for each group of tasks and one for all.
std::string causes_text(const platforms::RunOutcome& outcome);

/// Rows of a profile, and causes by group.
nlohmann::ordered_json profile_json(const Profile& profile);
nlohmann::ordered_json causes_json(const platforms::RunOutcome& outcome);

}  // namespace switchyard::cli

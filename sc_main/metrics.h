// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/run_outcome.h"

namespace switchyard::cli {

/// One figure of a run, with the half-width of its 95 % confidence interval (0 where it is a plain count).
///
/// | name | meaning |
/// |---|---|
/// | `real` | seconds of the whole measured loop: mean of the iterations measured times its count |
/// | `user`, `sys` | CPU seconds of the processes in user code, and in kernel and firmware; scaled like `real` |
/// | `per_iteration_us` | microseconds of one iteration |
/// | `warm_up_excess` | percent of the iterations measured that MSER-5 takes for warm-up still; not for shared loops |
/// | `share.<function>` | percent of the processes' busy cycles in the function itself; firmware counts for its caller
/// | | `machine_share.<function>` | percent of the time of all CPUs, idle included, in the function itself | |
/// `per_loop.<module>.<stat>` | a statistic divided by the iterations measured | | `stat.<module>.<name>` | a statistic
/// of the measured window |
///
/// `<module>` is a module's name, `firmware` or `kernel`; the name of an array means all its members together.
/// Without a measured loop `real`, `user` and `sys` are those of the whole run.
/// Throws base::ConfigError for a name that this run does not have, with the nearest one that it has.
platforms::Estimate metric(const platforms::RunOutcome& outcome, const std::string& name);

/// Whether metric() would give a value. A function that never ran is in no profile: where another run of the same
/// experiment has its share, 0 is the answer for this one.
bool has_metric(const platforms::RunOutcome& outcome, const std::string& name);

/// `s`, `us`, `%`, or for statistics their own unit; empty for an unknown name.
std::string metric_unit(const platforms::RunOutcome& outcome, const std::string& name);

/// Whether the `ci95` of times means anything: platforms::batch_means needs an iteration for each of its batches.
bool has_interval(const platforms::RunOutcome& outcome);

/// Whether the run ended before the first iteration or moment that counts, so that times are not known.
bool nothing_measured(const platforms::RunOutcome& outcome);

/// What multiplies sums over the measured window to those of the whole loop; 1 without a loop.
double loop_scale(const platforms::RunOutcome& outcome);

/// `real`, `user` and `sys` of one run.
struct RunTimes {
  platforms::Estimate real, user, sys;
};
RunTimes run_times(const platforms::RunOutcome& outcome);

/// Sum of the statistic `name` over all modules that have it.
std::optional<std::uint64_t> stat_of_all(const platforms::RunOutcome& outcome, const std::string& name);

}  // namespace switchyard::cli

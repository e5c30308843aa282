// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "platforms/run_outcome.h"

namespace switchyard::test {

using cpu::Cause;
using cpu::Domain;
using platforms::CallRecord;
using platforms::RunOutcome;
using platforms::TaskRecord;

inline CallRecord call(const std::string& function, Domain domain, int parent, std::uint64_t cycles,
                       Cause cause = Cause::instructions) {
  CallRecord record{function, domain, parent, 1, {}};
  record.cycles[static_cast<std::size_t>(cause)] = cycles;
  return record;
}

/// A thread that fences from a system call, with firmware below it, and an idle CPU whose firmware answers.
///
/// | chain | cycles |
/// |---|---|
/// | main (kernel part) | 10 |
/// | main (user part) | 190 |
/// | main, sys_madvise | 100 |
/// | main, sys_madvise, fence | 200 |
/// | main, sys_madvise, fence, trap (firmware) | 400 |
/// | main, sys_madvise, fence, trap, send (firmware) | 100 |
/// | swapper | 5000 idle |
/// | swapper, trap (firmware) | 300 |
inline RunOutcome fencing_run() {
  RunOutcome outcome;
  outcome.simulated_s = 2e-6;
  outcome.measured_s = 1e-6;
  outcome.has_loop = true;
  outcome.loop = {"reclaim", 1000, 2, 10, true, {1e-7, 1e-9}};
  outcome.cpu_hz = 1'000'000'000;
  outcome.cpus = 2;
  outcome.tasks.push_back({"swapper/0",
                           0,
                           true,
                           {call("swapper/0", Domain::idle, -1, 5000, Cause::idle),
                            call("trap", Domain::firmware, 0, 300, Cause::firmware)}});
  outcome.tasks.push_back({"main",
                           1,
                           false,
                           {call("main", Domain::kernel, -1, 10), call("main", Domain::user, 0, 190, Cause::memory),
                            call("sys_madvise", Domain::kernel, 1, 100), call("fence", Domain::kernel, 2, 200),
                            call("trap", Domain::firmware, 3, 400, Cause::firmware),
                            call("send", Domain::firmware, 4, 100, Cause::device)}});
  outcome.stats = {{"hart[0]", "tlb_l1_misses", "count", "Look-ups that missed", 30},
                   {"hart[1]", "tlb_l1_misses", "count", "Look-ups that missed", 12},
                   {"firmware", "remote_fences", "count", "Fence calls", 25},
                   {"kernel", "context_switches", "count", "Switches", 4}};
  return outcome;
}

}  // namespace switchyard::test

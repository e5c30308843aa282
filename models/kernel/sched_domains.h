// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/topology.h"

namespace switchyard::kernel {

/// What the levels of domains differ in.
struct DomainLevel {
  unsigned imbalance_percent = 125;  ///< imbalance_pct
  unsigned cache_nice_tries = 0;     ///< failures after which tasks are moved that are hot in their cache
  bool serialize = false;            ///< one CPU at a time balances it
};

/// A level at which a CPU balances load between groups of CPUs.
struct SchedDomain {
  DomainLevel level;
  std::vector<std::vector<unsigned>> groups;  ///< the one of the CPU first, then in order behind it
  std::uint64_t weight = 0;                   ///< CPUs; also its shortest interval in milliseconds
  // The state of a CPU's domain:
  std::uint64_t last_balance = 0;  ///< jiffies
  std::uint64_t interval_ms = 0;
  unsigned failed = 0;  ///< attempts in a row that found an imbalance and moved nothing
};

/// The domains of `cpu` without those of one group, innermost first: threads of its core, cores of its last-level
/// cache, caches of the machine. CPUs that are offline are in none.
std::vector<SchedDomain> sched_domains(const Topology& topology, unsigned cpu);

}  // namespace switchyard::kernel

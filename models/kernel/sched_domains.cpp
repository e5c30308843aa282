// SPDX-License-Identifier: Apache-2.0
#include "kernel/sched_domains.h"

#include <algorithm>

namespace switchyard::kernel {

namespace {

// Source: Linux v4.14 kernel/sched/topology.c, sd_init.
constexpr DomainLevel kSmt{.imbalance_percent = 110};
constexpr DomainLevel kMc{.imbalance_percent = 117, .cache_nice_tries = 1};
constexpr DomainLevel kNuma{.cache_nice_tries = 2, .serialize = true};

/// Splits the CPUs with the same `span` number as `cpu` by their `group` number.
template <class Span, class Group>
SchedDomain domain(const Topology& topology, unsigned cpu, const DomainLevel& level, Span span, Group group) {
  SchedDomain result;
  result.level = level;
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < topology.cpus(); ++i) {
    const unsigned c = (cpu + i) % topology.cpus();
    if (!topology.online(c) || span(c) != span(cpu)) continue;
    const auto found = std::find(numbers.begin(), numbers.end(), group(c));
    if (found == numbers.end()) {
      numbers.push_back(group(c));
      result.groups.push_back({c});
    } else {
      result.groups[static_cast<std::size_t>(found - numbers.begin())].push_back(c);
    }
    ++result.weight;
  }
  for (std::vector<unsigned>& members : result.groups) std::sort(members.begin(), members.end());
  result.interval_ms = result.weight;
  return result;
}

}  // namespace

std::vector<SchedDomain> sched_domains(const Topology& topology, unsigned cpu) {
  const auto core = [&](unsigned c) { return topology.core(c); };
  const auto llc = [&](unsigned c) { return topology.llc(c); };
  std::vector<SchedDomain> result;
  result.push_back(domain(topology, cpu, kSmt, core, [](unsigned c) { return c; }));
  result.push_back(domain(topology, cpu, kMc, llc, core));
  result.push_back(domain(
      topology, cpu, kNuma, [](unsigned) { return 0u; }, llc));
  std::erase_if(result, [](const SchedDomain& one) { return one.groups.size() < 2; });
  return result;
}

}  // namespace switchyard::kernel

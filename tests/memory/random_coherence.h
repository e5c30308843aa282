// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/random.h"
#include "memory/hierarchy.h"
#include "memory/interconnect.h"

namespace switchyard::test {

/// Agents, a few lines shared truly and falsely, caches too small for them, values checked: random accesses.
struct RandomCoherence : CacheTest {
  static constexpr unsigned kLines = 24;
  static constexpr Address kEnd = kLines * 64;

  base::RandomStream random{10, "coherence"};
  std::vector<std::unique_ptr<memory::Interconnect>> fabrics;

  /// An interconnect above the bus; what is built from now on is wired to it.
  template <class Fabric>
  memory::Interconnect& add_fabric(std::uint64_t caches_per_bus = 2) {
    memory::InterconnectParams params;
    params.caches_per_bus = caches_per_bus;
    fabrics.push_back(std::make_unique<Fabric>("fabric", params));
    bind_ports(fabrics.back()->initiator("mem"), bus.target("in"));
    bottom = [this] { return fabrics.back()->target("cpu"); };
    return *fabrics.back();
  }
  /// Devices 0 at the bus, 1 at the root of the caches.
  void start_with_devices() {
    add_device(bus.target("in"));
    add_device(fabrics.empty() ? l2().target("cpu") : fabrics.back()->target("cpu"));
    start();
    for (const auto& fabric : fabrics) fabric->set_check(&check);
  }
  void step() {
    const std::uint64_t choice = random.below(100);
    const unsigned bytes = 1u << random.below(4);
    const Address pa = random.below(kEnd / bytes) * bytes;
    Agent& agent = *agents[random.below(agents.size())];
    if (choice < 50)
      agent.load(pa, bytes);
    else if (choice < 97)
      agent.store(pa, random.next(), bytes);
    else if (choice < 98)
      check.read(98, pa, devices[1]->read(pa, bytes), bytes);
    else if (choice < 99)
      devices[1]->write(pa, random.next(), bytes);
    else
      check.read(99, pa, agent.peek(pa, bytes), bytes);
  }
  void run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      step();
      if (i % 64 == 0) let_time_pass();
    }
    for (Address pa = 0; pa < kEnd; pa += 8) check.read(99, pa, agents[0]->peek(pa), 8);
  }
  /// Past the end of all transfers, which buses need not remember then.
  void let_time_pass() {
    sc_core::sc_start(sim::from_ps(now_ps) + sc_core::sc_time(1, sc_core::SC_MS));
    now_ps = 0;
  }
  /// run(), and that the caches had something to replace all the time.
  void run_long(unsigned steps) {
    run(steps);
    BOOST_TEST(check.checked() > steps / 2);
    for (const auto& cache : caches) BOOST_TEST(count(*cache, "evictions") > steps / 1000);
  }
};

}  // namespace switchyard::test

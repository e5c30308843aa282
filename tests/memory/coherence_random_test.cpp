// SPDX-License-Identifier: Apache-2.0
// Eight agents, 24 lines shared truly and falsely, caches too small for them, the coherence check on: a million random
// accesses in each of several hierarchies.
#include "base/random.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr unsigned kAgents = 8, kLines = 24, kSteps = 1'000'000;
constexpr Address kEnd = kLines * 64;

struct Random : CacheTest {
  base::RandomStream random{10, "coherence"};

  /// Devices 0 at the bus, 1 at the last cache.
  void start_with_devices() {
    add_device(bus.target("in"));
    add_device(l2().target("cpu"));
    start();
  }
  void step() {
    const std::uint64_t choice = random.below(100);
    const unsigned bytes = 1u << random.below(4);
    const Address pa = random.below(kEnd / bytes) * bytes;
    Agent& agent = *agents[random.below(kAgents)];
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
  void run() {
    for (unsigned i = 0; i < kSteps; ++i) step();
    for (Address pa = 0; pa < kEnd; pa += 8) check.read(99, pa, agents[0]->peek(pa), 8);
    BOOST_TEST(check.checked() > kSteps / 2);
    for (const auto& cache : caches) BOOST_TEST(count(*cache, "evictions") > 1000u);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(random_coherence, Random)

BOOST_AUTO_TEST_CASE(private_caches_above_one_shared_cache_stay_coherent) {
  Cache& l2 = add_cache(params(16, 4, 64, 12, 20));
  for (unsigned i = 0; i < kAgents; ++i) add_agent(add_cache(params(4, 2), &l2));
  start_with_devices();
  run();
}

BOOST_AUTO_TEST_CASE(three_levels_with_growing_lines_stay_coherent) {
  Cache& l3 = add_cache(params(8, 4, 128, 30, 60));
  for (int pair = 0; pair < 4; ++pair) {
    Cache& l2 = add_cache(params(8, 2, 64, 12, 20), &l3);
    for (int i = 0; i < 2; ++i) add_agent(add_cache(params(8, 2, 16), &l2));
  }
  start_with_devices();
  run();
}

BOOST_AUTO_TEST_CASE(branches_of_different_depth_and_random_replacement_stay_coherent) {
  CacheParams last = params(5, 5, 256, 30, 60);
  last.replacement = memory::Replacement::random;
  Cache& l3 = add_cache(last);
  for (const std::uint64_t line : {16u, 64u}) {
    Cache& l2 = add_cache(params(6, 2, 64, 12, 20), &l3);  // three sets
    for (int i = 0; i < 2; ++i) add_agent(add_cache(params(6, 1, line), &l2));
  }
  for (int i = 0; i < 4; ++i) add_agent(add_cache(params(3, 3), &l3));
  start_with_devices();
  run();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Eleven million random accesses, over several hierarchies, with every value checked.
#include "memory/random_coherence.h"

namespace switchyard::test {

namespace {

constexpr unsigned kSteps = 1'250'000;  // nine hierarchies

}  // namespace

BOOST_FIXTURE_TEST_SUITE(random_coherence, RandomCoherence)

BOOST_AUTO_TEST_CASE(private_caches_above_one_shared_cache_stay_coherent) {
  Cache& l2 = add_cache(params(16, 4, 64, 12, 20));
  for (unsigned i = 0; i < 8; ++i) add_agent(add_cache(params(4, 2), &l2));
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(first_levels_of_several_threads_stay_coherent) {
  Cache& l3 = add_cache(params(16, 4, 128, 30, 60));
  for (int core = 0; core < 4; ++core) {
    Cache& l2 = add_cache(params(8, 2, 128, 12, 20), &l3);
    Cache& l1 = add_cache(params(6, 2, 64), &l2);
    for (int thread = 0; thread < 2; ++thread) add_agent(l1);
  }
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(three_levels_with_growing_lines_stay_coherent) {
  Cache& l3 = add_cache(params(8, 4, 128, 30, 60));
  for (int pair = 0; pair < 4; ++pair) {
    Cache& l2 = add_cache(params(8, 2, 64, 12, 20), &l3);
    for (int i = 0; i < 2; ++i) add_agent(add_cache(params(8, 2, 16), &l2));
  }
  start_with_devices();
  run_long(kSteps);
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
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(caches_on_a_snooping_bus_stay_coherent) {
  add_fabric<memory::SnoopBus>();
  for (unsigned i = 0; i < 8; ++i) add_agent(add_cache(params(8, 2)));
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(caches_of_16_byte_lines_on_a_snooping_bus_stay_coherent) {
  add_fabric<memory::SnoopBus>(4);
  for (unsigned i = 0; i < 4; ++i) add_agent(add_cache(params(8, 2, 16)));
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(caches_on_a_directory_stay_coherent) {
  add_fabric<memory::DirectoryFabric>();
  for (unsigned i = 0; i < 8; ++i) add_agent(add_cache(params(8, 2)));
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(shared_caches_with_longer_lines_on_a_snooping_bus_stay_coherent) {
  add_fabric<memory::SnoopBus>(1);
  for (int chip = 0; chip < 3; ++chip) {
    Cache& l2 = add_cache(params(8, 4, 128, 12, 20));
    for (int i = 0; i < 2; ++i) add_agent(add_cache(params(4, 2, 32), &l2));
  }
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_CASE(shared_caches_with_longer_lines_on_a_directory_stay_coherent) {
  add_fabric<memory::DirectoryFabric>(1);
  for (int chip = 0; chip < 3; ++chip) {
    Cache& l2 = add_cache(params(8, 4, 128, 12, 20));
    for (int i = 0; i < 2; ++i) add_agent(add_cache(params(4, 2, 64), &l2));
  }
  start_with_devices();
  run_long(kSteps);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

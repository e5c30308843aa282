// SPDX-License-Identifier: Apache-2.0
// Each step of the protocol that is left out is noticed by the checks.
#include "memory/protocol_mutation.h"

#include "base/errors.h"
#include "memory/random_coherence.h"

namespace switchyard::test {

namespace {

using memory::ProtocolMutation;

constexpr unsigned kSteps = 100'000;

struct Mutated : RandomCoherence {
  /// The run ends with a message that names what was read or who holds the line.
  void is_noticed() {
    BOOST_CHECK_EXCEPTION(run(kSteps), base::CheckError, [](const base::CheckError& error) {
      return std::string(error.what()).find("coherence: ") != std::string::npos;
    });
  }
  void private_caches_on(memory::Interconnect& fabric, ProtocolMutation mutation) {
    for (unsigned i = 0; i < 4; ++i) add_agent(add_cache(params(8, 2)));
    start_with_devices();
    fabric.set_mutation(mutation);
    is_noticed();
  }
  void snoop_bus(ProtocolMutation mutation) { private_caches_on(add_fabric<memory::SnoopBus>(), mutation); }
  void directory(ProtocolMutation mutation) { private_caches_on(add_fabric<memory::DirectoryFabric>(), mutation); }
  /// Two chips on a bus, each with a shared cache that is mutated.
  void shared_cache(ProtocolMutation mutation) {
    add_fabric<memory::SnoopBus>();
    std::vector<Cache*> shared;
    for (int chip = 0; chip < 2; ++chip) {
      shared.push_back(&add_cache(params(8, 4, 64, 12, 20)));
      for (int i = 0; i < 2; ++i) add_agent(add_cache(params(4, 2), shared.back()));
    }
    start_with_devices();
    for (Cache* cache : shared) cache->set_mutation(mutation);
    is_noticed();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(protocol_mutation, Mutated)

BOOST_AUTO_TEST_CASE(bus_without_mutation_runs_clean) {
  add_fabric<memory::SnoopBus>();
  for (unsigned i = 0; i < 4; ++i) add_agent(add_cache(params(8, 2)));
  start_with_devices();
  BOOST_CHECK_NO_THROW(run(kSteps));
}

BOOST_AUTO_TEST_CASE(bus_skip_invalidation) { snoop_bus(ProtocolMutation::skip_invalidation); }
BOOST_AUTO_TEST_CASE(bus_skip_downgrade) { snoop_bus(ProtocolMutation::skip_downgrade); }
BOOST_AUTO_TEST_CASE(bus_memory_before_owner) { snoop_bus(ProtocolMutation::memory_before_owner); }
BOOST_AUTO_TEST_CASE(bus_lose_write_back) { snoop_bus(ProtocolMutation::lose_write_back); }
BOOST_AUTO_TEST_CASE(bus_always_exclusive) { snoop_bus(ProtocolMutation::always_exclusive); }
BOOST_AUTO_TEST_CASE(bus_no_memory_update) { snoop_bus(ProtocolMutation::no_memory_update); }
BOOST_AUTO_TEST_CASE(bus_upgrade_alone) { snoop_bus(ProtocolMutation::upgrade_alone); }
BOOST_AUTO_TEST_CASE(bus_plain_write_unnoticed) { snoop_bus(ProtocolMutation::plain_write_unnoticed); }

BOOST_AUTO_TEST_CASE(directory_skip_invalidation) { directory(ProtocolMutation::skip_invalidation); }
BOOST_AUTO_TEST_CASE(directory_skip_downgrade) { directory(ProtocolMutation::skip_downgrade); }
BOOST_AUTO_TEST_CASE(directory_memory_before_owner) { directory(ProtocolMutation::memory_before_owner); }
BOOST_AUTO_TEST_CASE(directory_lose_write_back) { directory(ProtocolMutation::lose_write_back); }
BOOST_AUTO_TEST_CASE(directory_always_exclusive) { directory(ProtocolMutation::always_exclusive); }
BOOST_AUTO_TEST_CASE(directory_no_memory_update) { directory(ProtocolMutation::no_memory_update); }
BOOST_AUTO_TEST_CASE(directory_upgrade_alone) { directory(ProtocolMutation::upgrade_alone); }
BOOST_AUTO_TEST_CASE(directory_plain_write_unnoticed) { directory(ProtocolMutation::plain_write_unnoticed); }

BOOST_AUTO_TEST_CASE(cache_forget_sharer) { shared_cache(ProtocolMutation::forget_sharer); }
BOOST_AUTO_TEST_CASE(cache_skip_recall) { shared_cache(ProtocolMutation::skip_recall); }
BOOST_AUTO_TEST_CASE(cache_skip_back_invalidate) { shared_cache(ProtocolMutation::skip_back_invalidate); }
BOOST_AUTO_TEST_CASE(cache_lose_victim) { shared_cache(ProtocolMutation::lose_victim); }
BOOST_AUTO_TEST_CASE(cache_snoop_stops_here) { shared_cache(ProtocolMutation::snoop_stops_here); }
BOOST_AUTO_TEST_CASE(cache_share_as_exclusive) { shared_cache(ProtocolMutation::share_as_exclusive); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

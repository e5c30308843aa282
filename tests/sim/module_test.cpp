// SPDX-License-Identifier: Apache-2.0
#include "switchyard/module.h"

#include <boost/test/unit_test.hpp>

#include "base/errors.h"
#include "base/stats.h"
#include "support/sim_test.h"
#include "switchyard/coherence.h"

namespace switchyard::test {

namespace {

/// A module without any port.
struct Bare : Module {
  using Module::Module;
  std::vector<PortInfo> ports() const override { return {}; }
  const base::StatGroup& stats() const override { return stats_; }
  base::StatGroup stats_;
};

/// Either end of both kinds of socket; counts what arrives.
struct End : tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override { ++arrived; }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  int arrived = 0;
};

/// The sockets of two modules, one above the other.
struct Both : sc_core::sc_module {
  InitiatorSocket above{"above"}, snoop_below{"snoop_below"};
  TargetSocket below{"below"}, snoop_above{"snoop_above"};
  End upper, lower;

  explicit Both(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    above.bind(static_cast<tlm::tlm_bw_transport_if<>&>(upper));
    snoop_above.bind(static_cast<tlm::tlm_fw_transport_if<>&>(upper));
    below.bind(static_cast<tlm::tlm_fw_transport_if<>&>(lower));
    snoop_below.bind(static_cast<tlm::tlm_bw_transport_if<>&>(lower));
  }
};

struct Sockets : SimTest, Both {
  Sockets() : Both("both") {}
  void send(InitiatorSocket& socket) {
    tlm::tlm_generic_payload tx;
    sc_core::sc_time delay;
    socket->b_transport(tx, delay);
  }
};

bool says(const base::InternalError& error, const char* text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(module, Sockets)

BOOST_AUTO_TEST_CASE(ports_are_bound_downwards_and_their_snoops_upwards) {
  bind_ports({&above, &snoop_above}, {&below, &snoop_below});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(above);
  BOOST_TEST(lower.arrived == 1);
  BOOST_TEST(upper.arrived == 0);
  send(snoop_below);
  BOOST_TEST(upper.arrived == 1);
}

BOOST_AUTO_TEST_CASE(an_initiator_without_snoops_may_sit_above_a_cache) {
  bind_ports({&above, nullptr}, {&below, &snoop_below});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BOOST_TEST(snoop_below.size() == 0);
  send(above);
  BOOST_TEST(lower.arrived == 1);
}

BOOST_AUTO_TEST_CASE(a_cache_may_sit_above_a_target_without_snoops) {
  bind_ports({&above, &snoop_above}, {&below, nullptr});
  BOOST_CHECK_NO_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME));
  send(above);
  BOOST_TEST(lower.arrived == 1);
}

BOOST_AUTO_TEST_CASE(sockets_may_stay_unbound) { BOOST_CHECK_NO_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME)); }

BOOST_AUTO_TEST_CASE(asking_for_a_port_that_is_not_there_is_our_fault_and_names_both) {
  Bare bare("bare");
  BOOST_CHECK_EXCEPTION(bare.initiator("mem"), base::InternalError,
                        [](const auto& e) { return says(e, "bare has no initiator port mem"); });
  BOOST_CHECK_EXCEPTION(bare.target("in"), base::InternalError,
                        [](const auto& e) { return says(e, "bare has no target port in"); });
  BOOST_CHECK_EXCEPTION(bare.interrupt_in("msip"), base::InternalError,
                        [](const auto& e) { return says(e, "bare has no interrupt input msip"); });
}

BOOST_AUTO_TEST_CASE(a_module_answers_nowhere_and_is_wired_well_unless_it_says_otherwise) {
  Bare bare("bare");
  BOOST_TEST(bare.address_range().size == 0u);
  BOOST_TEST(bare.check_wiring() == "");
  BOOST_CHECK_NO_THROW(bare.route("out", {0, 4096}));
}

BOOST_AUTO_TEST_CASE(a_copied_payload_takes_its_coherence_along) {
  CoherenceExtension original;
  original.request = Coherence::read_unique;
  original.level = 2;
  original.spent = {1, 2, 3, 4};
  tlm::tlm_generic_payload from, to;
  from.set_extension(&original);
  to.deep_copy_from(from);
  const auto* copy = to.get_extension<CoherenceExtension>();
  BOOST_TEST_REQUIRE(copy != nullptr);
  BOOST_TEST((copy != &original));
  BOOST_TEST((copy->request == Coherence::read_unique));
  BOOST_TEST(copy->level == 2u);
  BOOST_TEST(copy->spent.memory == 4u);
  from.clear_extension(&original);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

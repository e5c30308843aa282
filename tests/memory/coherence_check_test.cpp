// SPDX-License-Identifier: Apache-2.0
// The check itself: faults put into the hierarchy on purpose have to be reported.
#include "memory/coherence_check.h"

#include "base/errors.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000, kY = 0x2000;

struct CheckTest : CacheTest {
  void set_state(unsigned agent, Address pa, LineState state) {
    auto& array = agents[agent]->l1().array();
    array.set_state(array.find(pa), state);
  }
  std::uint8_t& byte(unsigned agent, Address pa) {
    auto& array = agents[agent]->l1().array();
    return *array.byte(array.find(pa), pa);
  }
};

void reports(const std::string& expected, const std::function<void()>& access) {
  BOOST_CHECK_EXCEPTION(access(), base::CheckError, [&](const auto& error) {
    BOOST_TEST(error.what() == expected);
    return true;
  });
}

/// Passes the snoops of a second level on to a first level, except those that `drop` wants lost.
class Snoops : public sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
 public:
  TargetSocket in{"in"};
  InitiatorSocket out{"out"};
  std::function<bool(CoherenceExtension&)> drop = [](CoherenceExtension&) { return false; };

  explicit Snoops(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

 private:
  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override {
    if (!drop(*tx.get_extension<CoherenceExtension>())) out->b_transport(tx, delay);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override { return out->transport_dbg(tx); }
};

/// Two agents; the snoops to the first one's cache pass a tamperer.
struct TamperTest : CheckTest {
  Snoops snoops{"snoops"};

  TamperTest() {
    Cache& below = add_cache(l2_params());
    caches.push_back(std::make_unique<Cache>("tampered", params(16, 4)));
    Cache& l1 = *caches.back();
    const Module::Initiator up = l1.initiator("mem");
    const Module::Target down = below.target("cpu");
    up.socket->bind(*down.socket);
    down.snoop->bind(snoops.in);
    snoops.out.bind(*up.snoop);
    add_agent(l1);
    add_agent(add_cache(params(16, 4), &below));
    add_device(bus.target("in"));
    start();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(second_image)

BOOST_AUTO_TEST_CASE(a_read_must_return_the_last_write) {
  memory::CoherenceCheck check;
  check.wrote(0x10, 0x1122334455667788, 8);
  check.wrote(0x12, 0xaabb, 2);
  BOOST_CHECK_NO_THROW(check.read(0, 0x10, 0x11223344aabb7788, 8));
  reports("coherence: CPU 3 read byte 0x66 at 0x12, the last write there was 0xbb",
          [&] { check.read(3, 0x10, 0x1122334455667788, 8); });
  BOOST_TEST(check.checked() == 2u);
}

BOOST_AUTO_TEST_CASE(unwritten_bytes_are_learnt_at_the_first_read) {
  memory::CoherenceCheck check;
  check.read(0, 0x20, 0x55, 1);
  BOOST_CHECK_NO_THROW(check.read(1, 0x20, 0x55, 1));
  reports("coherence: CPU 1 read byte 0x56 at 0x20, the last write there was 0x55",
          [&] { check.read(1, 0x20, 0x56, 1); });
}

BOOST_AUTO_TEST_CASE(an_access_over_a_page_edge_is_checked_on_both_sides) {
  memory::CoherenceCheck check;
  check.wrote(0xffe, 0x44332211, 4);
  BOOST_CHECK_NO_THROW(check.read(0, 0x1000, 0x4433, 2));
  reports("coherence: CPU 0 read byte 0x34 at 0x1000, the last write there was 0x33",
          [&] { check.read(0, 0xfff, 0x443422, 3); });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(seeded_faults, CheckTest)

BOOST_AUTO_TEST_CASE(nothing_is_reported_without_a_fault) {
  build(3);
  for (unsigned i = 0; i < 300; ++i) {
    agents[i % 3]->store(kX + 8 * (i % 8), i);
    agents[(i + 1) % 3]->load(kX + 8 * (i % 5));
  }
  BOOST_TEST(check.checked() == 300u);
}

BOOST_AUTO_TEST_CASE(a_stale_read_is_reported) {
  build(2);
  agents[0]->store(kX, 0x11);
  agents[1]->load(kX);
  byte(1, kX) = 0;
  reports("coherence: CPU 1 read byte 0x0 at 0x1000, the last write there was 0x11", [&] { agents[1]->load(kX); });
}

BOOST_AUTO_TEST_CASE(a_dropped_write_back_is_reported) {
  build(2, params(1, 1));
  agents[0]->store(kX, 0x11);
  set_state(0, kX, LineState::exclusive);  // forgets that it has to be written back
  agents[0]->load(kY);
  reports("coherence: CPU 0 read byte 0x0 at 0x1000, the last write there was 0x11", [&] { agents[0]->load(kX); });
}

BOOST_AUTO_TEST_CASE(two_writers_are_reported_at_the_next_request_for_the_line) {
  build(3);
  agents[0]->load(kX);
  agents[1]->load(kX);
  set_state(0, kX, LineState::modified);
  set_state(1, kX, LineState::modified);
  reports("coherence: line of 0x1000 is writable in cache1 while cache2 has a copy", [&] { agents[2]->load(kX); });
}

BOOST_AUTO_TEST_CASE(a_writer_before_a_reader_is_reported) {
  build(3);
  agents[0]->load(kX);
  agents[1]->load(kX);
  set_state(0, kX, LineState::exclusive);
  reports("coherence: line of 0x1000 is writable in cache1 while cache2 has a copy", [&] { agents[2]->load(kX); });
}

BOOST_AUTO_TEST_CASE(a_writer_behind_a_reader_is_reported) {
  build(3);
  agents[0]->load(kX);
  agents[1]->load(kX);
  set_state(1, kX, LineState::exclusive);
  reports("coherence: line of 0x1000 is writable in cache2 while cache1 has a copy", [&] { agents[2]->load(kX); });
}

BOOST_AUTO_TEST_CASE(faults_of_one_line_are_not_seen_at_another) {
  build(3);
  agents[0]->load(kX);
  agents[1]->load(kX);
  set_state(0, kX, LineState::modified);
  BOOST_CHECK_NO_THROW(agents[2]->load(kY));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(tampered_snoops, TamperTest)

BOOST_AUTO_TEST_CASE(a_lost_invalidation_is_reported) {
  agents[0]->load(kX);
  agents[1]->load(kX);
  snoops.drop = [](CoherenceExtension& ext) { return ext.request == Coherence::snoop_invalid; };
  reports("coherence: line of 0x1000 is writable in cache2 while tampered has a copy",
          [&] { agents[1]->store(kX, 1); });
}

BOOST_AUTO_TEST_CASE(a_lost_downgrade_is_reported) {
  agents[0]->store(kX, 1);
  snoops.drop = [](CoherenceExtension&) { return true; };
  reports("coherence: line of 0x1000 is writable in tampered while cache2 has a copy", [&] { agents[1]->load(kX); });
}

BOOST_AUTO_TEST_CASE(data_that_get_lost_in_a_transfer_are_reported) {
  agents[0]->store(kX, 1);
  agents[1]->load(kX);
  agents[0]->store(kX, 0x22);
  snoops.drop = [this](CoherenceExtension& ext) {
    set_state(0, kX, LineState::exclusive);  // answers that it has nothing newer
    return ext.request == Coherence::none;
  };
  reports("coherence: CPU 1 read byte 0x1 at 0x1000, the last write there was 0x22", [&] { agents[1]->load(kX); });
}

BOOST_AUTO_TEST_CASE(untampered_snoops_are_fine) {
  for (unsigned i = 0; i < 100; ++i) {
    agents[i % 2]->store(kX, i);
    BOOST_TEST(agents[1 - i % 2]->load(kX) == i);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

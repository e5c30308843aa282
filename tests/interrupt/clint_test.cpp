// SPDX-License-Identifier: Apache-2.0
#include "interrupt/clint.h"

#include "interrupt/clint_map.h"
#include "interrupt/device_fixture.h"
#include "interrupt/timer_ticks.h"

using namespace switchyard;
using interrupt::Clint;
namespace clint_map = interrupt::clint_map;
using test::Changes;
using test::RecordingLine;

namespace {

constexpr std::uint64_t kNs = 1000;
constexpr std::uint64_t kUs = 1000 * kNs;
constexpr std::uint64_t kBase = 0x2000000;

struct ClintTest : test::SimTest {
  std::vector<RecordingLine> msip = std::vector<RecordingLine>(2);
  std::vector<RecordingLine> mtip = std::vector<RecordingLine>(2);
  interrupt::ClintParams params;
  std::unique_ptr<Clint> clint;
  test::Driver driver{"driver"};

  ClintTest() {
    clint = std::make_unique<Clint>("clint", params);
    for (auto& line : msip) clint->connect_interrupt("msip", line);
    for (auto& line : mtip) clint->connect_interrupt("mtip", line);
    bind_ports({&driver.out, nullptr}, clint->target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void run(std::uint64_t ps) { sc_core::sc_start(sim::from_ps(ps), sc_core::SC_RUN_TO_TIME); }
  std::uint64_t counter(const std::string& name) const {
    for (const auto* counter : clint->stats().counters())
      if (counter->name() == name) return counter->value();
    return ~std::uint64_t{0};
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(clint)

BOOST_FIXTURE_TEST_CASE(a_store_to_msip_raises_and_clears_the_line_of_that_hart, ClintTest) {
  run(5 * kNs);
  BOOST_TEST(driver.write(kBase + 4, 1, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(msip[1].level);
  BOOST_TEST(!msip[0].level);
  BOOST_TEST(driver.read(kBase + 4, 4) == 1u);
  BOOST_TEST(driver.delay == sc_core::sc_time(50, sc_core::SC_NS));
  run(5 * kNs);
  BOOST_TEST(driver.write(kBase + 4, 0xfffffffe, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(msip[1].changes == (Changes{{5 * kNs, true}, {10 * kNs, false}}), boost::test_tools::per_element());
  BOOST_TEST(driver.read(kBase + 4, 4) == 0u);
  BOOST_TEST(counter("msip_writes") == 2u);
  BOOST_TEST(counter("reads") == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_store_that_runs_ahead_takes_effect_at_its_annotated_time, ClintTest) {
  driver.write(kBase, 1, 4, 30 * kNs);
  BOOST_TEST(!msip[0].level);
  BOOST_TEST(driver.read(kBase, 4, 29 * kNs) == 0u);
  BOOST_TEST(driver.read(kBase, 4, 30 * kNs) == 1u);
  driver.write(kBase, 0, 4, 10 * kNs);
  driver.write(kBase, 0, 4, 40 * kNs);
  run(100 * kNs);
  BOOST_TEST(msip[0].changes == (Changes{{30 * kNs, true}, {40 * kNs, false}}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(stores_of_the_same_instant_apply_in_call_order, ClintTest) {
  driver.write(kBase, 1, 4, 10 * kNs);
  driver.write(kBase, 0, 4, 10 * kNs);
  driver.write(kBase + 4, 0, 4, 10 * kNs);
  driver.write(kBase + 4, 1, 4, 10 * kNs);
  run(11 * kNs);
  BOOST_TEST(!msip[0].level);
  BOOST_TEST(msip[1].level);
}

BOOST_FIXTURE_TEST_CASE(a_store_at_the_instant_of_an_earlier_call_comes_after_it, ClintTest) {
  driver.write(kBase, 1, 4, 10 * kNs);
  run(10 * kNs);
  driver.write(kBase, 0, 4);
  run(kNs);
  BOOST_TEST(!msip[0].level);
  BOOST_TEST(msip[0].changes.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(mtime_counts_the_timebase, ClintTest) {
  run(2500 * kNs);
  BOOST_TEST(driver.read(kBase + clint_map::kMtime, 8) == 2u);
  BOOST_TEST(driver.read(kBase + clint_map::kMtime, 8, 500 * kNs) == 3u);
  BOOST_TEST(driver.read(kBase + clint_map::kMtime, 4) == 2u);
  BOOST_TEST(driver.read(kBase + clint_map::kMtime + 4, 4) == 0u);
  BOOST_TEST(driver.write(kBase + clint_map::kMtime, 0, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
}

BOOST_FIXTURE_TEST_CASE(the_timer_interrupt_is_pending_from_the_deadline_on, ClintTest) {
  driver.write(kBase + clint_map::mtimecmp(1), 3, 8);
  run(10 * kUs);
  driver.write(kBase + clint_map::mtimecmp(1), 12, 8);
  run(10 * kUs);
  const Changes expected{{3 * kUs, true}, {10 * kUs, false}, {12 * kUs, true}};
  BOOST_TEST(mtip[1].changes == expected, boost::test_tools::per_element());
  BOOST_TEST(mtip[0].changes.empty());
  BOOST_TEST(counter("mtimecmp_writes") == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_deadline_in_the_past_is_pending_at_once, ClintTest) {
  run(5 * kUs);
  driver.write(kBase + clint_map::mtimecmp(0), 5, 8);
  BOOST_TEST(mtip[0].level);
}

BOOST_FIXTURE_TEST_CASE(an_earlier_deadline_replaces_a_later_one_and_never_disarms, ClintTest) {
  driver.write(kBase + clint_map::mtimecmp(0), 9, 8);
  driver.write(kBase + clint_map::mtimecmp(1), 4, 8);
  driver.write(kBase + clint_map::mtimecmp(0), 2, 8);
  driver.write(kBase + clint_map::mtimecmp(1), interrupt::kNever, 8);
  run(20 * kUs);
  BOOST_TEST(mtip[0].changes == (Changes{{2 * kUs, true}}), boost::test_tools::per_element());
  BOOST_TEST(mtip[1].changes.empty());
}

BOOST_FIXTURE_TEST_CASE(harts_with_one_deadline_are_interrupted_at_the_same_time, ClintTest) {
  driver.write(kBase + clint_map::mtimecmp(0), 7, 8);
  driver.write(kBase + clint_map::mtimecmp(1), 7, 8);
  run(8 * kUs);
  BOOST_TEST(mtip[0].changes == mtip[1].changes, boost::test_tools::per_element());
  BOOST_TEST(mtip[0].level);
}

BOOST_FIXTURE_TEST_CASE(mtimecmp_may_be_written_in_halves, ClintTest) {
  driver.write(kBase + clint_map::mtimecmp(0) + 4, 0, 4);
  driver.write(kBase + clint_map::mtimecmp(0), 3, 4);
  BOOST_TEST(driver.read(kBase + clint_map::mtimecmp(0), 8) == 3u);
  run(4 * kUs);
  BOOST_TEST(mtip[0].changes == (Changes{{3 * kUs, true}}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(an_unarmed_timer_leaves_no_event_behind, ClintTest) {
  driver.write(kBase + clint_map::mtimecmp(0), 3, 8);
  driver.write(kBase + clint_map::mtimecmp(0), interrupt::kNever, 8);
  BOOST_TEST(!sc_core::sc_pending_activity());
}

BOOST_FIXTURE_TEST_CASE(what_is_not_a_register_gets_an_address_error, ClintTest) {
  for (const std::uint64_t offset : {0x8u, 0x3ffcu, 0x4010u, 0xbff0u, 0xfffcu}) {
    BOOST_TEST(driver.write(kBase + offset, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::uint64_t value = 0;
    BOOST_TEST(driver.transport(tlm::TLM_READ_COMMAND, kBase + offset, value, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  BOOST_TEST(driver.write(kBase - 4, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase + 0x10000, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

BOOST_FIXTURE_TEST_CASE(wrong_sizes_and_alignments_get_a_burst_error, ClintTest) {
  BOOST_TEST(driver.write(kBase, 1, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase, 1, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase + 2, 1, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase + clint_map::mtimecmp(0) + 4, 1, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(!msip[0].level);
  BOOST_TEST(counter("msip_writes") == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_streaming_burst_is_refused, ClintTest) {
  tlm::tlm_generic_payload tx;
  std::uint64_t value = 1;
  driver.fill(tx, tlm::TLM_WRITE_COMMAND, kBase, &value, 8);
  tx.set_streaming_width(4);
  sc_core::sc_time delay;
  driver.out->b_transport(tx, delay);
  BOOST_TEST(tx.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
}

BOOST_FIXTURE_TEST_CASE(byte_enables_are_refused, ClintTest) {
  tlm::tlm_generic_payload tx;
  std::uint64_t value = 1;
  unsigned char enable[4] = {0xff, 0xff, 0xff, 0xff};
  driver.fill(tx, tlm::TLM_WRITE_COMMAND, kBase, &value, 4);
  tx.set_byte_enable_ptr(enable);
  tx.set_byte_enable_length(4);
  sc_core::sc_time delay;
  driver.out->b_transport(tx, delay);
  BOOST_TEST(tx.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

BOOST_FIXTURE_TEST_CASE(a_non_blocking_call_completes_early, ClintTest) {
  tlm::tlm_generic_payload tx;
  std::uint64_t value = 1;
  driver.fill(tx, tlm::TLM_WRITE_COMMAND, kBase, &value, 4);
  sc_core::sc_time delay;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  BOOST_TEST(driver.out->nb_transport_fw(tx, phase, delay) == tlm::TLM_COMPLETED);
  BOOST_TEST(tx.get_response_status() == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(delay == sc_core::sc_time(50, sc_core::SC_NS));
  BOOST_TEST(msip[0].level);
}

BOOST_FIXTURE_TEST_CASE(debug_reads_see_the_registers_and_are_not_counted, ClintTest) {
  driver.write(kBase + 4, 1, 4);
  tlm::tlm_generic_payload tx;
  std::uint64_t value = 0;
  driver.fill(tx, tlm::TLM_READ_COMMAND, kBase + 4, &value, 4);
  BOOST_TEST(driver.out->transport_dbg(tx) == 4u);
  BOOST_TEST(value == 1u);
  BOOST_TEST(counter("reads") == 0u);
  driver.fill(tx, tlm::TLM_READ_COMMAND, kBase + 8, &value, 4);
  BOOST_TEST(driver.out->transport_dbg(tx) == 0u);
  tlm::tlm_dmi dmi;
  BOOST_TEST(!driver.out->get_direct_mem_ptr(tx, dmi));
}

BOOST_FIXTURE_TEST_CASE(missing_timer_wires_are_reported, ClintTest) {
  BOOST_TEST(clint->check_wiring() == "");
  RecordingLine extra;
  clint->connect_interrupt("msip", extra);
  BOOST_TEST(clint->check_wiring() == "msip has 3 wires, mtip 2; every hart needs both");
}

BOOST_AUTO_TEST_CASE(a_latency_in_cycles_is_refused) {
  interrupt::ClintParams params;
  BOOST_TEST(params.check() == "");
  params.latency = base::cycles(3);
  BOOST_TEST(params.check() == "latency must be a time such as `50 ns`, not cycles");
}

BOOST_AUTO_TEST_CASE(ticks_and_times_convert_without_being_early) {
  const base::Frequency rtc{32768};
  for (const std::uint64_t tick : {1ull, 2ull, 3ull, 32768ull, 1000000007ull}) {
    const std::uint64_t ps = interrupt::time_of(tick, rtc);
    BOOST_TEST(interrupt::tick_count(ps, rtc) == tick);
    BOOST_TEST(interrupt::tick_count(ps - 1, rtc) == tick - 1);
    BOOST_TEST(interrupt::ticks_at(ps, rtc) >= tick);
  }
  BOOST_TEST(interrupt::time_of(interrupt::kNever - 1, rtc) == interrupt::kNever);
  BOOST_TEST(interrupt::ticks_at(interrupt::kNever, rtc) == interrupt::kNever);
}

BOOST_AUTO_TEST_SUITE_END()

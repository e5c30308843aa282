// SPDX-License-Identifier: Apache-2.0
#include "interrupt/pa_external.h"

#include "interrupt/device_fixture.h"

using namespace switchyard;
using interrupt::IntervalTimer;
using interrupt::PaExternal;
using test::Changes;

namespace {

constexpr std::uint64_t kBase = 0xfffa0000;

struct PaExternalTest : test::SimTest {
  std::vector<test::RecordingLine> external = std::vector<test::RecordingLine>(2);
  std::vector<test::RecordingLine> itimer = std::vector<test::RecordingLine>(2);
  PaExternal device{"device", {}};
  test::Driver driver{"driver"};

  PaExternalTest() {
    for (auto& line : external) device.connect_interrupt("ssip", line);
    for (auto& line : itimer) device.connect_interrupt("itimer", line);
    bind_ports({&driver.out, nullptr}, device.target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  static void run_ns(double ns) { sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS)); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pa_external, PaExternalTest)

BOOST_AUTO_TEST_CASE(a_store_to_the_register_of_a_cpu_raises_its_line_only) {
  BOOST_TEST(device.register_of(1) == kBase + 4);
  BOOST_TEST(driver.write(device.register_of(1), 1, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(external[1].changes == (Changes{{0, true}}), boost::test_tools::per_element());
  BOOST_TEST(external[0].changes.empty());
  for (const auto& line : itimer) BOOST_TEST(line.changes.empty());
  BOOST_TEST(device.stats().counters()[0]->value() == 1u);
}

BOOST_AUTO_TEST_CASE(it_interrupts_the_kernel_without_firmware) {
  BOOST_TEST((device.mode() == interrupt::IpiFabric::Mode::supervisor));
  BOOST_TEST(device.harts() == 2u);
}

BOOST_AUTO_TEST_CASE(a_timer_raises_the_line_of_its_cpu_at_the_deadline) {
  device.arm(1, 5'000);
  run_ns(4.999);
  BOOST_TEST(!itimer[1].level);
  run_ns(100);
  BOOST_TEST(itimer[1].changes == (Changes{{5'000, true}}), boost::test_tools::per_element());
  BOOST_TEST(itimer[0].changes.empty());
  for (const auto& line : external) BOOST_TEST(line.changes.empty());
}

BOOST_AUTO_TEST_CASE(the_line_stays_high_until_the_timer_is_set_again) {
  device.arm(0, 5'000);
  run_ns(1'000);
  BOOST_TEST(itimer[0].level);
  device.arm(0, 1'200'000);
  run_ns(1'000);
  BOOST_TEST(itimer[0].changes == (Changes{{5'000, true}, {1'000'000, false}, {1'200'000, true}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_new_deadline_replaces_the_old_one_earlier_or_later) {
  device.arm(0, 50'000);
  device.arm(0, 80'000);
  device.arm(1, 80'000);
  device.arm(1, 50'000);
  run_ns(100);
  BOOST_TEST(itimer[0].changes == (Changes{{80'000, true}}), boost::test_tools::per_element());
  BOOST_TEST(itimer[1].changes == (Changes{{50'000, true}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(never_disarms_a_timer_and_lowers_its_line) {
  device.arm(0, 50'000);
  device.arm(0, IntervalTimer::kNever);
  device.arm(1, 5'000);
  run_ns(100);
  BOOST_TEST(itimer[0].changes.empty());
  device.arm(1, IntervalTimer::kNever);
  run_ns(1'000'000);
  BOOST_TEST(itimer[1].changes == (Changes{{5'000, true}, {100'000, false}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_deadline_that_has_passed_interrupts_now) {
  run_ns(20);
  device.arm(0, 5'000);
  device.arm(1, 20'000);
  run_ns(20);
  for (const auto& line : itimer)
    BOOST_TEST(line.changes == (Changes{{20'000, true}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(timers_of_two_cpus_do_not_disturb_each_other) {
  device.arm(0, 10'000);
  device.arm(1, 10'000);
  device.arm(0, IntervalTimer::kNever);
  run_ns(20);
  BOOST_TEST(itimer[0].changes.empty());
  BOOST_TEST(itimer[1].changes == (Changes{{10'000, true}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(registers_without_a_cpu_and_wrong_sizes_are_refused) {
  BOOST_TEST(driver.write(kBase + 8, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase, 1, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_lacks_one_of_the_two_wires_is_refused) {
  BOOST_TEST(device.check_wiring() == "");
  test::RecordingLine third;
  device.connect_interrupt("ssip", third);
  BOOST_TEST(device.check_wiring() == "2 CPUs are wired to itimer and 3 to ssip; every CPU needs both");
}

BOOST_AUTO_TEST_SUITE_END()

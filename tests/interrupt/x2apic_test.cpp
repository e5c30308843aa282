// SPDX-License-Identifier: Apache-2.0
#include "interrupt/x2apic.h"

#include "interrupt/device_fixture.h"
#include "interrupt/gic_sgi.h"

using namespace switchyard;
using interrupt::GicSgi;
using interrupt::X2Apic;
using test::Changes;

namespace {

/// A controller of three CPUs with 50 ns per access and 500 ns of delivery.
template <class Device>
struct ControllerTest : test::SimTest {
  std::vector<test::RecordingLine> intr = std::vector<test::RecordingLine>(3);
  std::vector<test::RecordingLine> timer = std::vector<test::RecordingLine>(3);
  Device device{"device", {}};
  test::Driver driver{"driver"};

  ControllerTest() {
    for (auto& line : intr) device.connect_interrupt("intr", line);
    for (auto& line : timer) device.connect_interrupt("timer", line);
    bind_ports({&driver.out, nullptr}, device.target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  static void run_ns(double ns) { sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS)); }
};

using X2ApicTest = ControllerTest<X2Apic>;
using GicSgiTest = ControllerTest<GicSgi>;

}  // namespace

BOOST_AUTO_TEST_SUITE(x2apic)

BOOST_FIXTURE_TEST_CASE(a_message_to_the_address_of_a_cpu_interrupts_it_after_the_delivery, X2ApicTest) {
  BOOST_TEST(device.register_of(2) == 0xfee02000u);
  BOOST_TEST(driver.write(0xfee02000, 0xfd, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(driver.delay == sc_core::sc_time(50, sc_core::SC_NS));
  run_ns(2'000);
  BOOST_TEST(intr[2].changes == (Changes{{500'000, true}}), boost::test_tools::per_element());
  BOOST_TEST(intr[0].changes.empty());
  BOOST_TEST(intr[1].changes.empty());
  for (const auto& line : timer) BOOST_TEST(line.changes.empty());
  BOOST_TEST(device.stats().counters()[0]->value() == 1u);
}

BOOST_FIXTURE_TEST_CASE(messages_of_initiators_that_run_ahead_arrive_in_the_order_of_time, X2ApicTest) {
  driver.write(device.register_of(1), 1, 4, 300'000);
  driver.write(device.register_of(0), 1, 4, 100'000);
  run_ns(2'000);
  BOOST_TEST(intr[0].changes == (Changes{{600'000, true}}), boost::test_tools::per_element());
  BOOST_TEST(intr[1].changes == (Changes{{800'000, true}}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_timer_of_a_cpu_has_a_line_of_its_own, X2ApicTest) {
  device.arm(1, 5'000);
  run_ns(100);
  BOOST_TEST(timer[1].changes == (Changes{{5'000, true}}), boost::test_tools::per_element());
  for (const auto& line : intr) BOOST_TEST(line.changes.empty());
}

BOOST_FIXTURE_TEST_CASE(addresses_between_the_cpus_and_beyond_them_are_refused, X2ApicTest) {
  BOOST_TEST(driver.write(0xfee01004, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(driver.write(0xfee03000, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(driver.write(0xfee01000, 1, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(device.stats().counters()[0]->value() == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_cpu_that_lacks_one_of_the_two_wires_is_refused, X2ApicTest) {
  BOOST_TEST(device.check_wiring() == "");
  test::RecordingLine fourth;
  device.connect_interrupt("intr", fourth);
  BOOST_TEST(device.check_wiring() == "3 CPUs are wired to timer and 4 to intr; every CPU needs both");
}

BOOST_FIXTURE_TEST_CASE(more_cpus_than_the_window_names_are_refused, X2ApicTest) {
  std::vector<test::RecordingLine> more(254);
  for (auto& line : more) {
    device.connect_interrupt("intr", line);
    device.connect_interrupt("timer", line);
  }
  BOOST_TEST(device.check_wiring() == "at most 256 CPUs have a place in its window, got 257");
}

BOOST_AUTO_TEST_CASE(cycles_and_odd_addresses_are_no_parameters) {
  interrupt::X2ApicParams params;
  BOOST_TEST(params.check() == "");
  params.base = 0xfee00004;
  BOOST_TEST(params.check() == "base must be a multiple of 4096, got 4276092932");
  params.delivery = base::cycles(3);
  BOOST_TEST(params.check() == "latency and delivery must be times such as `50 ns`, not cycles");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gic_sgi)

BOOST_FIXTURE_TEST_CASE(a_pending_bit_in_the_sgi_frame_of_a_cpu_interrupts_it, GicSgiTest) {
  BOOST_TEST(device.register_of(1) == 0x8100000u + 0x20000 + 0x10200);
  BOOST_TEST(driver.write(device.register_of(1), 1, 4) == tlm::TLM_OK_RESPONSE);
  run_ns(2'000);
  BOOST_TEST(intr[1].changes == (Changes{{500'000, true}}), boost::test_tools::per_element());
  BOOST_TEST(intr[0].changes.empty());
}

BOOST_FIXTURE_TEST_CASE(other_bits_and_other_registers_do_not, GicSgiTest) {
  BOOST_TEST(driver.write(device.register_of(1), 0x10000, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(driver.write(device.register_of(1) + 4, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  run_ns(2'000);
  for (const auto& line : intr) BOOST_TEST(line.changes.empty());
}

BOOST_AUTO_TEST_SUITE_END()

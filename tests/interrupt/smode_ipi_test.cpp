// SPDX-License-Identifier: Apache-2.0
#include "interrupt/smode_ipi.h"

#include "interrupt/device_fixture.h"

using namespace switchyard;
using interrupt::Sswi;
using test::Changes;

namespace {

constexpr std::uint64_t kBase = 0x2f00000;

struct SswiTest : test::SimTest {
  std::vector<test::RecordingLine> ssip = std::vector<test::RecordingLine>(2);
  interrupt::SswiParams params;
  std::unique_ptr<Sswi> sswi;
  test::Driver driver{"driver"};

  SswiTest() {
    sswi = std::make_unique<Sswi>("sswi", params);
    for (auto& line : ssip) sswi->connect_interrupt("ssip", line);
    bind_ports({&driver.out, nullptr}, sswi->target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sswi)

BOOST_FIXTURE_TEST_CASE(storing_one_raises_the_line_and_reads_back_zero, SswiTest) {
  BOOST_TEST(driver.write(sswi->register_of(1), 1, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(ssip[1].changes == (Changes{{0, true}}), boost::test_tools::per_element());
  BOOST_TEST(driver.read(kBase + 4, 4) == 0u);
  BOOST_TEST(ssip[0].changes.empty());
  BOOST_TEST(sswi->stats().counters()[0]->value() == 1u);
}

BOOST_FIXTURE_TEST_CASE(storing_zero_does_nothing, SswiTest) {
  BOOST_TEST(driver.write(kBase, 0, 4) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(ssip[0].changes.empty());
}

BOOST_FIXTURE_TEST_CASE(each_store_that_runs_ahead_makes_an_edge_at_its_time, SswiTest) {
  driver.write(kBase, 1, 4, 9000);
  driver.write(kBase + 4, 1, 4, 4000);
  driver.write(kBase + 4, 1, 4, 20000);
  sc_core::sc_start(100, sc_core::SC_NS);
  BOOST_TEST(ssip[0].changes == (Changes{{9000, true}}), boost::test_tools::per_element());
  const Changes expected{{4000, true}, {20000, false}, {20000, true}};
  BOOST_TEST(ssip[1].changes == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(harts_without_wire_and_wrong_sizes_are_refused, SswiTest) {
  BOOST_TEST(driver.write(kBase + 8, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(driver.write(kBase, 1, 8) == tlm::TLM_BURST_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_SUITE_END()

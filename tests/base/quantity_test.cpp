// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <boost/test/unit_test.hpp>

namespace switchyard::test {

using base::Latency;

BOOST_AUTO_TEST_SUITE(quantity)

BOOST_AUTO_TEST_CASE(binary_prefixes_are_powers_of_1024) {
  BOOST_TEST(base::kib(3).value == 3u * 1024);
  BOOST_TEST(base::mib(3).value == 3u * 1024 * 1024);
  BOOST_TEST(base::gib(3).value == 3ull * 1024 * 1024 * 1024);
}

BOOST_AUTO_TEST_CASE(a_latency_keeps_its_unit) {
  BOOST_TEST((base::cycles(12) == Latency{12, Latency::Unit::cycles}));
  BOOST_TEST((base::nanoseconds(80) == Latency{80'000, Latency::Unit::picoseconds}));
  BOOST_TEST((base::cycles(1000) != base::nanoseconds(1)));
}

BOOST_AUTO_TEST_CASE(an_unwritten_latency_is_zero_cycles) { BOOST_TEST((Latency{} == base::cycles(0))); }

BOOST_AUTO_TEST_CASE(quantities_of_one_kind_compare_by_value) {
  BOOST_TEST((base::kib(1) < base::mib(1)));
  BOOST_TEST((base::Frequency{1'200'000'000} < base::Frequency{1'850'000'000}));
  BOOST_TEST((base::Duration{5} == base::Duration{5}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

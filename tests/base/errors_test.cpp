// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"

#include <boost/test/unit_test.hpp>

#include "base/stats.h"

namespace switchyard::test {

BOOST_AUTO_TEST_SUITE(errors)

BOOST_AUTO_TEST_CASE(a_configuration_error_says_where_and_what) {
  BOOST_TEST(std::string(base::ConfigError("a.yaml:5", "ram.size: missing").what()) == "a.yaml:5: ram.size: missing");
  BOOST_TEST(std::string(base::ConfigError("whole text").what()) == "whole text");
}

BOOST_AUTO_TEST_CASE(a_failed_assertion_names_its_place_condition_and_reason) {
  BOOST_CHECK_EXCEPTION(SWITCHYARD_ASSERT(1 + 1 == 3, "sums are right"), base::InternalError, [](const auto& error) {
    const std::string text = error.what();
    return text.find("errors_test.cpp:") != std::string::npos &&
           text.find("internal error: 1 + 1 == 3: sums are right") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_true_assertion_does_nothing) {
  BOOST_CHECK_NO_THROW(SWITCHYARD_ASSERT(1 + 1 == 2, "sums are right"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(stats)

BOOST_AUTO_TEST_CASE(counters_are_listed_in_the_order_of_declaration_and_reset_together) {
  struct : base::StatGroup {
    base::Counter reads{*this, "reads", "count", "Reads"};
    base::Counter bytes{*this, "bytes", "B", "Bytes"};
  } group;
  ++group.reads;
  group.bytes += 64;
  group.bytes += 64;
  BOOST_TEST_REQUIRE(group.counters().size() == 2u);
  BOOST_TEST(group.counters()[0]->name() == "reads");
  BOOST_TEST(group.counters()[0]->value() == 1u);
  BOOST_TEST(group.counters()[1]->unit() == "B");
  BOOST_TEST(group.counters()[1]->value() == 128u);
  group.reset();
  BOOST_TEST(group.reads.value() + group.bytes.value() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

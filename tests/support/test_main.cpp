// SPDX-License-Identifier: Apache-2.0
// Entry point of every test binary: the main() of the SystemC library calls sc_main.
#define BOOST_TEST_NO_MAIN
#define BOOST_TEST_ALTERNATIVE_INIT_API
#include <boost/test/unit_test.hpp>
#include <systemc>

static bool init_unit_test() { return true; }

int sc_main(int argc, char* argv[]) { return boost::unit_test::unit_test_main(&init_unit_test, argc, argv); }

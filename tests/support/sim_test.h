// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <systemc>
#include <tlm>
#include <vector>

namespace switchyard::test {

/// Base of a fixture that simulates: every case gets a fresh SystemC context, so one binary runs many simulations.
/// Modules are members of the derived fixture; they die before the context does. Fatal reports throw.
class SimTest {
 public:
  SimTest() {
    using namespace sc_core;
    sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
    sc_report_handler::set_actions(SC_FATAL, SC_THROW);
    sc_report_handler::set_actions(SC_ID_NO_SC_START_ACTIVITY_, SC_DO_NOTHING);
    BOOST_TEST_REQUIRE(sc_get_top_level_objects().empty());
  }
  SimTest(const SimTest&) = delete;
  SimTest& operator=(const SimTest&) = delete;

  /// The old context is kept, not deleted: the library's own static handles point into it until exit. Keeping the
  /// pointers in a vector that is never freed tells the leak checker so. sc_curr_simcontext is public in the SystemC
  /// headers but not part of IEEE 1666; nothing else uses it.
  ~SimTest() {
    static auto& retired = *new std::vector<sc_core::sc_simcontext*>;
    retired.push_back(sc_core::sc_get_curr_simcontext());
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time{});
  }
};

}  // namespace switchyard::test

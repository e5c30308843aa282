// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "sc_main/cli.h"

namespace {

/// Standard output is for results only; SystemC's default handler would write there.
void report(const sc_core::sc_report& text, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) std::cerr << sc_core::sc_report_compose_message(text) << "\n";
  sc_core::sc_report_handler::default_handler(text, actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  using namespace sc_core;
  sc_report_handler::set_handler(&report);
  sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
  sc_report_handler::set_actions(SC_FATAL, SC_THROW);
  sc_report_handler::set_actions(SC_ID_NO_SC_START_ACTIVITY_, SC_DO_NOTHING);
  return switchyard::cli::run_program(argc, argv, std::cout, std::cerr);
}

/// Replaces the entry point of the SystemC library: its banner is printed before sc_main.
int main(int argc, char* argv[]) {
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

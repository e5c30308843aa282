// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::CpuOps;

struct InterruptTest : CpuTest {
  Handler machine, supervisor;
  std::string order;                   ///< letters of what ran
  std::vector<std::uint64_t> entered;  ///< nanoseconds

  /// Handlers that write a letter, take `machine_cycles` and `supervisor_cycles`, and clear what was pending.
  void handle(unsigned i, std::uint64_t machine_cycles = 50, std::uint64_t supervisor_cycles = 50) {
    machine.body = [this, i, machine_cycles](CpuOps& c, std::uint32_t pending) {
      enter('m', i);
      BOOST_TEST((c.privilege() == Privilege::machine));
      c.set_pending(pending, false);
      c.execute(machine_cycles);
      order += 'M';
    };
    supervisor.body = [this, i, supervisor_cycles](CpuOps& c, std::uint32_t pending) {
      enter('s', i);
      BOOST_TEST((c.privilege() == Privilege::supervisor));
      c.set_pending(pending, false);
      c.execute(supervisor_cycles);
      order += 'S';
    };
    cpu(i).set_machine_handler(&machine);
    cpu(i).set_supervisor_handler(&supervisor);
  }
  void enter(char letter, unsigned i) {
    order += letter;
    entered.push_back(ns(i));
  }
  /// Raises the input `port` of CPU 0 at `at_ns`.
  void raise(std::uint64_t at_ns, const std::string& port) {
    at(at_ns, [this, port] { cpu().interrupt_in(port).set(true); });
  }
  void expect_entered(std::initializer_list<std::uint64_t> expected) {
    BOOST_TEST(entered == std::vector<std::uint64_t>(expected), boost::test_tools::per_element());
  }
};

}  // namespace switchyard::test

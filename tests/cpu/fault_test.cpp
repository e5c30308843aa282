// SPDX-License-Identifier: Apache-2.0
// Page faults and bus errors.
#include "base/errors.h"
#include "cpu/fault_fixture.h"

namespace switchyard::test {

BOOST_FIXTURE_TEST_SUITE(faults, FaultTest)

BOOST_AUTO_TEST_CASE(a_missing_translation_enters_the_handler_and_the_access_is_tried_again) {
  build_mapped(1);
  std::vector<std::string> calls;
  faults.body = [&](cpu::CpuOps& c, Address va, Access access) {
    calls.push_back(std::to_string(va) + (access == Access::store ? " store" : " load"));
    BOOST_TEST((c.privilege() == Privilege::supervisor));
    c.execute(100);
    map(root, va, 0x7000);
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) {
    c.set_privilege(Privilege::user);
    c.store(0x20008, 0x42);
    BOOST_TEST((c.privilege() == Privilege::user));
    BOOST_TEST(c.load(0x20008) == 0x42u);
    c.load(kVa);
  });
  run();
  BOOST_TEST(calls == (std::vector<std::string>{"131080 store"}), boost::test_tools::per_element());
  BOOST_TEST(cpu().debug_memory().peek(0x7008) == 0x42u);
}

BOOST_AUTO_TEST_CASE(a_handler_that_maps_nothing_yet_is_entered_again) {
  build_mapped(1);
  int calls = 0;
  faults.body = [&](cpu::CpuOps&, Address va, Access) {
    if (++calls == 3) map(root, va, 0x7000);
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) { c.load(0x20000); });
  run();
  BOOST_TEST(calls == 3);
}

BOOST_AUTO_TEST_CASE(a_store_to_a_page_for_reading_faults_until_the_held_translation_is_flushed) {
  build_mapped(1);
  map(root, 0x20000, 0x7000, 2);
  int calls = 0;
  faults.body = [&](cpu::CpuOps& c, Address va, Access access) {
    ++calls;
    BOOST_TEST((access == Access::store));
    map(root, va, 0x7000, 2 | 4);
    c.flush_tlb({TlbFlush::Scope::page, va, 0, true});
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) {
    c.load(0x20000);
    c.store(0x20000, 1);
  });
  run();
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(the_handler_cannot_leave_interrupts_different) {
  build_mapped(1);
  faults.body = [&](cpu::CpuOps& c, Address va, Access) {
    c.set_interrupts(true);
    map(root, va, 0x7000);
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) {
    c.load(0x20000);
    BOOST_TEST(!c.set_interrupts(false));
  });
  run();
}

BOOST_AUTO_TEST_CASE(instructions_are_fetched_through_translations_of_their_own) {
  build_mapped(1);
  const auto id = functions.add("walker", cpu::Domain::kernel, 0x30000);
  int calls = 0;
  faults.body = [&](cpu::CpuOps&, Address va, Access access) {
    ++calls;
    BOOST_TEST((access == Access::fetch));
    BOOST_TEST(va == 0x30000u);
    map(root, va, 0x7000);
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) {
    const auto scope = c.function(id);
    c.execute(10);
    c.execute(10);
  });
  run();
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(without_a_handler_a_fault_ends_the_run_with_cpu_and_address) {
  build_mapped(2);
  on(1, [&](Cpu& c) { c.load(0x20008); });
  BOOST_TEST(contains(failure(), "CPU 1: no translation for 0x20008 and no page-fault handler"));
}

BOOST_AUTO_TEST_CASE(machine_mode_needs_no_translation) {
  build_mapped(1);
  on(0, [&](Cpu& c) {
    c.set_privilege(Privilege::machine);
    c.store(0x7000, 5);
    BOOST_TEST(c.load(0x7000) == 5u);
  });
  run();
}

BOOST_AUTO_TEST_CASE(looking_where_no_memory_is_says_so) {
  build(1);
  BOOST_CHECK_EXCEPTION(cpu().debug_memory().peek(0x900000), base::CheckError, [](const auto& error) {
    return std::string(error.what()) == "no memory at physical address 0x900000";
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(bus_errors)

BOOST_AUTO_TEST_CASE(an_address_without_memory_ends_the_run_with_cpu_address_and_kind) {
  struct Case {
    std::function<void(Cpu&)> access;
    const char* text;
  };
  const Case cases[] = {
      {[](Cpu& c) { c.load(0x900000); }, "CPU 0: bus error on a read of physical address 0x900000"},
      {[](Cpu& c) { c.store(0x900040, 1); }, "CPU 0: bus error on a write of physical address 0x900040"},
      {[](Cpu& c) { c.mmio_read(0x900000, 4); }, "CPU 0: bus error on a read of physical address 0x900000"},
      {[](Cpu& c) { c.mmio_write(0x900000, 1, 4); }, "CPU 0: bus error on a write of physical address 0x900000"}};
  for (const Case& each : cases) {
    CpuTest machine;
    machine.build(1);
    machine.on(0, each.access);
    BOOST_TEST(CpuTest::contains(CpuTest::failure(), each.text));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

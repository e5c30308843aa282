// SPDX-License-Identifier: Apache-2.0
// TLBs that software refills.
#include "cpu/fault_fixture.h"

namespace switchyard::test {

namespace {

struct Misses : Faults {
  std::vector<Address> pages;
  std::function<void(cpu::CpuOps&)> handler = [](cpu::CpuOps&) {};
  void tlb_miss(cpu::CpuOps& cpu, Address va) override {
    pages.push_back(va >> 12);
    handler(cpu);
  }
};

struct RefillTest : CpuTest {
  Misses misses;
  Address root = 0;

  void build_refilled(bool software) {
    CpuParams params;
    params.page_walk.software = software;
    build(1, 0, params);
    root = new_root();
    map(root, kVa, kPa);
    cpu().write_translation_base(root, 1);
    cpu().set_fault_handler(&misses);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(refill, RefillTest)

BOOST_AUTO_TEST_CASE(a_miss_enters_the_handler_once_and_a_hit_does_not) {
  build_refilled(true);
  on(0, [](Cpu& c) {
    c.load(kVa);
    c.load(kVa + 8);
    c.flush_tlb({});
    c.load(kVa);
  });
  run();
  BOOST_TEST(misses.pages == (std::vector<Address>{kVa >> 12, kVa >> 12}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_tlb_that_hardware_refills_has_no_handler) {
  build_refilled(false);
  on(0, [](Cpu& c) { c.load(kVa); });
  run();
  BOOST_TEST(misses.pages.empty());
}

BOOST_AUTO_TEST_CASE(the_handler_runs_in_supervisor_mode_with_interrupts_off) {
  build_refilled(true);
  bool supervisor = false, open = true;
  misses.handler = [&](cpu::CpuOps& c) {
    supervisor = c.privilege() == Privilege::supervisor;
    open = c.set_interrupts(false);
  };
  on(0, [](Cpu& c) {
    c.set_interrupts(true);
    c.set_privilege(Privilege::user);
    c.load(kVa);
    BOOST_TEST((c.privilege() == Privilege::user));
    BOOST_TEST(c.set_interrupts(true));
  });
  run();
  BOOST_TEST(supervisor);
  BOOST_TEST(!open);
}

BOOST_AUTO_TEST_CASE(a_page_that_is_not_there_enters_it_before_the_fault_and_after_it) {
  build_refilled(true);
  misses.body = [this](cpu::CpuOps&, Address va, Access) { map(root, va, 0x7000); };
  on(0, [](Cpu& c) { c.load(0x20000); });
  run();
  BOOST_TEST(misses.pages == (std::vector<Address>{0x20, 0x20}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_instruction_of_a_function_on_another_page_may_miss) {
  build_refilled(true);
  map(root, 0x30000, 0x8000);
  functions.set_text(cpu::Domain::kernel, 0x30000, 64);
  const cpu::FunctionId function = functions.add("far", cpu::Domain::kernel);
  on(0, [&](Cpu& c) {
    const auto scope = c.function(function);
    c.execute(1);
    c.execute(1);
  });
  run();
  BOOST_TEST(misses.pages == std::vector<Address>{0x30}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Page faults, bus errors and the check for translations that outlive their flush.
#include "base/errors.h"
#include "cpu/cpu_machine.h"
#include "cpu/translation_check.h"

namespace switchyard::test {

using cpu::Access;
using cpu::TlbFlush;

namespace {

constexpr Address kVa = 0x10000, kPa = 0x5000;

struct FaultTest : CpuTest {
  Faults faults;
  Address root = 0;

  void build_mapped(unsigned cpu_count) {
    build(cpu_count);
    root = new_root();
    map(root, kVa, kPa);
    for (const auto& each : cpus) each->write_translation_base(root, 1);
  }
};

}  // namespace

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

namespace {

/// Two CPUs in one address space. CPU 1 uses the page, CPU 0 unmaps it at 1000 ns, CPU 1 uses it again at 2000 ns.
struct StaleTest : FaultTest {
  std::unique_ptr<cpu::TranslationCheck> stale;
  cpu::FunctionId user = 0, owner = 0;

  StaleTest() {
    user = functions.add("user_code", cpu::Domain::user);
    owner = functions.add("flush_tlb_page", cpu::Domain::kernel);
  }
  void prepare() {
    build_mapped(2);
    stale = std::make_unique<cpu::TranslationCheck>(std::vector<cpu::LogicalCpu*>{cpus[0].get(), cpus[1].get()},
                                                    functions);
  }
  void use_again(const std::function<void(Cpu&)>& before_second_use = {}) {
    on(1, [this, before_second_use](Cpu& c) {
      const auto scope = c.function(user);
      c.load(kVa);
      c.spend(2000 - c.cycle(), Cause::instructions);
      c.synchronise();
      if (before_second_use) before_second_use(c);
      c.load(kVa);
    });
  }
  std::string expected(const std::string& function) const {
    return "stale translation: CPU 1 used 0x10000 at 2000000 ps in user_code; " + function + " owed the flush";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stale_translations, StaleTest)

BOOST_AUTO_TEST_CASE(the_use_of_a_translation_that_was_to_be_flushed_is_reported_with_cpu_address_time_and_owner) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(&flow(0).context, root);
  });
  use_again();
  BOOST_TEST(contains(failure(), expected("flush_tlb_page")));
}

BOOST_AUTO_TEST_CASE(a_flushed_translation_is_no_violation) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(&flow(0).context, root);
  });
  use_again([](Cpu& c) { c.flush_tlb({TlbFlush::Scope::page, kVa, 0, true}); });
  run();
}

BOOST_AUTO_TEST_CASE(a_flush_before_it_is_relied_on_is_in_time) {
  prepare();
  at(1000, [&] { stale->unmapped(flow(0).context, root, kVa, owner); });
  use_again([&](Cpu& c) {
    c.flush_tlb({});
    stale->flush_relied_on(&flow(0).context, root);
  });
  run();
}

BOOST_AUTO_TEST_CASE(before_anybody_relies_on_the_flush_an_old_translation_may_be_used) {
  prepare();
  at(1000, [&] { stale->unmapped(flow(0).context, root, kVa, owner); });
  use_again();
  run();
}

BOOST_AUTO_TEST_CASE(another_page_or_another_table_is_not_concerned) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa + 4096, owner);
    stale->unmapped(flow(0).context, root + 0x100000, kVa, owner);
    stale->flush_relied_on(nullptr, root);
    stale->flush_relied_on(nullptr, root + 0x100000);
  });
  use_again();
  run();
}

BOOST_AUTO_TEST_CASE(who_relies_on_the_flushes_of_one_flow_does_not_rely_on_those_of_another) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(&flow(1).context, root);
  });
  use_again();
  run();
}

BOOST_AUTO_TEST_CASE(who_relies_on_all_flushes_relies_on_each) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(nullptr, root);
  });
  use_again();
  BOOST_TEST(contains(failure(), expected("flush_tlb_page")));
}

BOOST_AUTO_TEST_CASE(an_instruction_fetch_with_a_stale_translation_is_reported) {
  prepare();
  const auto code = functions.add("code", cpu::Domain::user, kVa), other = functions.add("other", cpu::Domain::user);
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(nullptr, root);
  });
  map(root, functions[other].text, 0x8000);
  on(1, [&](Cpu& c) {
    for (const auto id : {code, other, code}) {
      const auto scope = c.function(id);
      c.execute(1000);
      c.synchronise();
    }
  });
  BOOST_TEST(contains(failure(), "stale translation: CPU 1 used 0x10000"));
}

BOOST_AUTO_TEST_CASE(entries_of_another_address_space_under_the_same_id_must_not_be_used) {
  prepare();
  const Address other = new_root();
  map(other, kVa, 0x6000);
  use_again([&](Cpu& c) {
    c.write_translation_base(other, 1);
    stale->switched(c, other);
  });
  BOOST_TEST(contains(failure(), expected("switch_mm")));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(several_machines)

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

BOOST_AUTO_TEST_CASE(a_switch_with_a_flush_or_another_id_is_no_violation) {
  for (const bool flush : {true, false}) {
    StaleTest test;
    test.prepare();
    const Address other = test.new_root();
    test.map(other, kVa, 0x6000);
    test.use_again([&](Cpu& c) {
      c.write_translation_base(other, flush ? 1 : 2);
      if (flush) c.flush_tlb({});
      test.stale->switched(c, other);
    });
    test.run();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

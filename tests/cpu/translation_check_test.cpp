// SPDX-License-Identifier: Apache-2.0
// Translations that outlive the flush that somebody relies on.
#include "cpu/translation_check.h"

#include "cpu/fault_fixture.h"

namespace switchyard::test {

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
    stale =
        std::make_unique<cpu::TranslationCheck>(std::vector<cpu::LogicalCpu*>{cpus[0].get(), cpus[1].get()}, functions);
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

BOOST_AUTO_TEST_CASE(who_relies_on_all_flushes_owes_each) {
  prepare();
  at(1000, [&] {
    stale->unmapped(flow(0).context, root, kVa, owner);
    stale->flush_relied_on(nullptr, root);
  });
  use_again();
  BOOST_TEST(contains(failure(), expected("flush_tlb_batched_pending")));
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

BOOST_AUTO_TEST_SUITE(switches)

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

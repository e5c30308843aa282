// SPDX-License-Identifier: Apache-2.0
// Every cycle of a CPU has one function and one cause. CpuTest::run() compares the sums with the clocks after each run.
#include "cpu/accounting.h"

#include <set>

#include "base/random.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::CpuOps;
using cpu::Domain;
using cpu::FunctionTable;

namespace {

std::uint64_t at_cause(const cpu::CallNode& node, Cause cause) { return node.cycles[static_cast<std::size_t>(cause)]; }

struct AccountingTest : CpuTest {
  Handler machine, supervisor;
  cpu::FunctionId f = functions.add("f", Domain::kernel), g = functions.add("g", Domain::kernel);

  /// Random work of every kind that a CPU has.
  void work(Cpu& c, unsigned steps);
};

void AccountingTest::work(Cpu& c, unsigned steps) {
  base::RandomStream random(4, "cpu" + std::to_string(c.id()));
  for (unsigned i = 0; i < steps; ++i) {
    const auto scope = c.function(random.below(2) == 0 ? f : g);
    const Address pa = 0x1000 + random.below(128) * 8;
    const std::uint64_t choice = random.below(10);
    if (choice < 3)
      c.load(pa);
    else if (choice < 5)
      c.store(pa, i);
    else if (choice < 6)
      c.atomic(cpu::AtomicOp::add, pa, 1);
    else if (choice < 8)
      c.execute(random.below(300));
    else if (choice < 9)
      c.wait_for_interrupt();
    else
      c.spin_until(
          {pa}, [&] { return c.load(pa) % 8 != 0 || random.below(3) == 0; }, Cause::lock_spin);
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(accounting, AccountingTest)

BOOST_AUTO_TEST_CASE(cycles_go_to_the_innermost_function_of_the_chain_that_called_it) {
  build(1);
  on(0, [&](Cpu& c) {
    c.execute(1);
    {
      const auto outer = c.function(f);
      c.execute(10);
      for (int i = 0; i < 2; ++i) {
        const auto inner = c.function(g);
        c.execute(100);
      }
      c.barrier();
    }
    const auto direct = c.function(g);
    c.execute(1000);
  });
  run();
  const cpu::CallNode& root = flow().root;
  BOOST_TEST(root.self_cycles() == 1u);
  BOOST_TEST_REQUIRE(root.children.size() == 2u);
  BOOST_TEST(root.children[0]->function == f);
  BOOST_TEST(root.children[0]->self_cycles() == 15u);
  BOOST_TEST(root.children[0]->children[0]->self_cycles() == 200u);
  BOOST_TEST(root.children[0]->children[0]->calls == 2u);
  BOOST_TEST(root.children[1]->function == g);
  BOOST_TEST(root.children[1]->self_cycles() == 1000u);
}

BOOST_AUTO_TEST_CASE(instructions_in_machine_mode_are_firmware) {
  build(1);
  on(0, [&](Cpu& c) {
    c.execute(10);
    const cpu::PrivilegeScope scope(c, Privilege::machine);
    c.execute(20);
    c.spend(5, Cause::interrupt_entry);
  });
  run();
  BOOST_TEST(spent(Cause::instructions) == 10u);
  BOOST_TEST(spent(Cause::firmware) == 20u);
  BOOST_TEST(spent(Cause::interrupt_entry) == 5u);
}

BOOST_AUTO_TEST_CASE(a_function_goes_with_its_flow_to_another_cpu) {
  build(2);
  Flow guest, idle;
  sc_core::sc_spawn([&] {
    cpu(1).dispatch(flow(1).context);
    cpu(1).spend(1000, Cause::idle);
    cpu(0).dispatch(guest.context);
    {
      const auto outer = cpu(0).function(f);
      cpu(0).execute(1000);
      cpu(0).dispatch(flow(0).context);
      BOOST_TEST((guest.context.cpu == nullptr));
      cpu(1).dispatch(guest.context);
      BOOST_TEST((guest.context.cpu == &cpu(1)));
      const auto inner = guest.context.cpu->function(g);
      cpu(1).execute(500);
    }
    cpu(1).execute(7);
  });
  sc_core::sc_start();
  BOOST_TEST(guest.root.self_cycles() == 7u);
  BOOST_TEST(guest.root.children[0]->self_cycles() == 1000u);
  BOOST_TEST(guest.root.children[0]->children[0]->self_cycles() == 500u);
  BOOST_TEST(cpu(0).cycle() == 1000u);
  BOOST_TEST(cpu(1).cycle() == 1507u);
}

BOOST_AUTO_TEST_CASE(a_handler_is_charged_below_the_function_that_it_interrupted) {
  build(1, 10'000);
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    const auto scope = c.function(g);
    c.set_pending(pending, false);
    c.execute(70);
  };
  cpu().set_machine_handler(&machine);
  at(300, [&] { cpu().interrupt_in("msip").set(true); });
  on(0, [&](Cpu& c) {
    const auto scope = c.function(f);
    c.execute(1000);
    c.synchronise();
  });
  run();
  const cpu::CallNode& interrupted = *flow().root.children[0];
  BOOST_TEST(interrupted.self_cycles() == 1000u);
  BOOST_TEST(at_cause(*interrupted.children[0], Cause::firmware) == 70u);
}

BOOST_AUTO_TEST_CASE(sums_hold_for_cpus_that_share_and_compute) {
  build(4, 300);
  for (unsigned i = 0; i < 4; ++i)
    on(i, [&](Cpu& c) {
      base::RandomStream random(5, "cpu" + std::to_string(c.id()));
      for (unsigned n = 0; n < 3000; ++n) {
        c.store(0x1000 + random.below(256) * 8, n);
        c.load(0x1000 + random.below(256) * 8);
        c.execute(random.below(20));
      }
    });
  run();
}

BOOST_AUTO_TEST_CASE(sums_hold_when_interrupts_come_into_work_spins_and_sleep) {
  build(4, 500);
  machine.body = [&](CpuOps& c, std::uint32_t pending) {
    const auto scope = c.function(g);
    c.set_pending(pending, false);
    c.execute(33);
    c.store(0x1000 + 8 * c.id(), 1);
  };
  supervisor.body = machine.body;
  unsigned running = 4;
  for (unsigned i = 0; i < 4; ++i) {
    cpu(i).set_machine_handler(&machine);
    cpu(i).set_supervisor_handler(&supervisor);
    on(i, [&](Cpu& c) {
      c.set_interrupts(true);
      work(c, 300);
      --running;
    });
  }
  sc_core::sc_spawn([&] {
    base::RandomStream random(6, "interrupts");
    while (running != 0) {
      sc_core::wait(sim::from_ps(random.below(400'000)));
      cpu(static_cast<unsigned>(random.below(4))).interrupt_in(random.below(2) == 0 ? "mtip" : "seip").set(true);
    }
  });
  run();
  BOOST_TEST(running == 0u);
  BOOST_TEST(count(cpu(2), "interrupts") > 10u);
  BOOST_TEST(spent(Cause::idle, 1) > 0u);
  BOOST_TEST(spent(Cause::lock_spin, 1) > 0u);
}

BOOST_AUTO_TEST_CASE(sums_hold_through_page_walks_and_faults) {
  build(2);
  Faults faults;
  const Address root = new_root();
  faults.body = [&](CpuOps& c, Address va, cpu::Access) {
    c.execute(200);
    map(root, va, 0x1000 + (va & 0xff000));
  };
  for (unsigned i = 0; i < 2; ++i) {
    cpu(i).set_fault_handler(&faults);
    on(i, [&, i](Cpu& c) {
      c.write_translation_base(root, 1);
      base::RandomStream random(7, "cpu" + std::to_string(i));
      for (int n = 0; n < 2000; ++n) c.load(0x100000 + random.below(100) * 4096);
    });
  }
  run();
  BOOST_TEST(spent(Cause::tlb_walk) > 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(function_table)

BOOST_AUTO_TEST_CASE(a_name_has_one_id_in_each_domain) {
  FunctionTable table;
  const auto a = table.add("run", Domain::kernel);
  const auto b = table.add("run", Domain::user);
  BOOST_TEST(a != b);
  BOOST_TEST(table.add("run", Domain::kernel) == a);
  BOOST_TEST(table.size() == 2u);
  BOOST_TEST(table[b].name == "run");
  BOOST_TEST((table[b].domain == Domain::user));
}

BOOST_AUTO_TEST_CASE(texts_follow_each_other_in_their_domain) {
  FunctionTable table;
  table.set_text(Domain::kernel, 0x80000000, 512);
  table.set_text(Domain::user, 0x10000, 4096);
  BOOST_TEST(table[table.add("a", Domain::kernel)].text == 0x80000000u);
  BOOST_TEST(table[table.add("u", Domain::user)].text == 0x10000u);
  BOOST_TEST(table[table.add("b", Domain::kernel)].text == 0x80000200u);
  BOOST_TEST(table[table.add("fixed", Domain::kernel, 0x1234000)].text == 0x1234000u);
  BOOST_TEST(table[table.add("c", Domain::kernel)].text == 0x80000400u);
}

BOOST_AUTO_TEST_CASE(every_cause_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < cpu::kCauses; ++i) names.insert(cpu::cause_name(static_cast<Cause>(i)));
  BOOST_TEST(names.size() == cpu::kCauses);
  BOOST_TEST(!names.contains(""));
  BOOST_TEST(cpu::cause_name(Cause::idle) == "idle");
}

BOOST_AUTO_TEST_CASE(a_reset_tree_keeps_its_shape_and_loses_its_numbers) {
  FunctionTable table;
  const auto id = table.add("f", Domain::kernel);
  cpu::CallNode root;
  cpu::CallNode& child = root.child(id, table);
  child.cycles[3] = 7;
  child.calls = 2;
  BOOST_TEST((&root.child(id, table) == &child));
  BOOST_TEST((child.parent == &root));
  root.reset();
  BOOST_TEST(root.children.size() == 1u);
  BOOST_TEST(child.self_cycles() + child.calls == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

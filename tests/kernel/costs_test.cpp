// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "kernel/kernel_bench.h"
#include "kernel/linux_parisc_params.h"
#include "kernel/register.h"
#include "kernel/spinlock.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::PageStep;
using kernel::RestCosts;
using kernel::riscv::RiscvCosts;

BOOST_AUTO_TEST_SUITE(costs)

BOOST_AUTO_TEST_CASE(the_default_shares_add_up_to_one) { BOOST_TEST(RiscvCosts{}.check() == ""); }

BOOST_AUTO_TEST_CASE(shares_that_do_not_add_up_are_refused_with_the_sum) {
  RiscvCosts costs;
  costs.rest_shares = {{"pageout", 0.5}};
  BOOST_TEST(costs.check() == "rest_shares must add up to 1, got 0.500000");
}

BOOST_AUTO_TEST_CASE(a_function_that_does_not_run_once_per_page_is_refused) {
  RiscvCosts costs;
  costs.rest_shares = {{"switch_mm", 1.0}};
  BOOST_CHECK_EXCEPTION(RestCosts(costs, {1'000'000'000}), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()).find("'switch_mm' does not run once per page; allowed: madvise_cold") !=
           std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(rounded_shares_add_up_to_the_whole_on_every_clock) {
  RiscvCosts costs;
  costs.rest_per_page = base::nanoseconds(7001);
  const RestCosts rest(costs, {1'200'000'000, 999'999'999});
  FakeMemory memory;
  for (const unsigned id : {0u, 1u}) {
    FakeCpu cpu(memory, id);
    for (std::size_t step = 0; step < kernel::kPageSteps.size(); ++step) rest.spend(cpu, static_cast<PageStep>(step));
    BOOST_TEST(cpu.cycles(cpu::Cause::instructions) == (id == 0 ? 8401u : 7001u));
  }
}

BOOST_AUTO_TEST_CASE(fault_around_must_be_a_power_of_two) {
  kernel::ReclaimParams params;
  params.fault_around = 12;
  BOOST_TEST(params.check() == "fault_around must be a power of two, got 12");
}

BOOST_AUTO_TEST_CASE(the_registry_knows_linux_on_every_architecture) {
  kernel::KernelRegistry registry;
  kernel::register_kernels(registry);
  BOOST_TEST(registry.names() == (std::vector<std::string>{"linux-arm64", "linux-parisc", "linux-riscv", "linux-x86"}));
  BOOST_TEST((dynamic_cast<kernel::parisc::LinuxPariscParams*>(registry.make("linux-parisc").get()) != nullptr));
  BOOST_TEST((dynamic_cast<kernel::riscv::LinuxRiscvParams*>(registry.make("linux-riscv").get()) != nullptr));
}

BOOST_AUTO_TEST_CASE(a_free_ticket_lock_takes_one_atomic_and_a_store_gives_it_back) {
  kernel::TicketLocks locks;
  FakeCpu cpu;
  {
    const kernel::SpinGuard guard(locks, cpu, 0x100);
    BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::add, 0x100)}));
  }
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::add, 0x100), load(0x100), store(0x100, 1)}));
  BOOST_TEST(cpu.memory().peek(0x100, 4) == 0x10001u);
}

BOOST_AUTO_TEST_CASE(a_held_ticket_lock_is_waited_for_in_turn) {
  kernel::TicketLocks locks;
  FakeCpu cpu;
  cpu.memory().poke(0x100, 0x20000, 4);  // one holder, one waiter before us
  unsigned released = 0;
  cpu.on_spin([&](FakeCpu& me) { me.memory().poke(0x100, ++released, 2); });
  locks.spin_lock(cpu, 0x100);
  BOOST_TEST(released == 2u);
}

BOOST_AUTO_TEST_CASE(a_ticket_lock_wraps_around) {
  kernel::TicketLocks locks;
  FakeCpu cpu;
  cpu.memory().poke(0x100, 0xffffffff, 4);
  locks.spin_lock(cpu, 0x100);
  locks.spin_unlock(cpu, 0x100);
  BOOST_TEST(cpu.memory().peek(0x100, 4) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

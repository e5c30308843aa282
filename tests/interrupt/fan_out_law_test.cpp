// SPDX-License-Identifier: Apache-2.0
// A remote fence on a machine of real CPUs, caches and CLINT: how its time grows with the number of harts.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu.h"
#include "interrupt/clint.h"
#include "interrupt/opensbi.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

using namespace switchyard;
using interrupt::FanOut;

namespace {

constexpr unsigned kWarmUp = 3;

struct Machine {
  memory::Memory ram{"ram", {}};
  memory::Bus bus{"bus", {}};
  std::unique_ptr<memory::Cache> l2;
  interrupt::Clint clint{"clint", {}};
  std::vector<std::unique_ptr<memory::Cache>> l1;
  std::vector<std::unique_ptr<cpu::Cpu>> harts;
  cpu::FunctionTable functions;
  std::unique_ptr<interrupt::OpenSbi> sbi;
  std::vector<cpu::CallNode> roots;
  std::vector<cpu::ExecContext> contexts;

  Machine(unsigned count, const interrupt::OpenSbiParams& params) : roots(count), contexts(count) {
    memory::CacheParams shared;
    shared.size = base::mib(2);
    shared.ways = 16;
    shared.latency = base::cycles(12);
    l2 = std::make_unique<memory::Cache>("l2", shared);
    interrupt::FirmwareContext context{{}, functions};
    for (unsigned h = 0; h < count; ++h) {
      const std::string number = std::to_string(h);
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + number).c_str(), memory::CacheParams{}));
      harts.push_back(std::make_unique<cpu::Cpu>(("hart_" + number).c_str(), cpu::CpuParams{}));
      harts[h]->set_id(h);
      harts[h]->set_functions(&functions);
      bind_ports(harts[h]->initiator("data"), l1[h]->target("cpu"));
      bind_ports(l1[h]->initiator("mem"), l2->target("cpu"));
      clint.connect_interrupt("msip", harts[h]->interrupt_in("msip"));
      clint.connect_interrupt("mtip", harts[h]->interrupt_in("mtip"));
      context.cpus.push_back(harts[h].get());
    }
    bind_ports(l2->initiator("mem"), bus.target("in"));
    wire(ram);
    wire(clint);
    sbi = std::make_unique<interrupt::OpenSbi>(context, params);
  }
  void wire(Module& target) {
    bind_ports(bus.initiator("out"), target.target("in"));
    bus.route("out", target.address_range());
  }
  void start(unsigned hart) {
    contexts[hart] = {&roots[hart], nullptr, cpu::Privilege::supervisor};
    harts[hart]->dispatch(contexts[hart]);
  }
};

/// The time of one fence on all harts in a warm machine; the others sleep.
struct FanOutLaw : test::SimTest {
  std::uint64_t fence_ps(unsigned count, const interrupt::OpenSbiParams& params) {
    SimTest context;  // each machine has a simulation of its own
    Machine machine(count, params);
    base::CpuMask everyone;
    for (unsigned h = 0; h < count; ++h) everyone.set(h);
    for (unsigned h = 1; h < count; ++h)
      sc_core::sc_spawn([&machine, h] {
        machine.start(h);
        for (;;) machine.harts[h]->wait_for_interrupt();
      });
    std::uint64_t took = 0;
    sc_core::sc_spawn([&] {
      machine.start(0);
      cpu::Cpu& caller = *machine.harts[0];
      for (unsigned i = 0; i <= kWarmUp; ++i) {
        caller.spend(100'000, cpu::Cause::idle);  // the others are asleep again
        const std::uint64_t begin = caller.now_ps();
        machine.sbi->remote_sfence_vma(caller, everyone, {0x1000, 4096, std::nullopt});
        took = caller.now_ps() - begin;
      }
      caller.synchronise();
      sc_core::sc_stop();
    });
    sc_core::sc_start();
    for (const auto* counter : machine.sbi->stats().counters())
      if (counter->name() == "page_flushes") BOOST_TEST_REQUIRE(counter->value() == count * (kWarmUp + 1));
    return took;
  }
  static interrupt::OpenSbiParams params(FanOut fan_out) {
    interrupt::OpenSbiParams result;
    result.fan_out = fan_out;
    return result;
  }
};

/// Picoseconds per further hart between two machine sizes.
double slope(std::uint64_t t1, unsigned n1, std::uint64_t t2, unsigned n2) {
  return (static_cast<double>(t2) - static_cast<double>(t1)) / (n2 - n1);
}

const auto within_one_percent = boost::test_tools::tolerance(0.01);

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fan_out_law, FanOutLaw)

BOOST_AUTO_TEST_CASE(serial_time_grows_by_the_same_amount_with_every_hart) {
  unsigned before = 2;
  std::uint64_t time = fence_ps(before, params(FanOut::serial));
  const double first = slope(time, before, fence_ps(3, params(FanOut::serial)), 3);
  for (const unsigned count : {4u, 8u, 16u, 32u, 64u}) {
    const std::uint64_t next = fence_ps(count, params(FanOut::serial));
    BOOST_TEST(slope(time, before, next, count) == first, within_one_percent);
    before = count;
    time = next;
  }
}

BOOST_AUTO_TEST_CASE(alone_or_with_one_other_hart_both_ways_take_about_the_same) {
  BOOST_TEST(fence_ps(1, params(FanOut::parallel)) == fence_ps(1, params(FanOut::serial)));
  BOOST_TEST(static_cast<double>(fence_ps(2, params(FanOut::parallel))) ==
                 static_cast<double>(fence_ps(2, params(FanOut::serial))),
             boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(parallel_is_faster_from_two_other_harts_on) {
  for (const unsigned count : {3u, 4u, 8u, 16u, 32u, 64u})
    BOOST_TEST(fence_ps(count, params(FanOut::parallel)) < fence_ps(count, params(FanOut::serial)));
}

BOOST_AUTO_TEST_CASE(slow_targets_cost_serial_once_each_and_parallel_once) {
  constexpr std::uint64_t kInstructions = 20'000;
  for (const FanOut fan_out : {FanOut::serial, FanOut::parallel}) {
    const interrupt::OpenSbiParams fast = params(fan_out);
    interrupt::OpenSbiParams slow = fast;
    slow.costs.ipi_process += kInstructions;  // run by targets only
    const double cycles =
        static_cast<double>(kInstructions * fast.trap_cost.value) / static_cast<double>(fast.costs.trap);
    const unsigned waited_for = fan_out == FanOut::serial ? 63 : 1;
    const auto extra = static_cast<double>(fence_ps(64, slow)) - static_cast<double>(fence_ps(64, fast));
    BOOST_TEST(extra == 1000.0 * cycles * waited_for, boost::test_tools::tolerance(0.05));
  }
}

BOOST_AUTO_TEST_CASE(parallel_is_nearly_flat_apart_from_the_work_of_the_caller) {
  interrupt::OpenSbiParams light = params(FanOut::parallel);
  light.trap_cost = base::cycles(20'000);
  light.costs.target = light.costs.queue_update = light.costs.ipi_send = 0;
  const auto two = static_cast<double>(fence_ps(2, light));
  BOOST_TEST(static_cast<double>(fence_ps(64, light)) < 1.5 * two);
}

BOOST_AUTO_TEST_CASE(the_same_machine_takes_the_same_time_again) {
  BOOST_TEST(fence_ps(16, params(FanOut::parallel)) == fence_ps(16, params(FanOut::parallel)));
}

BOOST_AUTO_TEST_SUITE_END()

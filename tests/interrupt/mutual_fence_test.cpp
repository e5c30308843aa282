// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "interrupt/firmware_fixture.h"
#include "support/sim_test.h"

using namespace switchyard;
using namespace switchyard::test;
using interrupt::FanOut;

namespace {

/// Each hart is a thread of its own; a spin turn and every store to a shared word let the others run.
struct MutualFence : SimTest {
  unsigned finished = 0;

  void run(FanOut fan_out, unsigned count, unsigned rounds, std::uint64_t fifo_entries) {
    interrupt::OpenSbiParams params;
    params.fan_out = fan_out;
    params.fifo_entries = fifo_entries;
    FirmwareBench bench(count, params);
    bench.handle_at_once = false;
    finished = 0;
    base::CpuMask everyone;
    for (unsigned h = 0; h < count; ++h) everyone.set(h);
    for (unsigned h = 0; h < count; ++h) {
      FakeCpu& cpu = *bench.harts[h];
      const auto yield = [](FakeCpu&) { sc_core::wait(1, sc_core::SC_NS); };
      cpu.on_spin(yield);
      for (unsigned other = 0; other < count; ++other)
        for (const auto address : {bench.lock(other), bench.type(other), bench.sync(other)})
          cpu.on_access(address, yield);
      sc_core::sc_spawn([&, h] {
        for (unsigned i = 0; i < rounds; ++i)
          bench.sbi->remote_sfence_vma(*bench.harts[h], everyone, {0x1000 * h, 4096, std::nullopt});
        ++finished;
        while (finished < count) {
          bench.harts[h]->take_interrupts();
          sc_core::wait(1, sc_core::SC_NS);
        }
      });
    }
    sc_core::sc_start(1, sc_core::SC_MS);
    BOOST_TEST(finished == count);
    BOOST_TEST(bench.counter("remote_fences") == count * rounds);
    for (unsigned h = 0; h < count; ++h) {
      BOOST_TEST(bench.memory.peek(bench.sync(h)) == 0u);
      BOOST_TEST((bench.memory.peek(bench.ring(h), 4) >> 16) == 0u);
    }
    // Every request was executed on every hart, once at least for each range that was not joined.
    BOOST_TEST(bench.counter("page_flushes") + bench.counter("merges") >= count * count * rounds);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mutual_fence, MutualFence)

BOOST_AUTO_TEST_CASE(two_harts_that_fence_each_other_serially_both_finish) { run(FanOut::serial, 2, 20, 8); }
BOOST_AUTO_TEST_CASE(two_harts_that_fence_each_other_in_parallel_both_finish) { run(FanOut::parallel, 2, 20, 8); }
BOOST_AUTO_TEST_CASE(five_harts_with_short_queues_all_finish_serially) { run(FanOut::serial, 5, 10, 1); }
BOOST_AUTO_TEST_CASE(five_harts_with_short_queues_all_finish_in_parallel) { run(FanOut::parallel, 5, 10, 1); }

BOOST_AUTO_TEST_SUITE_END()

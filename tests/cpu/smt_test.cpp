// SPDX-License-Identifier: Apache-2.0
// Threads of a core share its issue slots: work is time times speed.
#include <boost/test/data/test_case.hpp>

#include "cpu/cpu_machine.h"

namespace switchyard::test {

namespace data = boost::unit_test::data;

namespace {

constexpr Address kFlag = 0x1000;

struct SmtTest : CpuTest {
  static CpuParams two_threads() {
    CpuParams p;
    p.smt.throughput = {100, 125};  // each of two has 0.625 of the core's speed alone
    return p;
  }
  /// CPU `i` executes `instructions` in pieces of `piece`, notes when it is done, and waits for an interrupt for good.
  void work(unsigned i, std::uint64_t instructions, std::uint64_t piece, std::uint64_t& done) {
    on(i, [=, &done](Cpu& c) {
      for (std::uint64_t left = instructions; left != 0; left -= std::min(left, piece))
        c.execute(std::min(left, piece));
      c.synchronise();
      done = c.cycle();
      c.wait_for_interrupt();
    });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(smt, SmtTest)

BOOST_AUTO_TEST_CASE(one_active_thread_has_the_core_for_itself) {
  build_threads(1, 2, 1000, two_threads());
  std::uint64_t done = 0;
  work(0, 10'000, 100, done);
  sc_core::sc_start();
  BOOST_TEST(done == 10'000u);
}

BOOST_AUTO_TEST_CASE(two_active_threads_have_the_throughput_of_two) {
  build_threads(1, 2, 1000, two_threads());
  std::uint64_t done[2] = {};
  for (unsigned i = 0; i < 2; ++i) work(i, 10'000, 100, done[i]);
  sc_core::sc_start();
  for (const std::uint64_t at : done) {
    BOOST_TEST(at >= 15'999u);
    BOOST_TEST(at <= 16'001u);
  }
}

BOOST_DATA_TEST_CASE_F(SmtTest, work_is_the_sum_of_time_and_speed_whatever_quantum_and_piece,
                       data::make({0u, 1000u, 7000u}) * data::make({10u, 100u, 3000u}), quantum, piece) {
  build_threads(1, 2, quantum, two_threads());
  std::uint64_t done[2] = {};
  work(0, 30'000, piece, done[0]);
  work(1, 3'000, piece, done[1]);
  sc_core::sc_start();
  // Thread 1 is done after 3000 / 0.625; thread 0 has done 3000 as well by then, and does the rest alone.
  BOOST_TEST(done[1] >= 4799u);
  BOOST_TEST(done[1] <= 4801u);
  BOOST_TEST(done[0] >= 31'799u);
  BOOST_TEST(done[0] <= 31'801u);
}

BOOST_AUTO_TEST_CASE(a_thread_that_begins_later_slows_down_what_the_other_has_executed_ahead) {
  build_threads(1, 2, 100'000, two_threads());
  std::uint64_t done = 0;
  work(0, 20'000, 100, done);
  sc_core::sc_spawn([&] {
    sc_core::wait(sim::from_ps(10'000'000));  // 10'000 cycles
    cpu(1).dispatch(flow(1).context);
    cpu(1).execute(50'000);
  });
  sc_core::sc_start(sc_core::sc_time(200, sc_core::SC_US));
  // 10'000 alone, 10'000 at 0.625.
  BOOST_TEST(done >= 25'999u);
  BOOST_TEST(done <= 26'001u);
}

BOOST_DATA_TEST_CASE_F(SmtTest, a_spinning_thread_is_active_and_one_that_monitors_is_not, data::make({false, true}),
                       monitors) {
  build_threads(1, 2, 1000, two_threads());
  on(0, [&](Cpu& c) {
    const auto done = [&] { return c.load(kFlag) != 0; };
    if (monitors)
      c.monitor_until({kFlag}, done, Cause::idle);
    else
      c.spin_until({kFlag}, done, Cause::lock_spin);
  });
  on(1, [&](Cpu& c) {
    for (unsigned n = 0; n < 20; ++n) c.execute(100);
    c.synchronise();
    const std::uint64_t before = c.cycle();
    for (unsigned n = 0; n < 10; ++n) c.execute(1000);
    c.synchronise();
    BOOST_TEST(c.cycle() - before == (monitors ? 10'000u : 16'000u));
    c.store(kFlag, 1);
  });
  run();
}

BOOST_AUTO_TEST_CASE(an_interrupt_during_work_ahead_keeps_the_sum) {
  build_threads(1, 2, 7000, two_threads());
  Handler machine;
  machine.body = [&](cpu::CpuOps& c, std::uint32_t pending) {
    c.set_pending(pending, false);
    c.execute(1000);
  };
  cpu(0).set_machine_handler(&machine);
  at(3000, [&] { cpu(0).interrupt_in("msip").set(true); });
  std::uint64_t done[2] = {};
  work(0, 30'000, 100, done[0]);
  work(1, 5'000, 100, done[1]);  // until 8000
  sc_core::sc_start();
  BOOST_TEST(done[1] >= 7'998u);
  BOOST_TEST(done[1] <= 8'002u);
  BOOST_TEST(done[0] >= 33'990u);  // 31'000 in all, 5000 of them at 0.625
  BOOST_TEST(done[0] <= 34'010u);
}

BOOST_AUTO_TEST_CASE(without_a_table_threads_do_not_slow_each_other_down) {
  build_threads(1, 2);
  std::uint64_t done[2] = {};
  for (unsigned i = 0; i < 2; ++i) work(i, 10'000, 100, done[i]);
  sc_core::sc_start();
  for (const std::uint64_t at : done) BOOST_TEST(at == 10'000u);
}

BOOST_AUTO_TEST_CASE(a_table_that_does_not_fit_the_threads_is_refused) {
  build_threads(1, 3, 1000, two_threads());
  BOOST_TEST(cpu(0).check_wiring() == "3 CPUs share l1_0, smt.throughput is given for 2; it needs one value for each");
  cpu::SmtParams params;
  params.throughput = {90, 125};
  BOOST_TEST(params.check() == "throughput of one thread is 100 by definition, got 90");
  params.throughput = {100, 225};
  BOOST_TEST(params.check() == "throughput of 2 threads is 225 %: more than that many cores");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

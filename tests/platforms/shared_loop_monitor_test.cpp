// SPDX-License-Identifier: Apache-2.0
#include "platforms/shared_loop_monitor.h"

#include <boost/test/unit_test.hpp>
#include <deque>

namespace switchyard::test {

namespace {

using platforms::CpuTime;
using platforms::LoopRecord;
using platforms::SharedLoopMonitor;
using workloads::SharedTurn;

constexpr std::uint64_t kNs = 1000;

/// Threads whose iterations a test makes in the order it likes, at times of its own.
struct Crew {
  static constexpr std::uint64_t kCount = 1'000'000;
  std::uint64_t now_ps = 0;
  CpuTime spent;
  std::uint64_t began_ps = 0, ended_ps = 0;
  std::deque<kernel::Task> tasks;
  std::vector<std::uint64_t> done;
  SharedLoopMonitor monitor;
  std::uint64_t run;

  Crew(unsigned threads, std::uint64_t warm_up, std::uint64_t run_each)
      : done(threads, 0),
        monitor(
            warm_up, {[this](const kernel::Task&) { return now_ps; }, [this] { return spent; }},
            [this](std::uint64_t now) { began_ps = now; }, [this](std::uint64_t now) { ended_ps = now; }),
        run(run_each) {
    for (unsigned i = 0; i < threads; ++i) tasks.emplace_back().id = i + 3;
    for (unsigned i = 0; i < threads; ++i) BOOST_TEST((ask(i) == SharedTurn::iterate));
  }
  SharedTurn ask(unsigned i) { return monitor.iteration(tasks[i], done[i], run, kCount); }
  /// One iteration of thread `i` that takes `ns`, and what it is to do then.
  SharedTurn step(unsigned i, std::uint64_t ns) {
    now_ps += ns * kNs;
    spent.user_s += static_cast<double>(ns) * 1e-9;
    ++done[i];
    return ask(i);
  }
  /// Iterations until the thread is told something else.
  SharedTurn go_on(unsigned i, std::uint64_t ns) {
    for (;;)
      if (const SharedTurn turn = step(i, ns); turn != SharedTurn::iterate) return turn;
  }
  LoopRecord record() const {
    LoopRecord record;
    monitor.write(record);
    return record;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_loop_monitor)

BOOST_AUTO_TEST_CASE(time_per_iteration_is_that_of_all_threads_together_without_the_warm_up) {
  Crew crew(2, 4, 8);
  for (int i = 0; i < 2; ++i)
    for (unsigned thread : {0u, 1u}) crew.step(thread, 1000);  // warm-up, slow
  BOOST_TEST(crew.began_ps == 4000 * kNs);
  for (int i = 0; i < 8; ++i)
    for (unsigned thread : {0u, 1u}) crew.step(thread, 50);
  BOOST_TEST(crew.monitor.ended());
  BOOST_TEST(crew.ended_ps == (4000 + 16 * 50) * kNs);
  BOOST_TEST(crew.record().iterations == 16u);
  BOOST_TEST(crew.record().count == 2 * Crew::kCount);
  BOOST_TEST(crew.record().iteration_s.mean == 50e-9, boost::test_tools::tolerance(1e-9));
}

// One thread takes 10 ns for an iteration, the other 90 ns: ten each take 1000 ns on one CPU. The rate while both run
// would say 19 iterations in the time of 1000 ns, 52 ns each.
BOOST_AUTO_TEST_CASE(slow_threads_count_with_all_the_time_that_they_take) {
  Crew crew(2, 0, 10);
  for (int i = 0; i < 9; ++i) BOOST_TEST((crew.step(0, 10) == SharedTurn::iterate));
  BOOST_TEST((crew.step(1, 90) == SharedTurn::iterate));
  BOOST_TEST((crew.step(0, 10) == SharedTurn::wait));
  BOOST_TEST((crew.go_on(1, 90) == SharedTurn::wake));
  BOOST_TEST(crew.ended_ps == 1000 * kNs);
  BOOST_TEST(crew.record().converged);
  BOOST_TEST(crew.record().iterations == 20u);
  BOOST_TEST(crew.record().iteration_s.mean == 50e-9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_thread_that_has_made_its_own_waits_until_the_last_one_wakes_it) {
  Crew crew(2, 0, 2);
  BOOST_TEST((crew.go_on(0, 1) == SharedTurn::wait));
  BOOST_TEST((crew.ask(0) == SharedTurn::wait));  // woken by something else
  BOOST_TEST((crew.go_on(1, 1) == SharedTurn::wake));
  BOOST_TEST((crew.ask(1) == SharedTurn::end));
  BOOST_TEST((crew.ask(0) == SharedTurn::end));
}

// Thread 0 makes nine of the ten iterations of the warm-up.
BOOST_AUTO_TEST_CASE(all_threads_end_with_the_same_number_of_iterations) {
  Crew crew(3, 10, 5);
  for (int i = 0; i < 9; ++i) crew.step(0, 1);
  crew.step(1, 1);
  BOOST_TEST((crew.go_on(0, 1) == SharedTurn::wait));
  BOOST_TEST(crew.done[0] == 14u);
  BOOST_TEST((crew.go_on(2, 1) == SharedTurn::wait));
  BOOST_TEST(crew.done[2] == 5u);
  BOOST_TEST((crew.go_on(1, 1) == SharedTurn::wake));
  BOOST_TEST(crew.record().iterations == 15u);
  for (unsigned thread : {1u, 2u}) {
    BOOST_TEST((crew.ask(thread) == SharedTurn::iterate));
    BOOST_TEST((crew.go_on(thread, 1) == SharedTurn::end));
  }
  BOOST_TEST((crew.ask(0) == SharedTurn::end));
  BOOST_TEST(crew.done == (std::vector<std::uint64_t>(3, 14)), boost::test_tools::per_element());
  BOOST_TEST(crew.record().iterations == 15u);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_in_its_warm_up_measured_nothing) {
  Crew crew(2, 100, 10);
  for (int i = 0; i < 20; ++i) crew.step(0, 1);
  crew.monitor.stop(crew.now_ps);
  BOOST_TEST(crew.record().iterations == 0u);
  BOOST_TEST(!crew.record().converged);
}

BOOST_AUTO_TEST_CASE(the_interval_of_a_steady_rate_is_zero_and_that_of_an_unsteady_one_is_not) {
  constexpr int kEach = 10240;
  Crew steady(2, 0, kEach), unsteady(2, 0, kEach);
  for (int i = 0; i < kEach; ++i)
    for (unsigned thread : {0u, 1u}) {
      steady.step(thread, 100);
      unsteady.step(thread, i < kEach / 2 ? 50 : 150);
    }
  for (const Crew* crew : {&steady, &unsteady}) BOOST_TEST_REQUIRE(crew->record().cpu_ci95.has_value());
  BOOST_TEST(steady.record().iteration_s.ci95 < 1e-15);
  BOOST_TEST(steady.record().cpu_ci95->user_s < 1e-15);
  BOOST_TEST(unsteady.record().iteration_s.ci95 > 10e-9);
  BOOST_TEST(unsteady.record().cpu_ci95->user_s > 10e-9);
  BOOST_TEST(unsteady.record().cpu_ci95->sys_s == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

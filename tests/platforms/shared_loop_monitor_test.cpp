// SPDX-License-Identifier: Apache-2.0
#include "platforms/shared_loop_monitor.h"

#include <boost/test/unit_test.hpp>
#include <deque>

namespace switchyard::test {

namespace {

using platforms::LoopRecord;
using platforms::SharedLoopMonitor;

constexpr std::uint64_t kNs = 1000;

/// Threads whose iterations a test makes in the order it likes, at times of its own.
struct Crew {
  std::uint64_t now_ps = 0;
  std::uint64_t began_ps = 0, ended_ps = 0;
  std::deque<kernel::Task> tasks;
  std::vector<std::uint64_t> done;
  SharedLoopMonitor monitor;
  std::uint64_t run;

  Crew(unsigned threads, std::uint64_t warm_up, std::uint64_t run_each)
      : done(threads, 0),
        monitor(
            warm_up, [this](const kernel::Task&) { return now_ps; }, [this](std::uint64_t now) { began_ps = now; },
            [this](std::uint64_t now) { ended_ps = now; }),
        run(run_each) {
    for (unsigned i = 0; i < threads; ++i) tasks.emplace_back();
    for (unsigned i = 0; i < threads; ++i) BOOST_TEST(monitor.iteration(tasks[i], 0, run, kCount));
  }
  static constexpr std::uint64_t kCount = 1'000'000;
  /// One iteration of thread `i` that takes `ns`; whether it goes on.
  bool step(unsigned i, std::uint64_t ns) {
    now_ps += ns * kNs;
    return monitor.iteration(tasks[i], ++done[i], run, kCount);
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

BOOST_AUTO_TEST_CASE(all_threads_end_with_the_same_number_of_iterations) {
  Crew crew(3, 0, 10);
  while (!crew.monitor.ended()) {
    crew.step(0, 1);
    if (crew.done[0] % 2 == 0) crew.step(1, 1);
    if (crew.done[0] % 5 == 0) crew.step(2, 1);
  }
  for (unsigned thread : {1u, 2u, 0u})
    while (crew.step(thread, 1)) {
    }
  BOOST_TEST(crew.done[1] == crew.done[0]);
  BOOST_TEST(crew.done[2] == crew.done[0]);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_in_its_warm_up_measured_nothing) {
  Crew crew(2, 100, 10);
  for (int i = 0; i < 20; ++i) crew.step(0, 1);
  crew.monitor.stop(crew.now_ps);
  BOOST_TEST(crew.record().iterations == 0u);
}

BOOST_AUTO_TEST_CASE(the_interval_of_a_steady_rate_is_zero_and_that_of_an_unsteady_one_is_not) {
  Crew steady(2, 0, 5120), unsteady(2, 0, 5120);
  for (int i = 0; i < 5120; ++i)
    for (unsigned thread : {0u, 1u}) {
      steady.step(thread, 100);
      unsteady.step(thread, i < 2560 ? 50 : 150);
    }
  BOOST_TEST(steady.record().iteration_s.ci95 < 1e-15);
  BOOST_TEST(unsteady.record().iteration_s.ci95 > 10e-9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "platforms/loop_monitor.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <vector>

#include "support/fake_cpu.h"
#include "support/sim_test.h"

namespace switchyard::test {

namespace utf = boost::unit_test;
using platforms::batch_means;
using platforms::Estimate;
using platforms::LoopMonitor;
using platforms::Progress;

namespace {

constexpr double kStudentT9 = 2.262;  // 97.5 % quantile with 9 degrees of freedom, as tables print it

/// A loop whose durations are in cycles of its CPU.
struct LoopMonitorTest : SimTest {
  platforms::UntilConfig until;
  platforms::ProgressSink sink;
  FakeCpu cpu;
  kernel::Task task;
  unsigned starts = 0, finishes = 0;
  std::uint64_t bodies = 0;
  std::vector<std::uint64_t> started_at;
  std::unique_ptr<LoopMonitor> monitor;

  LoopMonitorTest() { task.context.cpu = &cpu; }

  /// Runs a loop of `count` whose iteration i takes `cycles(i)`; returns what the monitor said at the end.
  template <class Cycles>
  bool run(std::uint64_t count, Cycles cycles) {
    monitor = std::make_unique<LoopMonitor>(
        until,
        [this](std::uint64_t) {
          ++starts;
          started_at.push_back(bodies);
        },
        [this](std::uint64_t) { ++finishes; }, [] { return platforms::CpuTime{}; }, sink);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!monitor->iteration(task, "l", i, count)) return false;
      cpu.advance(cycles(i));
      ++bodies;
    }
    return monitor->iteration(task, "l", count, count);
  }
  double seconds(double cycles) const { return cycles / static_cast<double>(cpu.clock_hz()); }
};

constexpr auto kConstant = [](std::uint64_t) { return 1000; };
constexpr auto kAlternating = [](std::uint64_t i) { return i % 20 < 10 ? 1000 : 2000; };

}  // namespace

BOOST_AUTO_TEST_SUITE(batch_mean_estimates)

BOOST_AUTO_TEST_CASE(mser5_leaves_out_what_the_start_adds) {
  std::vector<double> series(100, 10.0);
  for (std::size_t i = 0; i < 20; ++i) series[i] = 50;
  for (std::size_t i = 0; i < series.size(); ++i) series[i] += i % 2 == 0 ? 0.5 : -0.5;
  BOOST_TEST(platforms::mser5(series) == 20u);
}

BOOST_AUTO_TEST_CASE(mser5_keeps_a_settled_series_and_a_short_one) {
  BOOST_TEST(platforms::mser5(std::vector<double>(100, 3.0)) == 0u);
  BOOST_TEST(platforms::mser5({9, 1, 1, 1}) == 0u);
  BOOST_TEST(platforms::mser5({}) == 0u);
}

// Batches of two with means 1 to 10: mean 5.5, variance 82.5 / 9, half-width t * sqrt(82.5 / 9 / 10) = 2.1657.
BOOST_AUTO_TEST_CASE(twenty_values_make_ten_batches_of_two, *utf::tolerance(5e-4)) {
  std::vector<double> series;
  for (int batch = 1; batch <= 10; ++batch) {
    series.push_back(batch - 0.5);
    series.push_back(batch + 0.5);
  }
  BOOST_TEST(batch_means(series).mean == 5.5);
  BOOST_TEST(batch_means(series).ci95 == 2.1657);
}

BOOST_AUTO_TEST_CASE(ten_values_are_ten_batches_of_one, *utf::tolerance(5e-4)) {
  const Estimate estimate = batch_means({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  BOOST_TEST(estimate.mean == 5.5);
  BOOST_TEST(estimate.ci95 == kStudentT9 * std::sqrt(82.5 / 9 / 10));
}

BOOST_AUTO_TEST_CASE(values_beyond_whole_batches_count_for_the_mean_only, *utf::tolerance(5e-4)) {
  const Estimate estimate = batch_means({100, 100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  BOOST_TEST(estimate.mean == 255.0 / 12);
  BOOST_TEST(estimate.ci95 == 2.1657);
}

BOOST_AUTO_TEST_CASE(equal_values_have_no_interval, *utf::tolerance(1e-12)) {
  const Estimate estimate = batch_means(std::vector<double>(35, 0.1));
  BOOST_TEST(estimate.mean == 0.1);
  BOOST_TEST(estimate.ci95 <= 1e-16);
}

BOOST_AUTO_TEST_CASE(a_small_spread_around_a_large_mean_is_seen, *utf::tolerance(5e-4)) {
  std::vector<double> series;
  for (int i = 1; i <= 10; ++i) series.push_back(1e9 + i);
  BOOST_TEST(batch_means(series).ci95 == 2.1657);
}

BOOST_AUTO_TEST_CASE(fewer_than_ten_values_have_an_interval_as_wide_as_the_mean) {
  BOOST_TEST(batch_means({2, 4}).mean == 3.0);
  BOOST_TEST(batch_means({2, 4}).ci95 == 3.0);
}

BOOST_AUTO_TEST_CASE(no_values_give_zero) {
  BOOST_TEST(batch_means({}).mean == 0.0);
  BOOST_TEST(batch_means({}).ci95 == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(loop_monitor, LoopMonitorTest)

BOOST_AUTO_TEST_CASE(defaults_are_half_a_percent_three_warm_up_and_twenty_iterations) {
  BOOST_TEST(until.relative_ci.value == 0.005);
  BOOST_TEST(until.warm_up == 3u);
  BOOST_TEST(until.min_iterations == 20u);
  BOOST_TEST(until.max_iterations == 0u);
  BOOST_TEST(until.min_time.ps == 0u);
}

BOOST_AUTO_TEST_CASE(a_steady_loop_stops_after_warm_up_and_least_iterations) {
  BOOST_TEST(!run(10000, kConstant));
  BOOST_TEST(bodies == 23u);
  BOOST_TEST(monitor->record().warm_up == 3u);
  BOOST_TEST(monitor->record().iterations == 20u);
  BOOST_TEST(monitor->record().count == 10000u);
  BOOST_TEST(monitor->record().converged);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(measurement_starts_after_the_warm_up_and_finishes_once) {
  run(10000, kConstant);
  BOOST_TEST(started_at == std::vector<std::uint64_t>{3}, boost::test_tools::per_element());
  BOOST_TEST(finishes == 1u);
}

BOOST_AUTO_TEST_CASE(warm_up_iterations_are_in_no_result) {
  run(10000, [](std::uint64_t i) { return i < 3 ? 1'000'000 : 1000; });
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(monitor->record().iterations == 20u);
}

BOOST_AUTO_TEST_CASE(a_loop_with_a_wide_interval_goes_on_to_its_count) {
  until.relative_ci = {0.0001};
  run(100, kAlternating);
  BOOST_TEST(bodies == 100u);
  BOOST_TEST(monitor->record().iterations == 97u);
  BOOST_TEST(finishes == 1u);
}

// Ten iterations of 1000 and ten of 2000 cycles by turns. Half-widths over means: 0.251 after 20 iterations (batches of
// two: five of 1000, five of 2000), 0.238 after 30 (1000 six times, 1667 twice, 2000 twice), 0.225 after 40.
BOOST_AUTO_TEST_CASE(a_loop_stops_at_the_first_multiple_of_ten_that_is_narrow_enough) {
  until.warm_up = 0;
  until.relative_ci = {0.23};
  run(10000, kAlternating);
  BOOST_TEST(monitor->record().iterations == 40u);
  BOOST_TEST(monitor->record().converged);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1500), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(max_iterations_ends_a_loop_that_has_not_converged) {
  until.max_iterations = 25;
  until.relative_ci = {0.0001};
  run(10000, kAlternating);
  BOOST_TEST(monitor->record().iterations == 25u);
  BOOST_TEST(!monitor->record().converged);
}

BOOST_AUTO_TEST_CASE(max_iterations_may_be_less_than_the_least_for_convergence) {
  until.max_iterations = 4;
  run(10000, kConstant);
  BOOST_TEST(bodies == 7u);
  BOOST_TEST(monitor->record().iterations == 4u);
  BOOST_TEST(!monitor->record().converged);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(min_time_keeps_a_narrow_loop_running) {
  const std::uint64_t cycle_ps = 1'000'000'000'000 / cpu.clock_hz();
  until.min_time = {1000 * 55 * cycle_ps};
  run(10000, kConstant);
  BOOST_TEST(monitor->record().iterations == 60u);  // the first multiple of ten beyond 55
}

BOOST_AUTO_TEST_CASE(a_loop_that_ends_before_the_least_iterations_keeps_its_mean) {
  run(10, kConstant);
  BOOST_TEST(bodies == 10u);
  BOOST_TEST(monitor->record().iterations == 7u);
  BOOST_TEST(!monitor->record().converged);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(finishes == 1u);
}

BOOST_AUTO_TEST_CASE(a_loop_of_one_iteration_is_measured_without_warm_up) {
  run(1, kConstant);
  BOOST_TEST(started_at == std::vector<std::uint64_t>{0}, boost::test_tools::per_element());
  BOOST_TEST(monitor->record().warm_up == 0u);
  BOOST_TEST(monitor->record().iterations == 1u);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_loop_shorter_than_its_warm_up_measures_its_last_iteration) {
  run(3, kConstant);
  BOOST_TEST(monitor->record().warm_up == 2u);
  BOOST_TEST(monitor->record().iterations == 1u);
}

BOOST_AUTO_TEST_CASE(a_loop_that_never_runs_is_not_used) {
  monitor = std::make_unique<LoopMonitor>(
      until, [](std::uint64_t) {}, [](std::uint64_t) {}, [] { return platforms::CpuTime{}; }, sink);
  BOOST_TEST(!monitor->used());
}

BOOST_AUTO_TEST_CASE(another_thread_in_the_same_loop_does_not_disturb_the_measurement) {
  until.max_iterations = 10;
  FakeCpu other_cpu;
  kernel::Task other;
  other.context.cpu = &other_cpu;  // stays at time zero
  run(10000, [&](std::uint64_t i) {
    monitor->iteration(other, "l", i, 10000);
    return 1000;
  });
  BOOST_TEST(monitor->record().iterations == 10u);
  BOOST_TEST(starts == 1u);
  BOOST_TEST(monitor->record().iteration_s.mean == seconds(1000), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_loop_that_is_entered_again_is_measured_once) {
  until.max_iterations = 10;
  run(10000, kConstant);
  for (std::uint64_t i = 0; i < 5; ++i) monitor->iteration(task, "l", i, 10000);
  BOOST_TEST(finishes == 1u);
  BOOST_TEST(starts == 1u);
  BOOST_TEST(monitor->record().iterations == 10u);
}

BOOST_AUTO_TEST_CASE(progress_says_how_far_the_loop_is) {
  std::vector<Progress> reports;
  sink = [&](const Progress& progress) { reports.push_back(progress); };
  until.max_iterations = 40;
  until.relative_ci = {0.0001};
  run(10000, kAlternating);
  BOOST_TEST_REQUIRE(reports.size() == 3u);  // before the iterations 0, 16 and 32
  BOOST_TEST(reports[1].iterations == 16u);
  BOOST_TEST(reports[1].simulated_s == seconds(10 * 1000 + 6 * 2000), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(reports[2].relative_ci > 0.0001);
  BOOST_TEST(reports[2].wanted > 32u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "sc_main/metrics.h"
#include "sc_main/profile.h"
#include "sc_main/report_fixture.h"

namespace switchyard::test {
namespace {

using cli::has_metric;
using cli::metric;
using cli::metric_unit;

const auto kClose = boost::test_tools::tolerance(1e-12);

std::string refusal(const RunOutcome& outcome, const std::string& name) {
  try {
    metric(outcome, name);
  } catch (const base::ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report_metrics)

BOOST_AUTO_TEST_CASE(real_is_the_mean_iteration_times_the_count_of_the_loop) {
  const RunOutcome outcome = fencing_run();
  BOOST_TEST(metric(outcome, "real").mean == 1e-7 * 1000, kClose);
  BOOST_TEST(metric(outcome, "real").ci95 == 1e-9 * 1000, kClose);
  BOOST_TEST(metric(outcome, "per_iteration_us").mean == 0.1, kClose);
  BOOST_TEST(metric(outcome, "per_iteration_us").ci95 == 0.001, kClose);
}

BOOST_AUTO_TEST_CASE(user_and_sys_are_the_cpu_time_of_the_processes_scaled_to_the_loop) {
  const RunOutcome outcome = fencing_run();
  // 190 cycles of user code, 10 + 100 + 200 of kernel, 500 of firmware, at 1 ns, of 10 iterations; 1000 are asked for.
  BOOST_TEST(metric(outcome, "user").mean == 190e-9 * 100, kClose);
  BOOST_TEST(metric(outcome, "sys").mean == 810e-9 * 100, kClose);
  BOOST_TEST(metric(outcome, "user").mean + metric(outcome, "sys").mean == metric(outcome, "real").mean, kClose);
  BOOST_TEST(metric(outcome, "sys").ci95 == 810e-9 * 100 * 0.01, kClose);
}

BOOST_AUTO_TEST_CASE(without_a_loop_times_are_those_of_the_whole_run) {
  RunOutcome outcome = fencing_run();
  outcome.has_loop = false;
  BOOST_TEST(metric(outcome, "real").mean == 1e-6, kClose);
  BOOST_TEST(metric(outcome, "user").mean == 190e-9, kClose);
  BOOST_TEST(!has_metric(outcome, "per_iteration_us"));
}

BOOST_AUTO_TEST_CASE(a_share_counts_firmware_for_its_caller_and_leaves_idle_tasks_out) {
  const RunOutcome outcome = fencing_run();
  BOOST_TEST(metric(outcome, "share.fence").mean == 70.0, kClose);        // (200 + 400 + 100) of 1000
  BOOST_TEST(metric(outcome, "share.sys_madvise").mean == 10.0, kClose);  // self only
  BOOST_TEST(metric(outcome, "share.main").mean == 20.0, kClose);
  BOOST_TEST(!has_metric(outcome, "share.trap"));
}

BOOST_AUTO_TEST_CASE(a_share_of_the_machine_counts_idle_tasks_and_idle_time) {
  RunOutcome outcome = fencing_run();
  platforms::TaskRecord idle{"swapper/0", 99, true, {}};
  idle.calls.push_back({"do_idle", cpu::Domain::idle, -1, 1, {}});
  idle.calls.back().cycles[static_cast<std::size_t>(cpu::Cause::idle)] = 900;
  idle.calls.push_back({"fence", cpu::Domain::kernel, 0, 1, {}});
  idle.calls.back().cycles[static_cast<std::size_t>(cpu::Cause::instructions)] = 100;
  outcome.tasks = cli::process_tasks(outcome.tasks);
  outcome.tasks.push_back(idle);
  BOOST_TEST(metric(outcome, "machine_share.fence").mean == 40.0, kClose);  // 700 of 1000, and 100 of 1000
  BOOST_TEST(metric_unit(outcome, "machine_share.fence") == "%");
  BOOST_TEST(metric(outcome, "share.fence").mean == 70.0, kClose);
}

BOOST_AUTO_TEST_CASE(statistics_of_an_array_add_up_and_members_have_their_own) {
  const RunOutcome outcome = fencing_run();
  BOOST_TEST(metric(outcome, "stat.hart.tlb_l1_misses").mean == 42);
  BOOST_TEST(metric(outcome, "stat.hart[1].tlb_l1_misses").mean == 12);
  BOOST_TEST(metric(outcome, "per_loop.firmware.remote_fences").mean == 2.5, kClose);
  BOOST_TEST(metric(outcome, "per_loop.firmware.remote_fences").ci95 == 0);
}

BOOST_AUTO_TEST_CASE(metrics_name_their_unit) {
  const RunOutcome outcome = fencing_run();
  BOOST_TEST(metric_unit(outcome, "sys") == "s");
  BOOST_TEST(metric_unit(outcome, "per_iteration_us") == "us");
  BOOST_TEST(metric_unit(outcome, "share.fence") == "%");
  BOOST_TEST(metric_unit(outcome, "stat.kernel.context_switches") == "count");
  BOOST_TEST(metric_unit(outcome, "nonsense") == "");
}

BOOST_AUTO_TEST_CASE(an_unknown_metric_is_refused_with_the_nearest_one) {
  const RunOutcome outcome = fencing_run();
  BOOST_TEST(refusal(outcome, "rael").starts_with("metric rael: unknown metric; did you mean real? allowed: real, "));
  BOOST_TEST(refusal(outcome, "share.fense").find("did you mean share.fence?") != std::string::npos);
  BOOST_TEST(refusal(outcome, "stat.kernel.context_swiches").find("did you mean stat.kernel.context_switches?") !=
             std::string::npos);
  BOOST_TEST(refusal(outcome, "stat.hart[2].tlb_l1_misses") != "accepted");
  BOOST_TEST(refusal(outcome, "") != "accepted");
}

BOOST_AUTO_TEST_CASE(a_figure_per_loop_needs_a_measured_loop) {
  RunOutcome outcome = fencing_run();
  outcome.has_loop = false;
  BOOST_TEST(refusal(outcome, "per_loop.firmware.remote_fences") ==
             "metric per_loop.firmware.remote_fences: the run has no measured loop (measure: true in the workload)");
}

BOOST_AUTO_TEST_CASE(an_empty_run_has_zeros) {
  RunOutcome outcome;
  BOOST_TEST(metric(outcome, "real").mean == 0);
  BOOST_TEST(metric(outcome, "sys").mean == 0);
  BOOST_TEST(metric(outcome, "sys").ci95 == 0);
  outcome = fencing_run();
  outcome.loop.iterations = 0;
  outcome.loop.iteration_s = {0, 0};
  BOOST_TEST(metric(outcome, "per_loop.firmware.remote_fences").mean == 0);
  BOOST_TEST(metric(outcome, "user").ci95 == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

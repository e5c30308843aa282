// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "platforms/config/provenance.h"
#include "sc_main/format.h"
#include "sc_main/progress.h"
#include "sc_main/report_fixture.h"
#include "sc_main/report_perf_stat.h"
#include "sc_main/report_stats.h"
#include "sc_main/run_report.h"
#include "sc_main/sources.h"

namespace switchyard::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// All report files of a run, one after the other.
std::string all_reports(const RunOutcome& outcome) {
  const platforms::Provenance provenance;
  const cli::RunReport report{{"name", "0123456789abcdef"}, "schema: 1\n", provenance, outcome};
  std::string text = cli::summary_text(report) + cli::summary_json(report).dump();
  for (const cli::OutputFile& file : cli::report_files(report)) text += file.text;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report_text)

BOOST_AUTO_TEST_CASE(numbers_have_fixed_decimals_and_are_never_nan_or_negative_zero) {
  BOOST_TEST(cli::fixed(1.25, 1) == "1.2");
  BOOST_TEST(cli::fixed(-0.0001, 2) == "0.00");
  BOOST_TEST(cli::fixed(std::numeric_limits<double>::quiet_NaN(), 1) == "0.0");
  BOOST_TEST(cli::fixed(std::numeric_limits<double>::infinity(), 0) == "0");
  BOOST_TEST(cli::with_commas(std::uint64_t{999}) == "999");
  BOOST_TEST(cli::with_commas(1234567.891, 2) == "1,234,567.89");
  BOOST_TEST(cli::with_commas(-1000.0, 0) == "-1,000");
  BOOST_TEST(cli::percent(1, 3) == "33.33");
  BOOST_TEST(cli::percent(1, 0) == "0.00");
}

BOOST_AUTO_TEST_CASE(stats_have_the_layout_of_gem5) {
  const std::string text = cli::stats_text(fencing_run());
  BOOST_TEST(text.starts_with("\n---------- Begin Simulation Statistics ----------\nsimSeconds "));
  BOOST_TEST(text.ends_with("\n---------- End Simulation Statistics   ----------\n"));
  // gem5's text output: name in 40 columns, value in 12, two empty columns of 10.
  BOOST_TEST(has(text, "hart[1].tlb_l1_misses" + std::string(19, ' ') + "           12" + std::string(22, ' ') +
                           " # Look-ups that missed (count)\n"));
}

BOOST_AUTO_TEST_CASE(stats_json_says_how_the_run_ended) {
  RunOutcome outcome = fencing_run();
  outcome.end = platforms::RunEnd::stuck;
  outcome.message = "main waits for nobody";
  const auto json = cli::stats_json(outcome, {"name", "abc"});
  BOOST_TEST(json["end"].get<std::string>() == "stuck");
  BOOST_TEST(json["message"].get<std::string>() == "main waits for nobody");
  BOOST_TEST(json["loop"]["iterations"].get<int>() == 10);
  BOOST_TEST(json["stats"].size() == 4u);
  BOOST_TEST(json["stats"][0]["value"].get<int>() == 30);
}

BOOST_AUTO_TEST_CASE(time_is_printed_as_bash_does_under_what_was_measured) {
  RunOutcome outcome = fencing_run();
  outcome.loop.count = 10'000;
  outcome.loop.iteration_s = {0.00753449, 0.00003};  // 75.3449 s in all
  const std::string text = cli::time_text(outcome);
  BOOST_TEST(
      text.starts_with("# 10000 iterations of loop reclaim, from 10 measured after 2 of warm-up; "
                       "real ± 0.300 s (0.40%, 95 % confidence)\n\nreal\t1m15.345s\nuser\t0m0.000s\n"));
  outcome.loop.iteration_s = {0.00599996, 0};
  BOOST_TEST(has(cli::time_text(outcome), "real\t1m0.000s\n"));
}

BOOST_AUTO_TEST_CASE(perf_stat_scales_counts_to_the_loop) {
  const std::string text = cli::perf_stat_text(fencing_run(), "board");
  BOOST_TEST(text.starts_with("\n Performance counter stats for 'board' (1000 iterations of loop reclaim, "));
  // 1000 cycles of 1 ns in 10 iterations: 0.1 ms in 1000; 4 switches become 400.
  BOOST_TEST(has(
      text,
      "              0.10 msec task-clock                       #    1.000 CPUs utilized            ( +-  1.00% )\n"));
  BOOST_TEST(has(text, "               400      context-switches                 #    4.000 M/sec\n"));
  BOOST_TEST(has(
      text,
      "           100,000      cycles                           #    1.000 GHz                      ( +-  1.00% )\n"));
  BOOST_TEST(has(text, "             4,200      dTLB-load-misses "));
  BOOST_TEST(has(text, "       0.000100000 +- 0.000001000 seconds time elapsed  ( +-  1.00% )\n"));
  BOOST_TEST(has(text, "       0.000019000 seconds user\n       0.000081000 seconds sys\n"));
  BOOST_TEST(!has(text, "page-faults"));  // the run does not count them
}

BOOST_AUTO_TEST_CASE(perf_stat_json_has_the_keys_of_perf) {
  const auto list = cli::perf_stat_json(fencing_run());
  const auto& clock = list[0];
  std::string keys;
  for (const auto& item : clock.items()) keys += item.key() + " ";
  BOOST_TEST(keys == "counter-value unit event variance event-runtime pcnt-running metric-value metric-unit ");
  BOOST_TEST(clock["counter-value"].get<std::string>() == "0.100000");
  BOOST_TEST(clock["event"].get<std::string>() == "task-clock");
  BOOST_TEST(clock["event-runtime"].get<int>() == 100'000);
  BOOST_TEST(clock["variance"].get<double>() == 1.0);
}

BOOST_AUTO_TEST_CASE(empty_and_failed_runs_print_neither_nan_nor_inf) {
  RunOutcome unmeasured = fencing_run();
  unmeasured.loop = {"reclaim", 1000, 0, 0, false, {0, 0}};
  unmeasured.end = platforms::RunEnd::check_failed;
  for (const RunOutcome& outcome : {RunOutcome{}, unmeasured}) {
    const std::string text = all_reports(outcome);
    BOOST_TEST(!has(text, "nan"));
    BOOST_TEST(!has(text, "inf"));
  }
}

BOOST_AUTO_TEST_CASE(the_first_line_says_that_a_run_did_not_complete) {
  RunOutcome outcome = fencing_run();
  BOOST_TEST(cli::incomplete_text(outcome) == "");
  outcome.end = platforms::RunEnd::check_failed;
  outcome.message = "stale entry\nof CPU 1\n";
  BOOST_TEST(cli::incomplete_text(outcome) == "# did not complete: check_failed: stale entry of CPU 1\n");
  outcome.message = "";
  BOOST_TEST(cli::time_text(outcome).starts_with("# did not complete: check_failed\n# 1000 iterations of "));
}

BOOST_AUTO_TEST_CASE(below_ten_iterations_there_is_no_interval) {
  RunOutcome outcome = fencing_run();
  outcome.loop.iterations = 9;
  outcome.loop.iteration_s.ci95 = outcome.loop.iteration_s.mean;
  const platforms::Provenance provenance;
  const cli::RunReport report{{"name", "0123456789abcdef"}, "schema: 1\n", provenance, outcome};
  const std::string note = "(too few iterations for an interval)", console = cli::summary_text(report);
  BOOST_TEST(has(console, "real 0.000100 s " + note), console);
  BOOST_TEST(has(cli::time_text(outcome), "warm-up; " + note + "\n\nreal\t"));
  BOOST_TEST(has(cli::perf_stat_text(outcome, "board"), "       0.000100000 seconds time elapsed  " + note + "\n"));
  for (const std::string& text : {console, cli::time_text(outcome), cli::perf_stat_text(outcome, "board")}) {
    BOOST_TEST(!has(text, "±"), text);
    BOOST_TEST(!has(text, "+-"), text);
  }
  const auto json = cli::summary_json(report);
  BOOST_TEST(json["time"]["real"]["ci95"].is_null());
  BOOST_TEST(json["loop"]["iteration_s_ci95"].is_null());
  BOOST_TEST(json["perf_stat"][0]["variance"].is_null());
}

BOOST_AUTO_TEST_CASE(the_console_shows_the_command_beside_the_function) {
  const platforms::Provenance provenance;
  const RunOutcome outcome = fencing_run();
  const std::string text = cli::summary_text({{"name", "0123456789abcdef"}, "", provenance, outcome});
  BOOST_TEST(has(text, "   70.00%  main  fence\n"), text);
}

BOOST_AUTO_TEST_CASE(sources_are_listed_with_their_counts) {
  platforms::Provenance provenance;
  provenance.record({"kernel.params.costs.fault", "900", "assumed", "", "a.yaml:3"});
  provenance.record({"seed", "7", "", "", "a.yaml:4"});
  provenance.record({"modules.l1.params.size", "32 KiB", "documented", "U74 manual", "a.yaml:9"});
  const std::string text = cli::sources_text(provenance);
  BOOST_TEST(has(text, "modules.l1.params.size     32 KiB  documented  U74 manual\n"));
  BOOST_TEST(has(text, "kernel.params.costs.fault  900     assumed\n"));
  BOOST_TEST(!has(text, "seed"));
  BOOST_TEST(text.ends_with("sources of values: 1 assumed, 0 calibrated, 1 documented, 0 measured\n"));
  BOOST_TEST(cli::sources_json(provenance)["counts"]["assumed"].get<int>() == 1);
}

BOOST_AUTO_TEST_CASE(the_default_folder_is_named_after_configuration_and_hash) {
  BOOST_TEST(cli::folder_name({"unmatched", "0123456789abcdef"}) == "unmatched-01234567");
  BOOST_TEST(cli::folder_name({"", "0123456789abcdef"}) == "run-01234567");
  BOOST_TEST(cli::folder_name({"../a b", "0123456789abcdef"}) == "..-a-b-01234567");
}

BOOST_AUTO_TEST_CASE(progress_shows_time_loops_rate_and_time_left) {
  BOOST_TEST(cli::progress_text({0.012345, 420, 1000, 0.1}, 5) ==
             "12.345 ms simulated, 420 of 1000 iterations, 84.0/s, 7 s left");
  BOOST_TEST(cli::progress_text({2.5, 10, 0, 1}, 5) == "2.500 s simulated, 10 iterations, 2.0/s");
  BOOST_TEST(cli::progress_text({0, 0, 1000, 1}, 0) == "0.000 us simulated, 0 of 1000 iterations");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

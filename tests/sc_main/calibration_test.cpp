// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sc_main/calibrate.h"
#include "sc_main/calibrate_fit.h"
#include "sc_main/experiment_fixture.h"

using namespace switchyard;
using cli::Fit;
using cli::FitEnd;

namespace {

/// Runs a fit against `measure`.
template <class Measure>
void search(Fit& fit, std::uint64_t start, Measure measure) {
  fit.start(start);
  while (fit.next()) fit.feed(measure(static_cast<double>(*fit.next())));
}

const char* const kHead =
    "schema: 1\n"
    "experiment: e\n"
    "variants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}]\n"
    "cases: [{name: a, files: [a.yaml]}, {name: b, files: [b.yaml]}]\n"
    "published:\n"
    "  - {case: a, variant: before, value: 27.4, error_percent: 3, ref: x}\n"
    "  - {case: a, variant: after, value: 18.1, error_percent: 3, ref: x}\n"
    "  - {case: b, variant: after, value: 18.0, error_percent: 3, ref: x}\n"
    "calibrated:\n";
const char* const kRestOfA =
    "  - {parameter: kernel.rest, max: 100000, cases: [a], against: {case: a, variant: after}}\n";
const char* const kTrapOfA =
    "  - {parameter: firmware.trap, max: 100000, cases: [a, b], against: {case: a, variant: before}}\n";
const char* const kRestOfB =
    "  - {parameter: kernel.rest, max: 100000, cases: [b], against: {case: b, variant: after}}\n";

/// The batched unmap in two lines: all pages cost `rest`, each fence `trap`.
double pageout(const std::string& label, const test::FormulaMachine::Values& values) {
  const double fences = label.ends_with("before") ? 256 : 3;
  const auto rest = static_cast<double>(values.at("kernel.rest"));
  const auto trap = static_cast<double>(values.at("firmware.trap"));
  return 1 + (256 * rest + 4 * fences * trap) * 1e4 / 1.2e9;
}

struct CalibrationTest : test::ExperimentTest {
  test::FormulaMachine machine{pageout};
  cli::Simulator simulator = machine.simulator();
  cli::RunCache cache{simulator};

  std::vector<cli::CalibrationResult> fit(const std::string& entries) {
    experiment = load(kHead + entries, machine);
    return calibrate(experiment, cache);
  }
  cli::Experiment experiment;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fit_search)

BOOST_AUTO_TEST_CASE(a_linear_measurement_is_met_in_three_runs) {
  Fit fit(0, 100000, 18.1);
  search(fit, 1000, [](double x) { return 2.5 + 0.0021 * x; });
  BOOST_TEST((fit.end() == FitEnd::fitted));
  BOOST_TEST(fit.runs() <= 3u);
  BOOST_TEST(fit.value() == 7429u);
}

BOOST_AUTO_TEST_CASE(a_start_that_fits_takes_one_run) {
  Fit fit(0, 100000, 18.1);
  search(fit, 7429, [](double x) { return 2.5 + 0.0021 * x; });
  BOOST_TEST(fit.runs() == 1u);
  BOOST_TEST(fit.value() == 7429u);
}

BOOST_AUTO_TEST_CASE(a_start_of_zero_is_as_good_as_any) {
  Fit fit(0, 100000, 18.1);
  search(fit, 0, [](double x) { return 2.5 + 0.0021 * x; });
  BOOST_TEST((fit.end() == FitEnd::fitted));
  BOOST_TEST(fit.runs() <= 3u);
}

BOOST_AUTO_TEST_CASE(a_falling_measurement_is_met) {
  Fit fit(1, 100000, 5);
  search(fit, 100, [](double x) { return 10 - 0.001 * x; });
  BOOST_TEST((fit.end() == FitEnd::fitted));
  BOOST_TEST(std::abs(fit.measured() - 5) <= 0.01);
}

BOOST_AUTO_TEST_CASE(a_bent_measurement_is_met) {
  Fit fit(0, 100000, 30);
  search(fit, 30000, [](double x) { return 1 + std::sqrt(x) / 10; });
  BOOST_TEST((fit.end() == FitEnd::fitted));
  BOOST_TEST(fit.runs() <= Fit::kMostRuns);
}

BOOST_AUTO_TEST_CASE(an_unreachable_target_ends_at_the_bound_and_says_what_it_needs) {
  Fit fit(0, 5000, 18.1);
  search(fit, 1000, [](double x) { return 2.5 + 0.0021 * x; });
  BOOST_TEST((fit.end() == FitEnd::out_of_range));
  BOOST_TEST(fit.value() == 5000u);
  BOOST_TEST(std::lround(fit.needed()) == 7429);
}

BOOST_AUTO_TEST_CASE(a_target_below_the_least_value_is_unreachable) {
  Fit fit(0, 5000, 1);
  search(fit, 0, [](double x) { return 2.1 + 0.0021 * x; });
  BOOST_TEST((fit.end() == FitEnd::out_of_range));
  BOOST_TEST(fit.value() == 0u);
  BOOST_TEST(std::lround(fit.needed()) == -524);
}

BOOST_AUTO_TEST_CASE(a_parameter_without_effect_is_noticed) {
  Fit fit(0, 5000, 18.1);
  search(fit, 1000, [](double) { return 2.5; });
  BOOST_TEST((fit.end() == FitEnd::no_effect));
  BOOST_TEST(fit.value() == 1000u);
}

BOOST_AUTO_TEST_CASE(a_coarse_measurement_ends_at_the_nearest_whole_number) {
  Fit fit(0, 100, 10.5);
  search(fit, 5, [](double x) { return 1 + x; });
  BOOST_TEST((fit.end() == FitEnd::not_converged));
  BOOST_TEST(std::abs(fit.measured() - 10.5) <= 0.5);
}

BOOST_AUTO_TEST_CASE(noise_does_not_keep_it_running) {
  Fit fit(0, 100000, 18.1);
  int n = 0;
  search(fit, 1000, [&](double x) { return 2.5 + 0.0021 * x + (++n % 2 == 0 ? 2 : -2); });
  BOOST_TEST(fit.runs() <= Fit::kMostRuns);
  BOOST_TEST((fit.end() != FitEnd::running));
}

BOOST_AUTO_TEST_CASE(a_range_of_one_value_is_measured_once) {
  Fit fit(7, 7, 18.1);
  search(fit, 1000, [](double x) { return x; });
  BOOST_TEST(fit.runs() == 1u);
  BOOST_TEST((fit.end() == FitEnd::out_of_range));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(calibration, CalibrationTest)

BOOST_AUTO_TEST_CASE(one_parameter_meets_its_figure) {
  const auto results = fit(kRestOfA);
  BOOST_TEST((results[0].end == FitEnd::fitted));
  BOOST_TEST(std::abs(results[0].measured / 18.1 - 1) <= Fit::kNear);
  BOOST_TEST(results[0].runs <= 3u);
}

BOOST_AUTO_TEST_CASE(entries_that_touch_each_other_all_hold_at_the_end) {
  const auto results = fit(std::string(kRestOfA) + kTrapOfA + kRestOfB);
  const std::vector<double> targets{18.1, 27.4, 18.0};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    BOOST_TEST((results[i].end == FitEnd::fitted));
    BOOST_TEST(std::abs(results[i].measured / targets[i] - 1) <= Fit::kNear);
  }
}

BOOST_AUTO_TEST_CASE(only_cases_that_are_named_take_a_value_over) {
  const auto results = fit(std::string(kRestOfA) + kTrapOfA);
  const auto sets_of = [&](std::size_t c) { return calibrated_request(experiment, results, c, 0).sets; };
  BOOST_TEST(sets_of(0).size() == 2u);
  BOOST_REQUIRE(sets_of(1).size() == 1u);
  BOOST_TEST(sets_of(1)[0] == "firmware.trap={value: " + std::to_string(results[1].value) +
                                  " cycles, from: calibrated, ref: \"a, before: real 27.4 s\"}");
}

BOOST_AUTO_TEST_CASE(independent_entries_are_measured_at_the_same_time) {
  fit(std::string(kRestOfA) + kRestOfB);
  BOOST_TEST(machine.batches.front() == 2u);
}

BOOST_AUTO_TEST_CASE(no_other_run_is_made) {
  fit(kRestOfA);
  for (const std::string& label : machine.labels) BOOST_TEST(label == "a/after");
}

BOOST_AUTO_TEST_CASE(an_unreachable_figure_is_said_and_the_bound_used) {
  const auto results = fit("  - {parameter: kernel.rest, max: 2000, cases: [a], against: {case: a, variant: after}}\n");
  BOOST_TEST((results[0].end == FitEnd::out_of_range));
  BOOST_TEST(results[0].value == 2000u);
  const std::string text = calibration_text(experiment, 0, results[0]);
  BOOST_TEST(text.find("calibration failed: it would need 80") != std::string::npos, text);
  BOOST_TEST(text.find("allowed are 0 to 2000") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_failed_run_keeps_the_value_of_the_files) {
  machine.failures["a/after"] = "the simulation was ended by signal 11";
  const auto results = fit(kRestOfA);
  BOOST_TEST(results[0].value == 1000u);
  BOOST_TEST(calibration_status(results[0]) == "failed");
  BOOST_TEST(calibration_text(experiment, 0, results[0]).find("signal 11") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_same_configuration_runs_once) {
  experiment = load(std::string(kHead) + kRestOfA, machine);
  const cli::RunRequest request = experiment.request(0, 0);
  cache.run({request, request});
  cache.run({request});
  BOOST_TEST(machine.labels.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sc_main/calibrate.h"
#include "sc_main/calibrate_fit.h"
#include "sc_main/calibrate_joint.h"
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

/// Strongly coupled; 5000 and 3000 give 6200 and 6000.
std::vector<double> coupled(double a, double b) { return {a + 0.4 * b, 0.6 * a + b}; }

/// 1 ± `size`, another factor for each of the arguments.
double jump(double size, double a, double b, unsigned which) {
  std::uint64_t x = static_cast<std::uint64_t>(a) * 1'000'003 + static_cast<std::uint64_t>(b) * 10'007 + which;
  for (const std::uint64_t k : {0xff51afd7ed558ccdull, 0xc4ceb9fe1a85ec53ull}) x = (x ^ (x >> 33)) * k;
  return 1 + size * (static_cast<double>((x ^ (x >> 33)) % 2001) / 1000 - 1);
}

/// Two times of a run that is chaotic: 300 and 200 give about 21 and 15.
std::vector<double> chaotic(double a, double b) {
  return {(8 + 0.03 * a + 0.02 * b) * jump(0.015, a, b, 0), (4 + 0.01 * a + 0.04 * b) * jump(0.015, a, b, 1)};
}

/// The same for a joint fit of two numbers; returns how many points were measured.
template <class Measure>
std::size_t search_both(cli::JointFit& fit, Measure measure) {
  std::size_t points = 0;
  while (!fit.next().empty()) {
    std::vector<std::vector<double>> measured;
    for (const auto& point : fit.next())
      measured.push_back(measure(static_cast<double>(point[0]), static_cast<double>(point[1])));
    points += measured.size();
    fit.feed(measured);
  }
  return points;
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

BOOST_AUTO_TEST_CASE(a_chaotic_measurement_is_met_within_a_wider_tolerance) {
  std::size_t met = 0;
  const std::vector<std::uint64_t> starts{10, 57, 130, 200, 260, 345, 400, 460, 530, 600};
  for (const std::uint64_t start : starts) {
    Fit fit(10, 600, 17, 0.02);
    search(fit, start, [](double x) { return (8 + 0.03 * x) * jump(0.015, x, 0, 0); });
    met += fit.end() == FitEnd::fitted ? 1 : 0;
    BOOST_TEST(std::abs(fit.measured() / 17 - 1) <= 0.03);
    BOOST_TEST(fit.runs() <= Fit::kMostRuns);
  }
  BOOST_TEST(met == starts.size());
}

BOOST_AUTO_TEST_CASE(a_wider_tolerance_ends_the_search_earlier) {
  Fit fit(0, 100000, 18.1, 0.05);
  search(fit, 7700, [](double x) { return 2.5 + 0.0021 * x; });
  BOOST_TEST(fit.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(a_range_of_one_value_is_measured_once) {
  Fit fit(7, 7, 18.1);
  search(fit, 1000, [](double x) { return x; });
  BOOST_TEST(fit.runs() == 1u);
  BOOST_TEST((fit.end() == FitEnd::out_of_range));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(joint_fit)

BOOST_AUTO_TEST_CASE(coupled_measurements_are_met_in_four_points) {
  cli::JointFit fit({{0, 1'000'000, 6200}, {0, 1'000'000, 6000}}, {100, 20'000});
  BOOST_TEST(search_both(fit, coupled) == 4u);  // the start, a step of each number, and the solution
  BOOST_TEST(fit.values() == (cli::JointFit::Values{5000, 3000}), boost::test_tools::per_element());
  BOOST_TEST((fit.end(0) == FitEnd::fitted && fit.end(1) == FitEnd::fitted));
}

BOOST_AUTO_TEST_CASE(bent_coupled_measurements_are_met) {
  cli::JointFit fit({{0, 100'000, 6200 + 2500}, {0, 100'000, 6000}}, {1000, 1000});
  const std::size_t points = search_both(fit, [](double a, double b) {
    return std::vector<double>{a + 0.4 * b + a * a / 10'000, 0.6 * a + b};  // 2500 more at a = 5000
  });
  BOOST_TEST(points <= 3 + cli::JointFit::kMostSteps);
  BOOST_TEST((fit.end(0) == FitEnd::fitted && fit.end(1) == FitEnd::fitted));
  BOOST_TEST(std::abs(static_cast<double>(fit.values()[0]) - 5000) < 50);
  BOOST_TEST(std::abs(static_cast<double>(fit.values()[1]) - 3000) < 50);
}

BOOST_AUTO_TEST_CASE(a_number_at_its_bound_leaves_the_others_free) {
  cli::JointFit fit({{0, 4000, 6200}, {0, 1'000'000, 6000}}, {100, 20'000});
  search_both(fit, coupled);
  BOOST_TEST(fit.values() == (cli::JointFit::Values{4000, 3600}),
             boost::test_tools::per_element());  // 6000 - 0.6 * 4000
  BOOST_TEST((fit.end(0) == FitEnd::out_of_range));
  BOOST_TEST((fit.end(1) == FitEnd::fitted));
  BOOST_TEST(std::lround(fit.needed(0)) == 5000);
}

BOOST_AUTO_TEST_CASE(a_number_that_may_not_move_leaves_the_others_free) {
  cli::JointFit fit({{4000, 4000, 6200}, {0, 1'000'000, 6000}}, {100, 20'000});
  search_both(fit, coupled);
  BOOST_TEST(fit.values() == (cli::JointFit::Values{4000, 3600}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(numbers_that_do_the_same_are_noticed) {
  cli::JointFit fit({{0, 10'000, 6200}, {0, 10'000, 6000}}, {100, 100});
  BOOST_TEST(search_both(fit, [](double a, double b) { return std::vector<double>{a + b, a + b}; }) == 3u);
  BOOST_TEST((fit.end(0) == FitEnd::not_converged));
}

BOOST_AUTO_TEST_CASE(a_number_without_effect_is_noticed) {
  cli::JointFit fit({{0, 10'000, 6200}, {0, 10'000, 6000}}, {100, 100});
  search_both(fit, [](double a, double) { return std::vector<double>{a, 100}; });
  BOOST_TEST((fit.end(1) == FitEnd::no_effect));
}

BOOST_AUTO_TEST_CASE(a_start_that_fits_ends_the_search) {
  cli::JointFit fit({{0, 10'000, 6200}, {0, 10'000, 6000}}, {5000, 3000});
  BOOST_TEST(search_both(fit, coupled) == 1u);
  BOOST_TEST(fit.values() == (cli::JointFit::Values{5000, 3000}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chaotic_measurements_are_met_within_a_wider_tolerance) {
  for (const std::uint64_t a : {10, 120, 290, 450, 600})
    for (const std::uint64_t b : {20, 180, 310, 600}) {
      cli::JointFit fit({{10, 600, 21}, {20, 600, 15}}, {a, b}, 0.02);
      const std::size_t points = search_both(fit, chaotic);
      BOOST_TEST(points <= 10u, a << ", " << b << ": " << points);
      BOOST_TEST((fit.end(0) == FitEnd::fitted && fit.end(1) == FitEnd::fitted), a << ", " << b);
      const auto found = chaotic(static_cast<double>(fit.values()[0]), static_cast<double>(fit.values()[1]));
      BOOST_TEST(std::abs(found[0] / 21 - 1) <= 0.02);
      BOOST_TEST(std::abs(found[1] / 15 - 1) <= 0.02);
    }
}

// The usual tolerance is out of reach, and what counts is the worse of the two times.
BOOST_AUTO_TEST_CASE(the_best_point_is_the_result_of_a_search_that_does_not_converge) {
  cli::JointFit fit({{10, 600, 21}, {20, 600, 15}}, {120, 310});
  double best = 1;
  const std::size_t points = search_both(fit, [&](double a, double b) {
    const auto found = chaotic(a, b);
    best = std::min(best, std::max(std::abs(found[0] / 21 - 1), std::abs(found[1] / 15 - 1)));
    return found;
  });
  BOOST_TEST(points <= 3 + cli::JointFit::kMostSteps);
  BOOST_TEST((fit.end(0) != FitEnd::running && fit.end(1) != FitEnd::running));
  const auto found = chaotic(static_cast<double>(fit.values()[0]), static_cast<double>(fit.values()[1]));
  BOOST_TEST(std::max(std::abs(found[0] / 21 - 1), std::abs(found[1] / 15 - 1)) == best);
}

BOOST_AUTO_TEST_CASE(a_chaotic_number_at_its_bound_leaves_the_others_free) {
  cli::JointFit fit({{10, 250, 24}, {20, 600, 15}}, {120, 310}, 0.02);
  BOOST_TEST(search_both(fit, chaotic) <= 11u);
  BOOST_TEST(fit.values()[0] == 250u);
  BOOST_TEST((fit.end(0) == FitEnd::out_of_range));
  BOOST_TEST((fit.end(1) == FitEnd::fitted));
  BOOST_TEST(fit.needed(0) > 300);
}

// The solution is 5000 and 3000; the first step aims at it from far away.
BOOST_AUTO_TEST_CASE(a_step_that_fails_goes_half_way_back) {
  cli::JointFit fit({{0, 100'000, 6200 + 2500}, {0, 100'000, 6000}}, {1000, 1000});
  std::size_t failures = 0;
  const std::size_t points = search_both(fit, [&](double a, double b) {
    if (a > 6000) return ++failures, std::vector<double>();
    return std::vector<double>{a + 0.4 * b + a * a / 10'000, 0.6 * a + b};
  });
  BOOST_TEST(failures == 1u);
  BOOST_TEST(points <= 3 + cli::JointFit::kMostSteps);
  BOOST_TEST((fit.end(0) == FitEnd::fitted && fit.end(1) == FitEnd::fitted));
}

BOOST_AUTO_TEST_CASE(a_probe_that_fails_is_made_again_nearer) {
  cli::JointFit fit({{0, 1'000'000, 6200}, {0, 1'000'000, 6000}}, {4000, 20'000});
  const std::size_t points =
      search_both(fit, [](double a, double b) { return b > 23'000 ? std::vector<double>() : coupled(a, b); });
  BOOST_TEST(points == 5u);
  BOOST_TEST(fit.values() == (cli::JointFit::Values{5000, 3000}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_search_with_nothing_but_failures_keeps_its_start) {
  cli::JointFit fit({{0, 10'000, 6200}, {0, 10'000, 6000}}, {4000, 2000});
  std::size_t n = 0;
  const std::size_t points =
      search_both(fit, [&](double a, double b) { return n++ == 0 ? coupled(a, b) : std::vector<double>(); });
  BOOST_TEST(points <= 3 + cli::JointFit::kMostSteps);
  BOOST_TEST(fit.values() == (cli::JointFit::Values{4000, 2000}), boost::test_tools::per_element());
  BOOST_TEST((fit.end(0) == FitEnd::not_converged));
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_ends_the_search) {
  cli::JointFit fit({{0, 10'000, 6200}, {0, 10'000, 6000}}, {4000, 2000});
  BOOST_TEST(search_both(fit, [](double, double) { return std::vector<double>(); }) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(calibration, CalibrationTest)

BOOST_AUTO_TEST_CASE(the_experiment_says_how_near_fits_must_come) {
  const std::string wide = "fit_tolerance: 2 %\n";  // beside the other keys of the file
  machine = test::FormulaMachine([](const std::string& label, const test::FormulaMachine::Values& values) {
    return pageout(label, values) * jump(0.015, static_cast<double>(values.at("kernel.rest")), 0, 0);
  });
  const auto results = fit(kRestOfA + wide);
  BOOST_TEST((results[0].end == FitEnd::fitted));
  BOOST_TEST(std::abs(results[0].measured / 18.1 - 1) <= 0.02);
  BOOST_TEST(experiment.figures[1].fit_tolerance == 0.02);
  const auto narrow = fit(kRestOfA);
  BOOST_TEST(experiment.figures[1].fit_tolerance == Fit::kNear);
  if (narrow[0].end != FitEnd::fitted)
    BOOST_TEST(calibration_text(experiment, 0, narrow[0]).find("not within 0.2 % after") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_tolerance_of_fits_is_at_most_a_twentieth) {
  const std::string text = refusal_of_experiment(std::string(kHead) + kRestOfA + "fit_tolerance: 6 %\n");
  BOOST_TEST(text.find("fit_tolerance") != std::string::npos, text);
}

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
  BOOST_TEST(text.find("allowed are 0 to 2000; the upper bound is used") != std::string::npos, text);
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

/// Two path lengths; user and kernel time depend on both.
struct CoupledTest : test::ExperimentTest {
  test::FormulaMachine machine{[](const std::string& label, const test::FormulaMachine::Values& values) {
                                 return time(label.ends_with("before") ? 0 : 1, values);
                               },
                               {{"kernel.a", 100}, {"kernel.b", 20'000}}};
  cli::Experiment experiment;
  std::string max = "100000";

  static double time(std::size_t i, const test::FormulaMachine::Values& values) {
    return coupled(static_cast<double>(values.at("kernel.a")), static_cast<double>(values.at("kernel.b")))[i];
  }
  std::vector<cli::CalibrationResult> fit(const std::string& first, const std::string& second) {
    const std::string text =
        "schema: 1\nexperiment: e\nvariants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}]\n"
        "cases: [{name: a, files: [a.yaml]}]\npublished:\n";
    const auto entry = [this](const std::string& parameter, const std::string& figure) {
      return "  - {parameter: " + parameter + ", max: " + max + ", cases: [a], against: {case: a, " + target(figure) +
             "}}\n";
    };
    const auto figure = [](const std::string& numbers) { return "  - {case: a, " + numbers + ", error: 1, ref: x}\n"; };
    experiment = load(
        text + figure(first) + figure(second) + "calibrated:\n" + entry("kernel.a", first) + entry("kernel.b", second),
        machine);
    const cli::Simulator simulator = machine.simulator();
    cli::RunCache cache(simulator);
    return calibrate(experiment, cache);
  }
  static std::vector<platforms::TaskRecord> user_and_sys(const std::string&,
                                                         const test::FormulaMachine::Values& values) {
    std::vector<platforms::CallRecord> calls{{"loop", cpu::Domain::user, -1, 1, {}},
                                             {"sys", cpu::Domain::kernel, -1, 1, {}}};
    for (std::size_t i = 0; i < 2; ++i)  // seconds of a CPU with 1 GHz
      calls[i].cycles[0] = static_cast<std::uint64_t>(std::llround(1e9 * time(i, values)));
    return {{"main", 1, false, calls}};
  }
  static std::string target(const std::string& figure) { return figure.substr(0, figure.find(", value")); }
};

BOOST_FIXTURE_TEST_CASE(two_figures_of_one_run_are_fitted_together, CoupledTest) {
  machine.tasks = user_and_sys;
  const auto results = fit("variant: before, metric: user, value: 6200", "variant: before, metric: sys, value: 6000");
  BOOST_TEST(results[0].value == 5000u);
  BOOST_TEST(results[1].value == 3000u);
  BOOST_TEST((results[0].end == FitEnd::fitted && results[1].end == FitEnd::fitted));
  BOOST_TEST(machine.labels.size() == 4u);  // one run gives both figures
  BOOST_TEST(results[0].runs == 4u);
}

BOOST_FIXTURE_TEST_CASE(figures_of_two_runs_that_do_not_settle_are_fitted_together, CoupledTest) {
  const auto results = fit("variant: before, value: 6200", "variant: after, value: 6000");
  BOOST_TEST((results[0].end == FitEnd::fitted && results[1].end == FitEnd::fitted));
  BOOST_TEST(std::abs(results[0].measured / 6200 - 1) <= Fit::kNear);
  BOOST_TEST(std::abs(results[1].measured / 6000 - 1) <= Fit::kNear);
  BOOST_TEST(machine.labels.size() <= 24u);  // of both fits together
}

BOOST_FIXTURE_TEST_CASE(a_failed_run_fails_fits_that_are_made_together, CoupledTest) {
  machine.failures["a/before"] = "out of memory";
  const auto results = fit("variant: before, metric: user, value: 6200", "variant: before, metric: sys, value: 6000");
  BOOST_TEST(results[0].value == 100u);
  BOOST_TEST(calibration_status(results[0]) == "failed");
  BOOST_TEST(calibration_status(results[1]) == "failed");
}

BOOST_FIXTURE_TEST_CASE(a_run_that_fails_on_the_way_is_avoided, CoupledTest) {
  machine.tasks = user_and_sys;
  machine.refusal = [](const std::string&, const test::FormulaMachine::Values& values) -> std::string {
    return values.at("kernel.b") > 22'000 ? "refused" : "";  // the first step of b
  };
  const auto results = fit("variant: before, metric: user, value: 6200", "variant: before, metric: sys, value: 6000");
  BOOST_TEST(results[0].value == 5000u);
  BOOST_TEST(results[1].value == 3000u);
  BOOST_TEST(calibration_status(results[0]) == "fitted");
  BOOST_TEST(calibration_text(experiment, 0, results[0]).find("runs, 2 of them failed") != std::string::npos,
             calibration_text(experiment, 0, results[0]));
}

// 4000 at most: 5440 of the 6200 that need 5000.
BOOST_FIXTURE_TEST_CASE(a_bound_of_fits_that_are_made_together_is_said, CoupledTest) {
  machine.tasks = user_and_sys;
  max = "4000";
  const auto results = fit("variant: before, metric: user, value: 6200", "variant: before, metric: sys, value: 6000");
  BOOST_TEST(results[0].value == 4000u);
  BOOST_TEST(results[1].value == 3600u);
  BOOST_TEST(calibration_status(results[0]) == "out-of-range");
  BOOST_TEST(calibration_status(results[1]) == "fitted");
  const std::string text = calibration_text(experiment, 0, results[0]);
  BOOST_TEST(text.find("5440 simulated, -12.26 %: calibration failed: it would need 5000 cycles, allowed are 0 to "
                       "4000; the upper bound is used") != std::string::npos,
             text);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "sc_main/calibrate.h"
#include "sc_main/experiment_fixture.h"

using namespace switchyard;

namespace {

const char* const kOver =
    "schema: 1\n"
    "experiment: e\n"
    "variants: [{name: before, baseline: true}, {name: after, set: [\"kernel.line=1\"]}]\n"
    "cases:\n"
    "  - {name: plain, files: [p.yaml]}\n"
    "  - {name: board, files: [p.yaml], set: [\"kernel.rest=7\"], note: n,\n"
    "     over: {parameter: kernel.line, title: granule, values: [16 B, 64 B], reference: 64 B}}\n"
    "published:\n"
    "  - {case: board, variant: before, value: 30, error: 1, ref: x}\n"
    "  - {case: board@64 B, variant: after, change_percent: -5, error_points: 1, ref: x}\n"
    "calibrated:\n"
    "  - {parameter: kernel.rest, max: 99999, cases: [board, plain], against: {case: board, variant: before}}\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

struct OverTest : test::ExperimentTest {
  std::vector<std::string> refusals(const std::string& text) {
    std::istringstream lines(refusal_of_experiment(text));
    std::vector<std::string> result;
    for (std::string line; std::getline(lines, line);) result.push_back(line);
    return result;
  }
  void expect(const std::string& text, const std::string& message) {
    const auto lines = refusals(text);
    BOOST_TEST(lines.size() == 1u);
    BOOST_TEST(lines.front() == message);
  }
  static std::vector<std::string> names(const cli::Experiment& e, const std::vector<std::size_t>& cases) {
    std::vector<std::string> result;
    for (const std::size_t c : cases) result.push_back(e.params.cases[c].name);
    return result;
  }
};

using Names = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(case_over_a_parameter, OverTest)

BOOST_AUTO_TEST_CASE(every_value_is_a_case_of_its_own) {
  const cli::Experiment e = load(kOver);
  BOOST_TEST(names(e, {0, 1, 2}) == (Names{"plain", "board@16 B", "board@64 B"}), boost::test_tools::per_element());
  BOOST_TEST(e.params.cases.size() == 3u);
  BOOST_TEST(e.sweep(0) == nullptr);
  BOOST_TEST(e.sweep(1)->value(1) == "16 B");
  BOOST_TEST(e.sweep(2)->value(2) == "64 B");
  BOOST_TEST(e.sweep(2)->title() == "granule");
}

BOOST_AUTO_TEST_CASE(the_value_is_set_after_case_and_variant) {
  const cli::Experiment e = load(kOver);
  BOOST_TEST(e.request(1, 1).sets == (Names{"kernel.rest=7", "kernel.line=1", "kernel.line=16 B"}),
             boost::test_tools::per_element());
  BOOST_TEST(e.request(0, 1).sets == (Names{"kernel.line=1"}), boost::test_tools::per_element());
  BOOST_TEST(e.request(1, 1).label == "board@16 B/after");
}

BOOST_AUTO_TEST_CASE(each_value_has_its_own_number_of_seeds_or_that_of_the_case) {
  const cli::Experiment own = load(with(kOver, "parameter: kernel.line, ", "parameter: kernel.line, seeds: [8, 2], "));
  BOOST_TEST(own.request(1, 0).seeds == 8u);
  BOOST_TEST(own.request(2, 0).seeds == 2u);
  BOOST_TEST(own.request(0, 0).seeds == 1u);
  const cli::Experiment common = load(with(kOver, "over: {", "seeds: 3, over: {"));
  BOOST_TEST(common.request(1, 0).seeds == 3u);
  expect(with(kOver, "parameter: kernel.line, ", "seeds: [8], parameter: kernel.line, "),
         "e.yaml:7:12: cases[1].over: seeds must be as many as values: 2, not 1");
}

BOOST_AUTO_TEST_CASE(several_parameters_take_the_same_value) {
  const cli::Experiment e =
      load(with(kOver, "parameter: kernel.line, title: granule", "parameters: [l1.line, l2.line]"));
  BOOST_TEST(e.request(2, 0).sets == (Names{"kernel.rest=7", "l1.line=64 B", "l2.line=64 B"}),
             boost::test_tools::per_element());
  BOOST_TEST(e.sweep(1)->title() == "l1.line, l2.line");
}

BOOST_AUTO_TEST_CASE(figures_of_the_case_are_those_of_every_value) {
  const cli::Experiment e = load(kOver);
  BOOST_REQUIRE(e.figures.size() == 3u);
  BOOST_TEST((e.figure(1, 0, "real") && e.figure(2, 0, "real") && e.figure(2, 1, "real")));
  BOOST_TEST((e.figure(1, 1, "real") == nullptr));
  BOOST_TEST(e.figures[0].subject == "board");
  BOOST_TEST(e.figures[2].subject == "board@64 B");
}

BOOST_AUTO_TEST_CASE(every_value_is_fitted_on_its_own_and_others_take_the_reference) {
  const cli::Experiment e = load(kOver);
  BOOST_REQUIRE(e.calibrations.size() == 2u);
  BOOST_TEST(
      names(e, {e.calibrations[0].target_case, e.calibrations[1].target_case}) == (Names{"board@16 B", "board@64 B"}),
      boost::test_tools::per_element());
  BOOST_TEST(names(e, e.calibrations[0].cases) == (Names{"board@16 B"}), boost::test_tools::per_element());
  BOOST_TEST(names(e, e.calibrations[1].cases) == (Names{"board@64 B", "plain"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fit_against_one_value_may_serve_all) {
  const cli::Experiment e = load(with(kOver, "against: {case: board,", "against: {case: board@16 B,"));
  BOOST_REQUIRE(e.calibrations.size() == 1u);
  BOOST_TEST(names(e, e.calibrations[0].cases) == (Names{"board@16 B", "board@64 B", "plain"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_case_over_the_same_parameter_takes_the_fit_of_the_same_value) {
  std::string text = with(kOver, "published:",
                          "  - {name: other, files: [p.yaml], over: {parameter: kernel.line, values: [64 B, 16 B]}}\n"
                          "published:");
  const cli::Experiment e = load(with(text, "cases: [board, plain]", "cases: [board, other]"));
  BOOST_TEST(names(e, e.calibrations[0].cases) == (Names{"board@16 B", "other@16 B"}),
             boost::test_tools::per_element());
  BOOST_TEST(names(e, e.calibrations[1].cases) == (Names{"board@64 B", "other@64 B"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_case_over_another_parameter_takes_the_reference_at_every_value) {
  std::string text =
      with(kOver, "published:",
           "  - {name: offsets, files: [p.yaml], over: {parameter: kernel.at, values: [0 B, 4 B]}}\npublished:");
  const cli::Experiment e = load(with(text, "cases: [board, plain]", "cases: [board, offsets]"));
  BOOST_TEST(names(e, e.calibrations[1].cases) == (Names{"board@64 B", "offsets@0 B", "offsets@4 B"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_case_that_could_take_any_value_is_refused_without_a_reference) {
  expect(with(kOver, ", reference: 64 B", ""),
         "e.yaml:12:57: calibrated[0].cases[1]: board has a fit for each value and no over.reference; say which one "
         "plain takes over");
}

BOOST_AUTO_TEST_CASE(unknown_names_are_refused_with_the_nearest) {
  const auto found =
      refusals(with(with(kOver, "case: board@64 B", "case: board@64B"), "reference: 64 B", "reference: 64B"));
  BOOST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found[0] ==
             "e.yaml:7:86: cases[1].over.reference: unknown value 64B; did you mean 64 B? allowed: 16 B, 64 B");
  BOOST_TEST(found[1] ==
             "e.yaml:10:12: published[1].case: unknown case board@64B; did you mean board@64 B? "
             "allowed: plain, board, board@16 B, board@64 B");
}

BOOST_AUTO_TEST_CASE(an_over_that_says_too_little_or_too_much_is_refused) {
  expect(with(kOver, "parameter: kernel.line, ", ""),
         "e.yaml:7:12: cases[1].over: give the path of one parameter, or of several in parameters");
  expect(with(kOver, "parameter: kernel.line, ", "parameter: a, parameters: [b], "),
         "e.yaml:7:12: cases[1].over: give the path of one parameter, or of several in parameters");
  expect(with(kOver, "[16 B, 64 B]", "[64 B, 64 B]"), "e.yaml:7:68: cases[1].over.values[1]: 64 B is there twice");
  BOOST_TEST(refusals(with(kOver, "values: [16 B, 64 B]", "values: []")).front().find("give the values") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_bad_path_is_refused_where_it_stands) {
  const std::string text = with(kOver, "parameter: kernel.line", "parameter: nonsense.line");
  expect(text, "e.yaml:7:24: cases[1].over.parameter: --set nonsense.line: unknown key");
}

BOOST_AUTO_TEST_CASE(a_bad_value_is_refused_where_it_stands) {
  expect(with(kOver, "[16 B, 64 B]", "[bad, 64 B]"),
         "e.yaml:7:62: cases[1].over.values[0]: --set kernel.line: expected a size, found bad");
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_the_files_is_refused_where_it_stands) {
  expect(with(kOver, "[16 B, 64 B]", "[48 B, 64 B]"),
         "e.yaml:7:62: cases[1].over.values[0]: p.yaml:4:2: kernel: line must be a power of two, got 48 B");
}

BOOST_AUTO_TEST_CASE(the_parameter_of_over_cannot_be_fitted) {
  expect(
      with(kOver, "parameter: kernel.rest", "parameter: kernel.line"),
      "e.yaml:12:17: calibrated[0].parameter: kernel.line takes the values of board.over; it cannot be fitted as well");
}

BOOST_AUTO_TEST_CASE(a_figure_of_a_value_beside_the_same_of_all_values_is_refused_once) {
  expect(with(kOver, "case: board@64 B, variant: after, change_percent: -5, error_points: 1",
              "case: board@64 B, variant: before, value: 3, error: 1"),
         "e.yaml:10:5: published[1]: published[0] already has this case, variant and metric");
}

BOOST_AUTO_TEST_CASE(a_calibration_without_a_figure_is_refused_once) {
  const std::string text =
      with(kOver, "variant: before, value: 30, error: 1", "variant: before, value: 30, metric: sys, error: 1");
  const auto found = refusals(text);
  BOOST_TEST(found.size() == 2u);  // one for each value: the cases differ
  BOOST_TEST(found[0].find("no published value of real for case board@16 B, variant before") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(metrics_to_explain_are_checked) {
  expect(std::string(kOver) + "explain: [{metric: reel, text: time}]\n",
         "e.yaml:13:20: explain[0].metric: unknown metric reel; did you mean real? allowed: real, user, sys, "
         "per_iteration_us, warm_up_excess, share.FUNCTION, machine_share.FUNCTION, per_loop.MODULE.STAT, "
         "stat.MODULE.STAT");
}

BOOST_AUTO_TEST_CASE(all_values_reach_their_target) {
  test::FormulaMachine machine(
      [](const std::string& label, const test::FormulaMachine::Values& values) {
        return static_cast<double>(values.at("kernel.rest") * values.at("kernel.line")) /
               (label.ends_with("/after") ? 2 : 1);
      },
      {{"kernel.rest", 1}, {"kernel.line", 64}});
  const cli::Experiment e = load(with(kOver, "value: 30, error: 1", "value: 64000, error: 1"), machine);
  const cli::Simulator simulator = machine.simulator();
  cli::RunCache cache(simulator);
  const auto results = calibrate(e, cache);
  BOOST_TEST(results[0].value == 4000u);  // 64000 / 16
  BOOST_TEST(results[1].value == 1000u);  // 64000 / 64
  const auto sets = calibrated_request(e, results, 0, 0).sets;
  BOOST_REQUIRE(sets.size() == 1u);
  BOOST_TEST(sets[0].starts_with("kernel.rest={value: 1000 cycles, from: calibrated, ref: \"board@64 B, before"));
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sc_main/experiment_fixture.h"
#include "sc_main/experiment_parameters.h"

using namespace switchyard;

namespace {

const char* const kGood =
    "schema: 1\n"
    "experiment: e\n"
    "variants:\n"
    "  - {name: before, baseline: true, files: [policies/before.yaml], set: [\"firmware.trap=5\"]}\n"
    "  - {name: after}\n"
    "cases:\n"
    "  - {name: one, files: [../p.yaml, w.yaml], set: [\"kernel.rest=7\"]}\n"
    "  - {name: two, files: [p.yaml], variants: [after], metrics: [sys], what_if: true}\n"
    "published:\n"
    "  - {case: one, variant: before, value: 27.4, unit: s, error_percent: 3, ref: mail}\n"
    "  - {case: one, variant: after, change_percent: -34, tolerance_points: 5, ref: mail}\n"
    "  - {case: two, variant: after, metric: share.f, value: 8.6, tolerance: 3, ref: mail}\n"
    "calibrated:\n"
    "  - {parameter: kernel.rest, min: 10, max: 99999, cases: [one, two], against: {case: one, variant: before}}\n";

/// kGood with one line replaced, from 1.
std::string with_line(int number, const std::string& text) {
  std::string result;
  std::istringstream lines(kGood);
  int n = 0;
  for (std::string line; std::getline(lines, line);) result += (++n == number ? text : line) + "\n";
  return result;
}

struct ExperimentFileTest : test::ExperimentTest {
  static void expect(int line, const std::string& text, const std::string& message) {
    const std::string found = refusal_of_experiment(with_line(line, text));
    BOOST_TEST(found.find(message) != std::string::npos, found);
    BOOST_TEST(found.find(fmt::format("e.yaml:{}:", line)) != std::string::npos, found);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file_of_experiment, ExperimentFileTest)

BOOST_AUTO_TEST_CASE(a_whole_file_is_read) {
  const cli::Experiment e = load(kGood);
  BOOST_TEST(e.params.name == "e");
  BOOST_TEST(e.baseline == 0u);
  BOOST_TEST(e.case_variants[0].size() == 2u);
  BOOST_TEST(e.case_variants[1].size() == 1u);
  BOOST_TEST(*e.figures[0].value_error == 27.4 * 3 / 100);
  BOOST_TEST(e.figures[0].is_target);
  BOOST_TEST(*e.figures[1].change == -0.34);
  BOOST_TEST(*e.figures[1].change_tolerance == 0.05);
  BOOST_TEST(!e.figures[1].value.has_value());
  BOOST_TEST(*e.figures[2].value_tolerance == 3);
  BOOST_REQUIRE(e.calibrations.size() == 1u);
  BOOST_TEST(e.calibrations[0].start == 10u);  // 7 in the case's own override, lifted to the least value
  BOOST_TEST(e.calibrations[0].target == 27.4);
}

BOOST_AUTO_TEST_CASE(files_are_relative_to_the_experiment_and_variants_come_last) {
  write("deep/er/e.yaml", kGood);
  test::FormulaMachine machine([](const auto&, const auto&) { return 1.0; });
  const cli::Experiment e = cli::load_experiment("deep/er/e.yaml", machine.simulator());
  const cli::RunRequest request = e.request(0, 0);
  BOOST_TEST(
      request.files == (std::vector<std::string>{"deep/p.yaml", "deep/er/w.yaml", "deep/er/policies/before.yaml"}),
      boost::test_tools::per_element());
  BOOST_TEST(request.sets == (std::vector<std::string>{"kernel.rest=7", "firmware.trap=5"}),
             boost::test_tools::per_element());
  BOOST_TEST(request.label == "one/before");
}

BOOST_AUTO_TEST_CASE(a_case_reports_its_own_metrics_and_those_of_its_figures) {
  const cli::Experiment e = load(kGood);
  BOOST_TEST(e.metrics(0) == (std::vector<std::string>{"real"}), boost::test_tools::per_element());
  BOOST_TEST(e.metrics(1) == (std::vector<std::string>{"real", "sys", "share.f"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unknown_names_are_refused_with_the_nearest) {
  expect(8, "  - {name: two, files: [p.yaml], variants: [aftre], metrics: [sys]}",
         "cases[1].variants[0]: unknown variant aftre; did you mean after?");
  expect(8, "  - {name: two, files: [p.yaml], metrics: [reel]}",
         "cases[1].metrics[0]: unknown metric reel; did you mean real?");
  expect(10, "  - {case: onne, variant: before, value: 27.4, error: 3, ref: mail}",
         "published[0].case: unknown case onne; did you mean one?");
  expect(12, "  - {case: two, variant: before, value: 27.4, error: 3, ref: mail}",
         "published[2].variant: unknown variant before");
  expect(14, "  - {parameter: kernel.rset, max: 9, cases: [one], against: {case: one, variant: before}}",
         "calibrated[0].parameter: case one has no parameter kernel.rset; did you mean kernel.rest?");
  expect(14, "  - {parameter: kernel.rest, max: 9, cases: [one, tow], against: {case: one, variant: before}}",
         "calibrated[0].cases[1]: unknown case tow; did you mean two?");
  expect(7, "  - {name: one, file: [p.yaml], files: [p.yaml]}", "cases[0].file: unknown key; did you mean files?");
}

BOOST_AUTO_TEST_CASE(figures_that_say_nothing_or_too_much_are_refused) {
  expect(11, "  - {case: one, variant: after, ref: mail}", "a figure has a value, a change_percent, or");
  expect(11, "  - {case: one, variant: after, change_percent: -3, ref: mail}", "say how near a predicted change");
  expect(11, "  - {case: one, variant: after, value: 3, ref: mail}", "say how near a predicted value");
  expect(11, "  - {case: one, variant: after, value: 3, error: 1, error_percent: 2, ref: mail}",
         "give error or error_percent, not both");
  expect(11, "  - {case: one, variant: after, value: 3, error: 1, tolerance_points: 2, ref: mail}",
         "speaks of `change_percent`");
  expect(11, "  - {case: one, variant: before, change_percent: -3, tolerance_points: 2, ref: mail}",
         "this is the baseline variant");
  expect(11, "  - {case: one, variant: before, value: 3, error: 1, ref: mail}",
         "published[0] already has this case, variant and metric");
  expect(11, "  - {case: one, variant: after, value: 3, error: 1, unit: ms, ref: mail}", "real is in s, found ms");
  expect(11, "  - {case: one, variant: after, expect: no-effect, unexplained: u, tolerance_points: 2, ref: mail}",
         "say which change was measured: change_percent");
}

BOOST_AUTO_TEST_CASE(the_published_error_is_a_tolerance_where_none_is_stated) {
  const auto figure = [](const std::string& numbers) {
    return load(with_line(11, "  - {case: one, variant: after, " + numbers + ", ref: mail}")).figures[1];
  };
  BOOST_TEST(*figure("value: 20, error_percent: 5").value_tolerance == 1);
  BOOST_TEST(*figure("value: 20, error: 2, tolerance_percent: 50").value_tolerance == 10);
  BOOST_TEST(*figure("change_percent: -20, error_points: 2").change_tolerance == 0.02);
  const cli::Figure both = figure("value: 20, error: 2, change_percent: -20, tolerance_points: 2");
  BOOST_TEST(!both.value_tolerance.has_value());
  BOOST_TEST(*both.value_error == 2);
}

BOOST_AUTO_TEST_CASE(calibrations_aim_at_one_value_each) {
  expect(14, "  - {parameter: kernel.rest, max: 9, cases: [one], against: {case: one, variant: after}}",
         "no published value of real for case one, variant after");
  expect(14, "  - {parameter: kernel.rest, max: 9, cases: [two], against: {case: one, variant: before}}",
         "one is not among `cases`");
  expect(14, "  - {parameter: kernel.name, max: 9, cases: [one], against: {case: one, variant: before}}",
         "only whole numbers and latencies in cycles can be calibrated");
  expect(14, "  - {parameter: kernel.rest, min: 10, max: 9, cases: [one], against: {case: one, variant: before}}",
         "min 10 is above max 9");
  const std::string twice =
      std::string(kGood) +
      "  - {parameter: firmware.trap, max: 9, cases: [one], against: {case: one, variant: before}}\n";
  const std::string found = refusal_of_experiment(twice);
  BOOST_TEST(found.find("one value decides one parameter") != std::string::npos, found);
}

BOOST_AUTO_TEST_CASE(exactly_one_variant_is_the_baseline) {
  const std::string found = refusal_of_experiment(with_line(5, "  - {name: after, baseline: true}"));
  BOOST_TEST(found.find("exactly one variant says baseline: true, found 2") != std::string::npos, found);
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_fit_for_files) {
  expect(8, "  - {name: one, files: [p.yaml]}", "cases[1].name: one is already the name of cases[0]");
  expect(5, "  - {name: a/b}", "expected a name of letters, digits");
}

BOOST_AUTO_TEST_CASE(faults_of_run_configurations_come_with_their_own_place_once) {
  const std::string found = refusal_of_experiment(with_line(7, "  - {name: one, files: [broken.yaml]}"));
  BOOST_TEST(found == "broken.yaml:3:1: kernel: unknown key");
}

BOOST_AUTO_TEST_CASE(faults_of_overrides_name_the_case) {
  expect(7, "  - {name: one, files: [p.yaml], set: [\"nonsense=1\"]}",
         "cases[0]: with variant before: --set nonsense: unknown key");
}

BOOST_AUTO_TEST_CASE(all_faults_come_in_one_go) {
  const std::string found = refusal_of_experiment(
      "schema: 1\n"
      "experiment: e\n"
      "variants: [{name: a, baselin: true}]\n"
      "cases: [{name: c, files: [p.yaml], variants: [b]}, {name: c, files: [p.yaml]}]\n"
      "metrics: [reel]\n"
      "published: [{case: d, variant: a, value: 1, error: 1, ref: r}]\n");
  for (const char* part :
       {"baselin: unknown key", "unknown variant b", "already the name", "unknown metric reel", "unknown case d"})
    BOOST_TEST(found.find(part) != std::string::npos, part << " in\n" << found);
}

BOOST_AUTO_TEST_CASE(experiments_are_told_from_run_configurations) {
  write("e.yaml", kGood);
  write("r.yaml", "schema: 1\nname: r\n");
  BOOST_TEST(cli::is_experiment_file("e.yaml"));
  BOOST_TEST(!cli::is_experiment_file("r.yaml"));
  BOOST_TEST(!cli::is_experiment_file("missing.yaml"));
}

BOOST_AUTO_TEST_CASE(every_number_of_a_configuration_is_listed_with_its_path) {
  const auto machine = read(
      "schema: 1\nmodules: {l1: {type: cache, params: {size: 64 KiB}}}\n"
      "program: [{loop: {count: 3, body: [{touch: {pages: 9}}]}}]\n");
  std::map<std::string, cli::ParameterValue> values;
  for (const cli::ParameterValue& value : cli::list_parameter_values(machine->params)) values[value.path] = value;
  BOOST_TEST((values.at("modules.l1.params.latency").kind == cli::ParameterValue::Kind::cycles));
  BOOST_TEST(values.at("modules.l1.params.latency").value == 3u);
  BOOST_TEST((values.at("modules.l1.params.size").kind == cli::ParameterValue::Kind::other));
  BOOST_TEST(values.at("modules.l1.params.size").text == "64 KiB");
  BOOST_TEST(values.at("program[0].loop.body[0].touch.pages").value == 9u);
  BOOST_TEST(values.at("seed").value == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_reference.h"

#include "sc_main/compare_json.h"
#include "sc_main/compare_table.h"
#include "sc_main/experiment_fixture.h"

using namespace switchyard;
using cli::Relation;
using platforms::Estimate;

namespace {

const char* const kExperiment =
    "schema: 1\n"
    "experiment: align\n"
    "variants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}, {name: same, files: [same.yaml]}]\n"
    "cases:\n"
    "  - {name: board, files: [p.yaml], over: {parameter: kernel.line, title: granule,\n"
    "     values: [16 B, 64 B, 128 B], reference: 64 B}}\n"
    "published:\n"
    "  - {case: board, variant: before, value: 30, ref: x}\n"
    "calibrated:\n"
    "  - {parameter: kernel.rest, min: 25, max: 99999, cases: [board], against: {case: board, variant: before}}\n";

/// `after` saves nothing at 16 B, a fifth at 64 B and a tenth at 128 B, `same` nothing. At 128 B everything takes 1600
/// times as long, so that `kernel.rest` would have to be below its bound.
double seconds(const std::string& label, const test::FormulaMachine::Values& values) {
  const std::uint64_t line = values.at("kernel.line");
  const double rest = static_cast<double>(values.at("kernel.rest")) / 1000 * (line == 128 ? 1600 : 1);
  if (!label.ends_with("/after")) return rest;
  return rest * (line == 16 ? 1 : line == 64 ? 0.8 : 0.9);
}

struct ReferenceTest : test::ExperimentTest {
  test::FormulaMachine machine{seconds, {{"kernel.rest", 1000}, {"kernel.line", 64}}};
  cli::Simulator simulator = machine.simulator();
  double ci95 = 0.01;  ///< of each run, as a share

  ReferenceTest() {
    simulator.run = [this, run = simulator.run](const std::vector<cli::RunRequest>& requests) {
      std::vector<cli::RunResult> results = run(requests);
      for (cli::RunResult& result : results) {
        result.outcome.loop.iterations = 100;
        result.outcome.loop.iteration_s.ci95 = ci95 * result.outcome.loop.iteration_s.mean;
      }
      return results;
    };
  }
  std::unique_ptr<cli::Comparison> compare() {
    return std::make_unique<cli::Comparison>(load(kExperiment, machine), simulator);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(relation_to_reference)

BOOST_AUTO_TEST_CASE(effects_are_told_apart_by_their_intervals) {
  const auto relation = [](double here, double here_ci, double there, double there_ci) {
    return cli::relation_of(Estimate{here, here_ci}, Estimate{there, there_ci});
  };
  BOOST_TEST((relation(0.01, 0.02, -0.01, 0.01) == Relation::no_effect));
  BOOST_TEST((relation(-0.09, 0.03, -0.07, 0.02) == Relation::not_distinguishable));
  BOOST_TEST((relation(0.01, 0.02, -0.10, 0.01) == Relation::none_here));
  BOOST_TEST((relation(-0.05, 0.01, -0.10, 0.01) == Relation::weaker));
  BOOST_TEST((relation(-0.20, 0.01, -0.10, 0.01) == Relation::stronger));
  BOOST_TEST((relation(0.20, 0.01, -0.10, 0.01) == Relation::opposite));
  BOOST_TEST((relation(0.20, 0.01, 0.01, 0.02) == Relation::stronger));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(reference_text, ReferenceTest)

BOOST_AUTO_TEST_CASE(each_value_is_held_against_the_reference_and_a_baseline_that_was_not_met_is_said) {
  const auto comparison = compare();
  const std::vector<std::string> lines = cli::reference_notes(*comparison, comparison->experiment().sweeps.front());
  BOOST_TEST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0] == "board: real at 16 B against 64 B: after +0.0 ± 1.4 % against -20.0 ± 1.1 % (no effect here)");
  BOOST_TEST(lines[1] ==
             "board: real at 128 B against 64 B: after -10.0 ± 1.3 % against -20.0 ± 1.1 % (weaker); its baseline is "
             "not what was measured, and its changes are those of another machine: kernel.rest = 25 (out-of-range): "
             "real 40 s, published 30 s");
}

BOOST_AUTO_TEST_CASE(the_json_has_every_variant_at_every_other_value) {
  const auto json = cli::compare_json(*compare());
  const auto& list = json["sensitivity"][0]["against_reference"];
  BOOST_TEST_REQUIRE(list.size() == 4u);
  BOOST_TEST(list[0]["value"] == "16 B");
  BOOST_TEST(list[0]["relation"] == "no effect here");
  BOOST_TEST(list[1]["relation"] == "no effect");
  BOOST_TEST(list[2]["relation"] == "weaker");
  BOOST_TEST(list[2]["baseline_is_fitted"] == false);
}

BOOST_AUTO_TEST_CASE(a_change_whose_interval_holds_zero_is_marked) {
  const std::string text = cli::compare_text(*compare());
  BOOST_TEST(text.find("+0.0 ± 1.4 % ~") != std::string::npos, text);
  BOOST_TEST(text.find("-20.0 ± 1.1 % ~") == std::string::npos, text);
  BOOST_TEST(text.find("~ not distinguishable from zero") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()

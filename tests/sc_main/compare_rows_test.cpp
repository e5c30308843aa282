// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sc_main/compare.h"
#include "sc_main/compare_cells.h"
#include "sc_main/compare_json.h"
#include "sc_main/compare_table.h"
#include "sc_main/config_search.h"
#include "sc_main/experiment_fixture.h"

using namespace switchyard;
using Json = nlohmann::ordered_json;

namespace {

const char* const kExperiment =
    "schema: 1\n"
    "experiment: unmap\n"
    "title: Batched unmap\n"
    "source: [seed mail]\n"
    "variants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}]\n"
    "cases:\n"
    "  - {name: board, files: [a.yaml], note: four sleepers}\n"
    "  - {name: other, files: [b.yaml]}\n"
    "  - {name: faster, files: [c.yaml], what_if: true}\n"
    "published:\n"
    "  - {case: board, variant: before, value: 30, error_percent: 3, tolerance_percent: 5, ref: m1}\n"
    "  - {case: board, variant: after, value: 18, change_percent: -34, tolerance_points: 5, ref: m1}\n"
    "  - {case: other, variant: after, change_percent: -78, tolerance_points: 5, unexplained: trap flush, ref: m2}\n"
    "calibrated:\n"
    "  - {parameter: kernel.rest, max: 100000, cases: [board], against: {case: board, variant: after}}\n";

/// Each page costs `rest`, before with a fence on top.
double seconds(const std::string& label, const test::FormulaMachine::Values& values) {
  return static_cast<double>(values.at("kernel.rest")) / 1000 * (label.ends_with("before") ? 1.5 : 1);
}

struct CompareTest : test::ExperimentTest {
  test::FormulaMachine machine{seconds};
  cli::Simulator simulator = machine.simulator();

  static const cli::CompareRow& row(const cli::Comparison& comparison, std::size_t c, std::size_t v) {
    for (const cli::CompareRow& one : comparison.rows())
      if (one.case_index == c && one.variant_index == v) return one;
    throw std::out_of_range("no such row");
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(comparison, CompareTest)

BOOST_AUTO_TEST_CASE(every_case_and_variant_has_a_row_in_the_order_of_the_file) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  BOOST_REQUIRE(comparison.rows().size() == 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    BOOST_TEST(comparison.rows()[i].case_index == i / 2);
    BOOST_TEST(comparison.rows()[i].variant_index == i % 2);
  }
}

BOOST_AUTO_TEST_CASE(rows_are_judged) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const cli::CompareRow& before = row(comparison, 0, 0);
  BOOST_TEST((before.judgement.verdict == cli::Verdict::misses));  // 27 for 30 with 5 %
  BOOST_TEST(std::abs(*before.judgement.gap + 3) < 0.1);
  const cli::CompareRow& after = row(comparison, 0, 1);
  BOOST_TEST(after.value_is_calibrated);
  BOOST_TEST((after.judgement.verdict == cli::Verdict::holds));
  BOOST_TEST((after.judgement.kind == cli::FigureKind::predicted));
  BOOST_TEST(std::abs(after.change->mean + 1.0 / 3) < 1e-9);
  BOOST_TEST((row(comparison, 1, 1).judgement.verdict == cli::Verdict::not_explained));
  BOOST_TEST((row(comparison, 2, 1).judgement.verdict == cli::Verdict::no_reference));
  BOOST_TEST(!comparison.has_failed());
}

BOOST_AUTO_TEST_CASE(a_run_of_the_calibration_is_not_repeated) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const std::size_t of_target =
      static_cast<std::size_t>(std::count(machine.labels.begin(), machine.labels.end(), "board/after"));
  BOOST_TEST(of_target == comparison.calibrations()[0].runs);
}

BOOST_AUTO_TEST_CASE(the_interval_of_a_change_has_both_runs_in_it) {
  machine = test::FormulaMachine(seconds);
  cli::Simulator noisy = machine.simulator();
  noisy.run = [run = noisy.run](const auto& requests) {
    auto results = run(requests);
    for (cli::RunResult& result : results)
      result.outcome.loop.iteration_s.ci95 = 0.01 * result.outcome.loop.iteration_s.mean;
    return results;
  };
  const cli::Comparison comparison(load(kExperiment, machine), noisy);
  BOOST_TEST(std::abs(row(comparison, 1, 1).change->ci95 - std::sqrt(2.0) * 0.01 / 1.5) < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_failed_run_is_a_row_with_its_reason) {
  machine.failures["other/after"] = "the simulation was ended by signal 11";
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  BOOST_TEST(comparison.has_failed());
  BOOST_TEST(!row(comparison, 1, 1).value.has_value());
  BOOST_TEST((row(comparison, 1, 1).judgement.verdict == cli::Verdict::no_reference));
  const Json json = cli::compare_json(comparison)["rows"][3];
  BOOST_TEST(json["verdict"] == "no-reference");
  BOOST_TEST(json["error"] == "the simulation was ended by signal 11");
  const std::string text = cli::compare_text(comparison);
  BOOST_TEST(has(text, "other/after: the run failed: the simulation was ended by signal 11"));
  BOOST_TEST(has(text, "  failed: the simulation was ended by signal 11\n"), text);
  BOOST_TEST(has(text, "\n1 holds, 1 misses, 3 no-reference, 1 failed;"), text);
}

BOOST_AUTO_TEST_CASE(a_change_against_a_failed_baseline_is_not_judged) {
  machine.failures["other/before"] = "out of memory";
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  BOOST_TEST(row(comparison, 1, 1).error == "");
  BOOST_TEST((row(comparison, 1, 1).judgement.verdict == cli::Verdict::no_reference));
}

BOOST_AUTO_TEST_CASE(too_few_iterations_give_no_interval) {
  simulator.run = [run = simulator.run](const auto& requests) {
    auto results = run(requests);
    for (cli::RunResult& result : results) {
      result.outcome.loop.iterations = 9;
      result.outcome.loop.iteration_s.ci95 = result.outcome.loop.iteration_s.mean;
    }
    return results;
  };
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const Json json = cli::compare_json(comparison)["rows"][1];
  BOOST_TEST(json["ci95"].is_null());
  BOOST_TEST(json["change_ci95"].is_null());
  BOOST_TEST(has(cli::compare_text(comparison), " 18.00 s *"));
}

BOOST_AUTO_TEST_CASE(a_metric_that_no_run_has_is_said) {
  const std::string text = std::string(kExperiment) + "metrics: [real, per_loop.kernel.fences]\n";
  const cli::Comparison comparison(load(text, machine), simulator);
  BOOST_TEST(comparison.has_failed());
  BOOST_TEST(has(cli::compare_text(comparison), "metric per_loop.kernel.fences: this run has no such value"));
}

BOOST_AUTO_TEST_CASE(a_function_that_never_ran_has_a_share_of_zero) {
  simulator.run = [run = simulator.run](const std::vector<cli::RunRequest>& requests) {
    auto results = run(requests);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool is_before = requests[i].label.ends_with("before");
      results[i].outcome.tasks = {
          {"main", 1, false, {{is_before ? "fence" : "walk", cpu::Domain::kernel, -1, 1, {100}}}}};
    }
    return results;
  };
  const cli::Comparison comparison(load(std::string(kExperiment) + "metrics: [share.fence]\n", machine), simulator);
  for (const cli::CompareRow& one : comparison.rows())
    if (one.metric == "share.fence") BOOST_TEST(one.value->mean == (one.variant_index == 0 ? 100 : 0));
  BOOST_TEST(!comparison.has_failed());
}

BOOST_AUTO_TEST_CASE(the_json_has_the_keys_that_machines_rely_on) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const Json json = cli::compare_json(comparison);
  for (const char* key : {"experiment", "version", "config_hash", "rows", "calibration", "notes"})
    BOOST_TEST(json.contains(key), key);
  BOOST_TEST(json["experiment"] == "unmap");
  BOOST_TEST(json["config_hash"].get<std::string>().size() == 16u);
  for (const Json& one : json["rows"])
    for (const char* key :
         {"case", "variant", "metric", "unit", "value", "ci95", "baseline", "change", "change_ci95", "published",
          "published_error", "published_change", "published_change_error", "kind", "verdict", "tolerance", "gap"})
      BOOST_TEST(one.contains(key), key);
}

BOOST_AUTO_TEST_CASE(the_json_gives_changes_as_shares_and_nulls_for_what_is_not_known) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const Json rows = cli::compare_json(comparison)["rows"];
  const Json& before = rows[0];
  BOOST_TEST(before["baseline"].is_null());
  BOOST_TEST(before["change"].is_null());
  BOOST_TEST(before["published"] == 30.0);
  BOOST_TEST(before["published_error"] == 0.9);
  BOOST_TEST(before["kind"] == "predicted");
  const Json& after = rows[1];
  BOOST_TEST(after["published_change"] == -0.34);
  BOOST_TEST(after["change"] == -0.333333333);
  BOOST_TEST(after["baseline"] == before["value"]);
  BOOST_TEST(after["verdict"] == "holds");
  BOOST_TEST(after["judged"] == "change");
  BOOST_TEST(after["value_kind"] == "calibrated");
  BOOST_TEST(rows[5]["verdict"] == "no-reference");
  BOOST_TEST(rows[5]["what_if"] == true);
  BOOST_TEST(rows[5]["published"].is_null());
}

BOOST_AUTO_TEST_CASE(the_json_says_what_was_calibrated) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const Json entry = cli::compare_json(comparison)["calibration"][0];
  BOOST_TEST(entry["parameter"] == "kernel.rest");
  BOOST_TEST(entry["value"] == 18000u);
  BOOST_TEST(entry["start"] == 1000u);
  BOOST_TEST(entry["status"] == "fitted");
  BOOST_TEST(entry["against"]["published"] == 18.0);
  BOOST_TEST(entry["residual"] == 0.0);
}

BOOST_AUTO_TEST_CASE(the_table_says_all_that_a_reader_needs) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const std::string text = cli::compare_text(comparison);
  for (const char* part :
       {"unmap: Batched unmap", "18.00 s *", "-33.3 %", "-34.0 %", "30 ± 0.9 s",
        "misses: value off by -3 s (allowed ±1.5)", "holds: change within ±5 points", "Length of the runs",
        "18 simulated, +0.00 %", "not-explained: change off by +44.7 points (allowed ±5)",
        "not explained: trap flush (published -78.0 %, predicted -33.3 %)", "faster (what if)",
        "kernel.rest = 18000 cycles", "board: four sleepers", "4 values assumed",
        "1 iterations simulated after 0 of warm-up, scaled to 1", "seed mail",
        "1 holds, 1 misses, 1 not-explained, 3 no-reference"})
    BOOST_TEST(has(text, part), part << " in\n" << text);
}

// -33.3 % where the mechanism must give none within 5 points, and within 40.
BOOST_AUTO_TEST_CASE(an_effect_that_must_not_be_predicted_is_a_miss) {
  const auto text_with = [&](const std::string& tolerance) {
    const std::string text = std::string(kExperiment)
                                 .replace(std::string(kExperiment).find("tolerance_points: 5, unexplained"), 32,
                                          "tolerance_points: " + tolerance + ", expect: no-effect, unexplained");
    return cli::compare_text(cli::Comparison(load(text, machine), simulator));
  };
  const std::string wide = text_with("40"), narrow = text_with("5");
  BOOST_TEST(has(wide, "not-explained: no effect predicted, -33.3 points (allowed ±40)"), wide);
  BOOST_TEST(has(wide, "trap flush (published -78.0 %, predicted -33.3 %)"), wide);
  BOOST_TEST(has(narrow, "misses: an effect of -33.3 points predicted (allowed ±5)"), narrow);
}

BOOST_AUTO_TEST_CASE(columns_line_up_beside_wide_bytes) {
  cli::TextTable table({"a", "b"});
  table.add({"1 ± 2", "x"});
  table.add({"12345", "y"});
  BOOST_TEST(table.text() == "a      b\n1 ± 2  x\n12345  y\n");
}

BOOST_AUTO_TEST_CASE(several_experiments_are_one_table) {
  const cli::Comparison comparison(load(kExperiment, machine), simulator);
  const std::string text = cli::validate_text({&comparison, &comparison});
  BOOST_TEST(has(text, "2 holds, 2 misses, 2 not-explained, 6 no-reference"), text);
}

BOOST_AUTO_TEST_CASE(experiments_are_found_by_name) {
  unsetenv("SWITCHYARD_CONFIGS");
  write("configs/experiments/riscv-unmap.yaml", kExperiment);
  BOOST_TEST(cli::find_experiment("riscv-unmap") == "configs/experiments/riscv-unmap.yaml");
  BOOST_TEST(cli::find_experiment("some/file") == "some/file");
  BOOST_TEST(cli::find_experiment("file.yaml") == "file.yaml");
  write("own/experiments/riscv-unmap.yaml", kExperiment);
  setenv("SWITCHYARD_CONFIGS", "own", 1);
  BOOST_TEST(cli::find_experiment("riscv-unmap") == "own/experiments/riscv-unmap.yaml");
  unsetenv("SWITCHYARD_CONFIGS");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_refused_with_the_nearest) {
  write("configs/experiments/riscv-unmap.yaml", kExperiment);
  try {
    cli::find_experiment("riscv-unmpa");
    BOOST_ERROR("accepted");
  } catch (const base::ConfigError& error) {
    BOOST_TEST(has(error.what(), "unknown experiment riscv-unmpa; did you mean riscv-unmap?"), error.what());
  }
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "sc_main/sweep_fixture.h"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kTwoSizes = "axes: {size: {parameter: modules.l2.params.size, values: [128 KiB, 256 KiB]}}\n";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sweep_run, SweepTest)

BOOST_AUTO_TEST_CASE(a_sweep_fills_a_folder_and_prints_a_table) {
  const Result result = sweep();
  BOOST_TEST(result.code == 0);
  BOOST_TEST(result.err == "");
  BOOST_TEST(contains(result.out, "128 KiB"));
  BOOST_TEST(contains(result.out, "20 runs done (0 of them before), 0 failed, 0 missing; results in res\n"));
  BOOST_TEST(names("res") == (std::vector<std::string>{"attempts.jsonl", "runs", "sweep.lock", "sweep.sqlite"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(names("res/runs").size() == 20u);
  const std::vector<std::string> files = names("res/runs/" + names("res/runs")[0]);
  for (const char* name : {"config.yaml", "stats.txt", "stats.json", "log.txt", "outcome.cbor", "perf-stat.txt"})
    BOOST_TEST((std::find(files.begin(), files.end(), name) != files.end()), name);
}

BOOST_AUTO_TEST_CASE(the_folder_of_a_run_is_that_of_the_run_command) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  BOOST_TEST(run_tiny({"--set", "run.until.relative_ci=0 %", "--set", "modules.hart.params.jitter=10 %", "--set",
                       "modules.l2.params.size=128 KiB", "--out", "one"})
                 .code == 0);
  const std::string folder = "res/" + sql("SELECT folder FROM results WHERE point = 1");
  for (const char* name : {"stats.txt", "time.txt", "causes.txt"})
    BOOST_TEST(read(folder.substr(0, folder.size() - 1) + "/" + name) == read(std::string("one/") + name), name);
}

BOOST_AUTO_TEST_CASE(the_store_does_not_depend_on_the_number_of_workers) {
  BOOST_TEST(sweep({"-j", "1"}, "one").code == 0);
  BOOST_TEST(sweep({"-j", "4"}, "four").code == 0);
  BOOST_TEST(dump("one") == dump("four"));
}

BOOST_AUTO_TEST_CASE(a_second_start_runs_nothing) {
  BOOST_TEST(sweep().code == 0);
  const std::string before = dump();
  const Result again = sweep();
  BOOST_TEST(contains(again.out, "20 runs done (20 of them before)"));
  BOOST_TEST(count(read("res/attempts.jsonl"), "\n") == 20u);
  BOOST_TEST(dump() == before);
}

BOOST_AUTO_TEST_CASE(a_changed_file_runs_what_is_new_and_shows_what_it_asks_for) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [512 KiB, 128 KiB]}}\n");
  BOOST_TEST(contains(sweep().out, "2 runs done (1 of them before)"));
  BOOST_TEST(sql("SELECT size FROM results") == "512 KiB\n128 KiB\n");
  BOOST_TEST(sql("SELECT count(*) FROM run") == "3\n");  // the one that is not shown stays
}

BOOST_AUTO_TEST_CASE(a_new_metric_needs_no_new_run) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  write_sweep(kTwoSizes, "[real, user, stat.l2.misses]");
  const Result result = sweep();
  BOOST_TEST(contains(result.out, "2 runs done (2 of them before)"));
  BOOST_TEST(count(read("res/attempts.jsonl"), "\n") == 2u);
  BOOST_TEST(sql("SELECT count(*) FROM results WHERE user > 0") == "2\n");
}

BOOST_AUTO_TEST_CASE(another_sweep_in_the_folder_is_refused) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  std::string text = read("sweep.yaml");
  write("sweep.yaml", text.replace(text.find("sweep: tiny"), 11, "sweep: other"));
  const Result result = sweep();
  BOOST_TEST(result.code == 2);
  BOOST_TEST(result.err == "switchyard: res: holds the sweep tiny, not other; give another folder with --out\n");
}

BOOST_AUTO_TEST_CASE(points_with_the_same_configuration_are_run_once) {
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [128 KiB, 0.125 MiB]}}\n");
  BOOST_TEST(contains(sweep().out, "1 runs done"));
  BOOST_TEST(sql("SELECT count(*) FROM results WHERE status = 'done'") == "2\n");
}

BOOST_AUTO_TEST_CASE(faults_of_parameters_are_said_before_anything_runs) {
  write_sweep(
      "axes:\n  size: {parameter: modules.l2.params.sizee, values: [128 KiB, 256 KiB]}\n"
      "  ways: {parameter: modules.l2.params.ways, values: [8, lots]}\n");
  const Result result = sweep();
  BOOST_TEST(result.code == 2);
  BOOST_TEST(contains(result.err,
                      "sweep.yaml:6:21: axes.size.parameter: size=128 KiB, ways=8: --set modules.l2.params.sizee: "
                      "unknown key; did you mean size?"),
             result.err);
  BOOST_TEST(contains(result.err,
                      "sweep.yaml:7:57: axes.ways.values[1]: size=128 KiB, ways=lots: --set "
                      "modules.l2.params.ways: "),
             result.err);
  BOOST_TEST(count(result.err, "sizee: unknown key") == 1u);
  BOOST_TEST(!fs::exists("res"));
  BOOST_TEST(run({"check", "sweep.yaml"}).code == 2);
}

BOOST_AUTO_TEST_CASE(metrics_that_do_not_exist_are_refused) {
  write_sweep(kTwoSizes, "[reel]");
  BOOST_TEST(contains(sweep().err, "measure[0]: unknown metric reel; did you mean real?"));
  write_sweep(kTwoSizes, "[stat.l2.missez]");  // only a run knows
  const Result result = sweep();
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.err, "metric stat.l2.missez: this run has no such value; did you mean stat.l2.misses?"));
}

BOOST_AUTO_TEST_CASE(a_plan_is_printed_and_nothing_is_run) {
  const Result result = sweep({"--plan"});
  BOOST_TEST(result.code == 0);
  BOOST_TEST(result.out.starts_with("1: size=128 KiB\n2: size="));
  BOOST_TEST(contains(result.out, "10 points with 2 seeds; 20 runs to do; how long one takes is not known"));
  BOOST_TEST(!fs::exists("res"));
  BOOST_TEST(sweep().code == 0);
  BOOST_TEST(contains(sweep({"--plan"}).out, "10 points with 2 seeds; nothing is missing\n"));
}

BOOST_AUTO_TEST_CASE(seeds_are_added_until_the_interval_is_small) {
  const std::string until = "until: {ci: 0.02 %, metric: real, max_seeds: 40}\n";
  write_sweep(kTwoSizes + until, "[real]");
  BOOST_TEST(sweep({"-j", "1"}, "one").code == 0);
  BOOST_TEST(sweep({"-j", "3"}, "three").code == 0);
  BOOST_TEST(dump("one") == dump("three"));
  const Json json = Json::parse(run({"results", "one", "--json"}).out);
  for (const Json& point : json["points"]) {
    const Json& real = point["metrics"]["real"];
    const std::size_t seeds = real["samples"].size();
    BOOST_TEST(seeds >= 2u);
    const bool is_small = real["ci95"].is_null() || real["ci95"].get<double>() <= 0.0002 * real["mean"].get<double>();
    BOOST_TEST((is_small || seeds == 40));
  }
  write_sweep(kTwoSizes + "until: {ci: 100 %, max_seeds: 40}\n", "[real]");
  BOOST_TEST(sweep({}, "easy").code == 0);
  BOOST_TEST(sql("SELECT count(*) FROM results", "easy") == "4\n");
}

BOOST_AUTO_TEST_CASE(an_axis_that_changes_nothing_is_named) {
  write_sweep(
      "axes:\n  size: {parameter: modules.l2.params.size, values: [16 KiB, 256 KiB]}\n"
      "  label: {parameter: description, values: [a, b]}\n",
      "[real]");
  const Result result = sweep();
  BOOST_TEST(contains(result.out, "axis label changes nothing in real: all values are the same\n"));
  BOOST_TEST(!contains(result.out, "axis size changes nothing"));
}

BOOST_AUTO_TEST_CASE(results_are_csv_json_and_sql) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  BOOST_TEST(run({"results", "res", "--csv"})
                 .out.starts_with("point,name,size,seeds,failed,missing,real,real.ci95,per_loop.l2.misses,per_loop.l2."
                                  "misses.ci95\n1,size=128 KiB,128 KiB,1,0,0,"));
  BOOST_TEST(count(run({"results", "res", "--csv", "--runs"}).out, "\n") == 3u);
  const Json json = Json::parse(run({"results", "res", "--json"}).out);
  BOOST_TEST(json["points"].size() == 2u);
  BOOST_TEST(json["points"][1]["values"]["size"] == "256 KiB");
  BOOST_TEST(json["points"][1]["metrics"]["real"]["mean"].get<double>() > 0);
  BOOST_TEST(sql("SELECT size, real > 0 FROM results ORDER BY point DESC") == "256 KiB,1\n128 KiB,1\n");
  const Json rows = Json::parse(run({"results", "res", "--json", "--sql", "SELECT point, size FROM results"}).out);
  BOOST_TEST(rows[0]["size"] == "128 KiB");
}

BOOST_AUTO_TEST_CASE(sql_only_reads) {
  write_sweep(kTwoSizes);
  BOOST_TEST(sweep().code == 0);
  const std::string before = dump();
  for (const char* question : {"DELETE FROM run", "DROP TABLE run", "ATTACH 'other.db' AS o", "PRAGMA user_version=7",
                               "SELECT 1; DELETE FROM run", "UPDATE run SET status='x' RETURNING key", "", "SELEC 1"})
    BOOST_TEST(run({"results", "res", "--sql", question}).code == 2, question);
  BOOST_TEST(dump() == before);
  BOOST_TEST(!fs::exists("other.db"));
  BOOST_TEST(contains(run({"results", "nowhere"}).err, "nowhere: holds no sweep (no sweep.sqlite)"));
}

BOOST_AUTO_TEST_CASE(two_points_are_compared_by_paired_seeds) {
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [16 KiB, 256 KiB]}}\nseeds: 4\n", "[real]");
  BOOST_TEST(sweep().code == 0);
  const Json json = Json::parse(run({"diff", "res:1", "res:size=256 KiB", "--json"}).out);
  BOOST_TEST(json["metrics"][0]["metric"] == "real");
  BOOST_TEST(json["metrics"][0]["difference"]["paired"].get<bool>());
  BOOST_TEST(json["metrics"][0]["difference"]["significant"].get<bool>());
  BOOST_TEST(json["metrics"][0]["difference"]["share"].get<double>() < 0);
  BOOST_TEST(contains(run({"diff", "res:1", "res:1"}).out, "no difference found (p = 1.000, paired seeds)"));
  BOOST_TEST(contains(run({"diff", "res:1", "res:3"}).err, "no point is called 3"));
  BOOST_TEST(contains(run({"diff", "res", "res:1"}).err, "this is a sweep; name a point, such as res:1"));
}

BOOST_AUTO_TEST_CASE(two_run_folders_are_compared) {
  BOOST_TEST(run_tiny({"--out", "a"}).code == 0);
  BOOST_TEST(run_tiny({"--out", "b", "--set", "modules.l2.params.size=16 KiB"}).code == 0);
  const Result result = run({"diff", "a", "b"});
  BOOST_TEST(result.code == 0);
  BOOST_TEST(contains(result.out, "\nreal "));
  BOOST_TEST(contains(result.out, "statistics are the same\n"));
  BOOST_TEST(
      contains(run({"diff", "a", "nowhere"}).err, "nowhere: neither the folder of a run nor a point of a sweep"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

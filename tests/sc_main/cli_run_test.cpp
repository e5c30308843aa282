// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <utility>

#include "sc_main/cli_fixture.h"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFiles{"causes.txt",    "config.yaml", "folded.txt", "perf-report.txt", "perf-stat.json",
                                      "perf-stat.txt", "stats.json",  "stats.txt",  "time.txt"};

struct RunTest : CliTest {};

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_run)

BOOST_FIXTURE_TEST_CASE(a_run_fills_its_folder_and_prints_a_summary, RunTest) {
  const Result result = run_tiny();
  BOOST_TEST(result.code == 0);
  BOOST_TEST(result.err == "");
  BOOST_TEST(result.out.starts_with("tiny ("));
  BOOST_TEST(contains(result.out, "\nreal 0.0"));
  BOOST_TEST(contains(result.out, "1 assumed"));
  BOOST_REQUIRE(names("out").size() == 1u);
  const std::string folder = "out/" + names("out")[0];
  BOOST_TEST(folder.starts_with("out/tiny-"));
  BOOST_TEST(contains(result.out, "results in " + folder + "\n"));
  BOOST_TEST(names(folder) == kFiles, boost::test_tools::per_element());
  BOOST_TEST(read(folder + "/stats.txt").starts_with("\n---------- Begin Simulation Statistics ----------\n"));
  for (const std::string& name : kFiles) BOOST_TEST(!contains(read(folder + "/" + name), fs::current_path().string()));
}

BOOST_FIXTURE_TEST_CASE(json_is_one_document_and_nothing_else, RunTest) {
  const Result result = run_tiny({"--json", "--out", "res"});
  BOOST_TEST(result.code == 0);
  const auto json = nlohmann::json::parse(result.out);
  BOOST_TEST(json["end"].get<std::string>() == "complete");
  BOOST_TEST(json["out"].get<std::string>() == "res");
  BOOST_TEST(json["loop"]["count"].get<int>() == 1000);
  BOOST_TEST(json["sources"]["assumed"].get<int>() == 1);
  const double real = json["time"]["real"]["value"].get<double>();
  BOOST_TEST(real > 0);
  BOOST_TEST(real == 1000 * json["loop"]["iteration_s"].get<double>(), boost::test_tools::tolerance(1e-6));
}

BOOST_FIXTURE_TEST_CASE(the_resolved_configuration_gives_the_same_bytes_again, RunTest) {
  BOOST_TEST(run_tiny({"--out", "first"}).code == 0);
  BOOST_TEST(run({"run", "first/config.yaml", "--out", "second"}).code == 0);
  for (const std::string& name : kFiles) BOOST_TEST(read("first/" + name) == read("second/" + name), name);
}

BOOST_FIXTURE_TEST_CASE(other_files_of_an_output_folder_stay, RunTest) {
  fs::create_directory("res");
  write("res/notes.md", "mine");
  write("res/stats.txt", "old");
  BOOST_TEST(run_tiny({"--out", "res/"}).code == 0);
  BOOST_TEST(read("res/notes.md") == "mine");
  BOOST_TEST(read("res/stats.txt") != "old");
  BOOST_TEST(names("res").size() == kFiles.size() + 1);
}

BOOST_FIXTURE_TEST_CASE(set_and_seed_change_the_configuration, RunTest) {
  const Result result = run_tiny({"--set", "name=other", "--seed", "0x10", "--out", "res", "--set", "quantum=0 ns"});
  BOOST_TEST(result.code == 0);
  const std::string config = read("res/config.yaml");
  BOOST_TEST(contains(config, "\nname: other"));
  BOOST_TEST(contains(config, "\nseed: 16"));
  BOOST_TEST(run_tiny({"--set", "seed=2", "--seed", "1", "--out", "res"}).code == 0);
  BOOST_TEST(contains(read("res/config.yaml"), "\nseed: 2"));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_does_not_end_says_so_first, RunTest) {
  const Result result = run_tiny({"--set", "run.time_limit=1 us", "--out", "res"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(result.out.starts_with("# did not complete: time_limit: "), result.out);
  BOOST_TEST(contains(result.out, "\nthe run up to there\n"), result.out);
}

BOOST_FIXTURE_TEST_CASE(a_run_that_measured_nothing_prints_no_times, RunTest) {
  const Result result = run_tiny({"--set", "run.until.warm_up=900", "--set", "run.time_limit=2 ms", "--out", "res"});
  BOOST_TEST(result.code == 3);
  for (const std::string& text : {result.out, read("res/time.txt")}) {
    BOOST_TEST(text.starts_with("# did not complete: "), text);
    BOOST_TEST(contains(text, "\nnothing was measured\n"), text);
    BOOST_TEST(!contains(text, "real"), text);
  }
}

BOOST_FIXTURE_TEST_CASE(a_run_that_does_not_end_keeps_its_results_and_gives_3, RunTest) {
  const Result result = run_tiny({"--set", "run.time_limit=1 us", "--json", "--out", "res"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(result.err.starts_with("switchyard: "));
  BOOST_TEST(nlohmann::json::parse(result.out)["end"].get<std::string>() != "complete");
  BOOST_TEST(names("res") == kFiles, boost::test_tools::per_element());
  BOOST_TEST(!contains(read("res/stats.txt") + read("res/perf-stat.txt") + result.out, "nan"));
}

BOOST_FIXTURE_TEST_CASE(a_program_that_asks_for_the_impossible_gives_2_and_keeps_its_results, RunTest) {
  write("bad.yaml", R"(schema: 1
workload:
  programs: {main: {steps: [{compute: {instructions: 1000}}, {touch: {region: late}}, {mmap: {name: late, size: 4 KiB}}]}}
  processes: [{program: main}]
)");
  const Result result = run({"run", "machine.yaml", "bad.yaml", "--out", "res"});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(result.err == "switchyard: input-error: workload: region 'late' is used before it is mapped\n");
  BOOST_TEST(names("res") == kFiles, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(checks_run_where_they_are_asked_for, RunTest) {
  BOOST_TEST(run_tiny({"--set", "run.check=false", "--out", "off"}).code == 0);
  BOOST_TEST(contains(read("off/config.yaml"), "check: false"));
  write("plain.yaml",
        "schema: 1\nworkload: {programs: {main: {steps: [{compute: {instructions: 1000}}]}}, processes: "
        "[{program: main}]}\n");
  BOOST_TEST(run({"run", "machine.yaml", "plain.yaml", "--out", "plain"}).code == 0);
  BOOST_TEST(contains(read("plain/config.yaml"), "check: false"));
  BOOST_TEST(run({"run", "machine.yaml", "plain.yaml", "--check", "--out", "checked"}).code == 0);
  BOOST_TEST(contains(read("checked/config.yaml"), "check: true"));
  BOOST_TEST(read("plain/stats.txt") == read("checked/stats.txt"));
}

/// A run that would take minutes, and the child that makes it.
struct LongRunTest : RunTest {
  ~LongRunTest() {
    if (child > 0) kill(child, SIGKILL);  // a failed test leaves no process
  }
  void start_long_run() {
    child = start({SWITCHYARD_BINARY, "run", "machine.yaml", "workload.yaml", "--out", "res", "--set",
                   "run.until.relative_ci=0 %", "--set", "run.until.max_iterations=1000000000", "--set",
                   "workload.programs.main.steps[1].loop.count=1000000000"});
  }
  /// It catches SIGINT as long as it simulates; then a little for the first iterations.
  void wait_until_it_simulates() const {
    int tries = 0;
    while (!catches_sigint() && ++tries < 3000) usleep(10'000);
    BOOST_TEST_REQUIRE(tries < 3000);
    usleep(300'000);
  }
  bool catches_sigint() const {
    const std::string status = read("/proc/" + std::to_string(child) + "/status");
    const std::string key = "SigCgt:\t";
    const std::size_t at = status.find(key);
    return at != std::string::npos &&
           (std::stoull(status.substr(at + key.size(), 16), nullptr, 16) & 1 << (SIGINT - 1)) != 0;
  }
  Result end() { return finish(std::exchange(child, -1)); }

  pid_t child = -1;
};

BOOST_FIXTURE_TEST_CASE(an_interrupted_run_writes_its_results_and_gives_130, LongRunTest) {
  start_long_run();
  wait_until_it_simulates();
  kill(child, SIGINT);
  const Result result = end();
  BOOST_TEST(result.code == 130);
  BOOST_TEST(result.err.starts_with("switchyard: interrupted: stopped at "), result.err);
  BOOST_TEST(result.out.starts_with("# did not complete: "), result.out);
  BOOST_TEST(contains(result.out, "results in res\n"), result.out);
  BOOST_TEST(names("res") == kFiles, boost::test_tools::per_element());
  BOOST_TEST(nlohmann::json::parse(read("res/stats.json"))["end"].get<std::string>() == "interrupted");
}

BOOST_FIXTURE_TEST_CASE(symbols_are_listed_without_a_run, RunTest) {
  const Result text = run_tiny({"--symbols"});
  BOOST_TEST(text.code == 0);
  BOOST_TEST(text.out.starts_with("# coherence granule 64 B: the line of l1, the first cache of CPU 0\nvirtual"));
  BOOST_TEST(contains(text.out, "  runqueues/1"));
  const auto json = nlohmann::json::parse(run_tiny({"--symbols", "--json"}).out);
  BOOST_TEST(json["granule"]["size_bytes"] == 64);
  BOOST_TEST(json["symbols"][0]["size_bytes"].get<int>() > 0);
  BOOST_TEST(!fs::exists("out"));
}

BOOST_FIXTURE_TEST_CASE(an_output_folder_that_cannot_be_written_is_refused_before_the_run, RunTest) {
  write("file", "");
  for (const std::string out : {"file", "file/res", "/proc/res", ""}) {
    const Result result = run_tiny({"--out", out, "--set", "run.until.max_iterations=1000000000"});
    BOOST_TEST(result.code == 2, out);
    BOOST_TEST(result.out == "");
    BOOST_TEST(result.err.starts_with("switchyard: output folder"), result.err);
  }
  BOOST_TEST(names(".").size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(an_experiment_is_not_a_run, RunTest) {
  write("e.yaml", "schema: 1\nexperiment: {name: e}\n");
  const Result result = run({"run", "e.yaml"});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(contains(result.err, "e.yaml: this is an experiment; switchyard compare"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

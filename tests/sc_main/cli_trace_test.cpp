// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "sc_main/cli_fixture.h"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTraces{"perf-sched-latency.txt", "perf-script.txt", "trace.perfetto-trace",
                                       "trace.txt"};
const std::string kAll = "ftrace,perf-script,perfetto,sched-latency";

struct CliTraceTest : CliTest {
  /// Hidden or not.
  static std::vector<std::string> beside() { return names("."); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_trace, CliTraceTest)

BOOST_AUTO_TEST_CASE(the_folder_holds_the_forms_that_were_asked_for) {
  BOOST_TEST(run_tiny({"--trace", "ftrace", "--trace", "sched-latency", "--out", "res"}).code == 0);
  BOOST_TEST(read("res/trace.txt").starts_with("# tracer: nop\n#\n# entries-in-buffer/entries-written: "));
  BOOST_TEST(contains(read("res/perf-sched-latency.txt"), "\n  main:2 "));
  BOOST_TEST(!fs::exists("res/perf-script.txt"));
  BOOST_TEST(!fs::exists("res/trace.perfetto-trace"));
  BOOST_TEST(beside() == (std::vector<std::string>{"machine.yaml", "res", "workload.yaml"}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(without_the_flag_there_is_no_trace) {
  BOOST_TEST(run_tiny({"--out", "res"}).code == 0);
  for (const std::string& name : kTraces) BOOST_TEST(!fs::exists("res/" + name));
}
BOOST_AUTO_TEST_CASE(a_second_run_gives_the_same_bytes_and_a_trace_changes_none) {
  BOOST_TEST(run_tiny({"--trace", kAll, "--out", "first"}).code == 0);
  BOOST_TEST(run_tiny({"--trace", kAll, "--out", "second"}).code == 0);
  BOOST_TEST(run_tiny({"--out", "plain"}).code == 0);
  for (const std::string& name : kTraces) {
    BOOST_TEST(fs::file_size("first/" + name) > 0u);
    BOOST_TEST((read("first/" + name) == read("second/" + name)), name);
  }
  for (const std::string& name : names("plain")) BOOST_TEST(read("plain/" + name) == read("first/" + name), name);
}
BOOST_AUTO_TEST_CASE(an_unknown_form_is_refused_before_the_run) {
  const Result result = run_tiny({"--trace", "perfeto", "--out", "res"});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(
      result.err ==
      "switchyard: --trace: unknown form perfeto; did you mean perfetto? allowed: ftrace, perf-script, perfetto, "
      "sched-latency\n");
  BOOST_TEST(!fs::exists("res"));
}
BOOST_AUTO_TEST_CASE(a_run_that_fails_keeps_its_trace) {
  const Result result = run_tiny({"--trace", "ftrace", "--set", "run.time_limit=1 us", "--out", "res"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(read("res/trace.txt"), ": sched_switch: "));
}
// The shell's limit on the size of a file stands for a full disk.
BOOST_AUTO_TEST_CASE(a_disk_that_fills_up_ends_the_run_with_one_message_and_leaves_nothing) {
  write("naps.yaml", R"(schema: 1
workload:
  programs: {main: {steps: [{loop: {name: naps, count: 2000, body: [{nanosleep: {time: 1 us}}]}}]}}
  processes: [{program: main}]
)");
  const std::string command = "trap '' XFSZ; ulimit -f 64; exec " + std::string(SWITCHYARD_BINARY) +
                              " run machine.yaml naps.yaml --trace ftrace --out res";
  const Result result = execute({"bash", "-c", command});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(result.err == "switchyard: output folder res/trace.txt: cannot write: File too large\n");
  BOOST_TEST(beside() == (std::vector<std::string>{"machine.yaml", "naps.yaml", "workload.yaml"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

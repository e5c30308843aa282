// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "sc_main/sweep_fixture.h"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

void pause_ms(std::uint64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

bool is_running(pid_t pid) { return kill(pid, 0) == 0; }

/// Whether a child of the test is a zombie.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/// The first child of the driver, within a few seconds.
pid_t await_child(pid_t driver) {
  for (int i = 0; i < 2000 && !has_ended(driver); ++i, pause_ms(2))
    if (const auto found = SweepTest::children(driver); !found.empty()) return found.front();
  return -1;
}

struct FailureTest : SweepTest {
  /// Three points, of which the second goes on for days.
  static void write_endless() {
    write_sweep("axes: {iterations: {parameter: run.until.max_iterations, values: [10, 1000000000, 11]}}\n", "[real]");
    write("workload.yaml", std::string(kTinyWorkload).replace(kTinyWorkload.find("1000"), 4, "1000000000"));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sweep_failure, FailureTest)

BOOST_AUTO_TEST_CASE(a_run_over_its_time_is_ended_and_the_others_are_done) {
  write_endless();
  const Result result = sweep({"--time-limit", "2", "-j", "2"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.err,
                      "switchyard: point 2 (iterations=1000000000), seed 1 failed: the simulation took longer "
                      "than its limit of 2 s; log: res/runs/"),
             result.err);
  BOOST_TEST(contains(result.out, "2 runs done (0 of them before), 1 failed, 0 missing"), result.out);
  BOOST_TEST(sql("SELECT status FROM results") == "done\nfailed\ndone\n");
}

BOOST_AUTO_TEST_CASE(a_run_over_its_memory_is_ended_and_the_others_are_done) {
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [128 KiB, 2 GiB, 256 KiB]}}\n", "[real]");
  const Result result = sweep({"--memory-limit", "192 MiB"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.err,
                      "point 2 (size=2 GiB), seed 1 failed: the simulation needs more memory than its limit of "
                      "192 MiB"),
             result.err);
  BOOST_TEST(sql("SELECT status FROM results") == "done\nfailed\ndone\n");
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_by_itself_says_why_and_is_done_again_by_the_next_start) {
  write_sweep("axes: {limit: {parameter: run.time_limit, values: [10 s, 1 us]}}\n", "[real]");
  const Result result = sweep({"--retries", "3"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.err, "failed: time-limit: run.time_limit of 1e-06 s is over"), result.err);
  BOOST_TEST(contains(sweep().out, "1 runs done (1 of them before), 1 failed"));
  const std::string attempts = read("res/attempts.jsonl");
  BOOST_TEST(std::count(attempts.begin(), attempts.end(), '\n') == 3);  // no retry of what would fail again
}

BOOST_AUTO_TEST_CASE(the_first_failure_may_end_the_sweep) {
  write_sweep("axes: {limit: {parameter: run.time_limit, values: [1 us, 10 s, 11 s, 12 s, 13 s]}}\n", "[real]");
  const Result result = sweep({"--fail-fast", "-j", "1"});
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.out, "0 runs done (0 of them before), 1 failed, 4 missing"), result.out);
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_killed_is_one_failed_run) {
  write_endless();
  const pid_t driver = start({SWITCHYARD_BINARY, "sweep", "sweep.yaml", "--out", "res", "-j", "1"});
  while (sql("SELECT count(*) FROM run") != "1\n") pause_ms(20);  // the endless one is next
  pid_t worker = -1;
  for (int i = 0; i < 200 && worker < 0; ++i, pause_ms(10)) worker = await_child(driver);
  BOOST_REQUIRE(worker > 0);
  kill(worker, SIGKILL);
  const Result result = finish(driver);
  BOOST_TEST(result.code == 3);
  BOOST_TEST(contains(result.err, "failed: the simulation was ended by signal 9"), result.err);
  BOOST_TEST(sql("SELECT status FROM results") == "done\nfailed\ndone\n");
}

BOOST_AUTO_TEST_CASE(workers_die_with_their_driver_and_the_folder_is_free_again) {
  write_endless();
  const pid_t driver = start({SWITCHYARD_BINARY, "sweep", "sweep.yaml", "--out", "res", "-j", "3"});
  const pid_t worker = await_child(driver);
  BOOST_REQUIRE(worker > 0);
  kill(driver, SIGKILL);
  finish(driver);
  for (int i = 0; i < 200 && is_running(worker); ++i) pause_ms(10);
  BOOST_TEST(!is_running(worker));
  write_sweep("axes: {iterations: {parameter: run.until.max_iterations, values: [10, 11]}}\n", "[real]");
  BOOST_TEST(sweep().code == 0);
}

BOOST_AUTO_TEST_CASE(a_second_driver_is_refused) {
  write_endless();
  const pid_t driver = start({SWITCHYARD_BINARY, "sweep", "sweep.yaml", "--out", "res"});
  BOOST_REQUIRE(await_child(driver) > 0);
  const Result second =
      execute({"sh", "-c", std::string(SWITCHYARD_BINARY) + " sweep sweep.yaml --out res 2>second; echo $?"});
  kill(driver, SIGKILL);
  finish(driver);
  const std::string message = read("second");
  BOOST_TEST(message.starts_with("switchyard: res: another sweep is running here (process " + std::to_string(driver)),
             message);
}

BOOST_AUTO_TEST_CASE(an_interrupted_sweep_keeps_what_is_done) {
  write_endless();
  const pid_t driver = start({SWITCHYARD_BINARY, "sweep", "sweep.yaml", "--out", "res", "-j", "1"});
  while (sql("SELECT count(*) FROM run") != "1\n") pause_ms(20);
  kill(driver, SIGINT);
  const Result result = finish(driver);
  BOOST_TEST(result.code == 130);
  BOOST_TEST(result.err == "switchyard: interrupted; the same command does what is missing\n");
  BOOST_TEST(contains(result.out, "1 runs done (0 of them before), 0 failed, 2 missing"), result.out);
}

BOOST_AUTO_TEST_CASE(a_limit_of_file_sizes_stops_with_a_clear_error_and_loses_nothing) {
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [128 KiB, 256 KiB]}}\n", "[real]");
  BOOST_TEST(sweep().code == 0);
  const std::string before = sql("SELECT * FROM results");
  write_sweep(kAxes);
  // 4 blocks of 512 bytes: neither the log of the database nor the files of a run fit.
  const std::string limited = "ulimit -f 4; " + std::string(SWITCHYARD_BINARY) + " sweep sweep.yaml --out res";
  const Result result = execute({"sh", "-c", limited});
  BOOST_TEST(result.code == 2);
  BOOST_TEST(contains(result.err, "cannot write"), result.err);
  write_sweep("axes: {size: {parameter: modules.l2.params.size, values: [128 KiB, 256 KiB]}}\n", "[real]");
  BOOST_TEST(contains(sweep().out, "2 runs done (2 of them before)"));
  BOOST_TEST(sql("SELECT * FROM results") == before);
  BOOST_TEST(sql("PRAGMA integrity_check") == "ok\n");
}

BOOST_AUTO_TEST_CASE(a_full_disk_stops_with_a_clear_error_and_loses_nothing) {
  // A file system of its own, a megabyte large, in a name space of its own.
  const std::string program = SWITCHYARD_BINARY;
  const std::string script = "mkdir -p small && mount -t tmpfs -o size=1m none small || exit 77\n" + program +
                             " sweep sweep.yaml --out small/res -j 2 2>full.txt; echo $? >>full.txt\n" + program +
                             " results small/res --sql 'PRAGMA integrity_check' >check.txt 2>&1\n"
                             "mount -o remount,size=100m small && " +
                             program + " sweep sweep.yaml --out small/res >rest.txt 2>&1\n" + program +
                             " results small/res --csv --runs >small.csv\n";
  write("full.sh", script);
  const Result result = execute({"unshare", "--user", "--map-root-user", "--mount", "sh", "full.sh"});
  if (result.code != 0 && !fs::exists("full.txt")) {
    BOOST_TEST_MESSAGE("skipped: this machine lets nobody mount a file system in a name space: " << result.err);
    return;
  }
  BOOST_TEST(contains(read("full.txt"), "cannot write"), read("full.txt"));
  BOOST_TEST(read("full.txt").ends_with("\n2\n"), read("full.txt"));
  BOOST_TEST(contains(read("check.txt"), "ok"), read("check.txt"));
  BOOST_TEST(contains(read("rest.txt"), "20 runs done"), read("rest.txt"));
  BOOST_TEST(sweep().code == 0);
  BOOST_TEST(read("small.csv") == run({"results", "res", "--csv", "--runs"}).out);
}

// A sweep that is done before all kills have come gets more seeds, so that each kill meets one at work.
BOOST_AUTO_TEST_CASE(fifty_random_kills_end_with_the_table_of_an_undisturbed_sweep) {
  base::RandomStream random(1, "kills");
  int kills = 0, of_drivers = 0, seeds = 4;
  const auto write_seeds = [&] {
    write_sweep(
        "axes: {size: {parameter: modules.l2.params.size, from: 128 KiB, to: 64 MiB, count: 10, scale: log}}\n"
        "seeds: " +
        std::to_string(seeds) + "\n");
  };
  write_seeds();
  while (kills < 50) {
    const pid_t driver = start({SWITCHYARD_BINARY, "sweep", "sweep.yaml", "--out", "res", "-j", "2"});
    await_child(driver);
    for (std::uint64_t left = random.below(3); left > 0; --left) {
      pause_ms(random.below(40));
      const auto workers = children(driver);
      if (workers.empty()) continue;
      kill(workers[random.below(workers.size())], SIGKILL);
      ++kills;
    }
    pause_ms(random.below(80));
    kill(driver, SIGKILL);
    const bool was_killed = finish(driver).code == -1;
    kills += was_killed ? 1 : 0;
    of_drivers += was_killed ? 1 : 0;
    if (was_killed) continue;
    seeds += 4;
    write_seeds();
  }
  BOOST_TEST(of_drivers >= 10);
  BOOST_TEST(sweep({"-j", "2"}).code == 0);
  BOOST_TEST(sweep({"-j", "2"}, "quiet").code == 0);
  BOOST_TEST(dump("res") == dump("quiet"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "base/errors.h"
#include "sc_main/isolated_run.h"
#include "sc_main/isolated_run_document.h"

using namespace switchyard;
using cli::ChildResult;
using cli::run_isolated;

namespace {

ChildResult one(const cli::ChildWork& work, double time_limit_s = 0) {
  return run_isolated({work}, {1, time_limit_s, {}}).front();
}

void wait_ms(unsigned ms) { usleep(ms * 1000); }

cli::RunResult full_result() {
  cli::RunResult result;
  result.hash = "0123456789abcdef";
  result.resolved = "schema: 1\nname: \"\xc3\xa9\"\n";
  result.origins = {1, 2, 3, 4};
  platforms::RunOutcome& o = result.outcome;
  o.end = platforms::RunEnd::stuck;
  o.message = "deadlock";
  o.simulated_s = 0.1;
  o.measured_s = 1e-300;
  o.has_loop = true;
  o.loop = {"main", ~std::uint64_t{0}, 3, 20, true, {1.0 / 3, std::numeric_limits<double>::denorm_min()}};
  o.loop.unsettled = 5;
  o.tasks = {
      {"main", 7, false, {{"main", cpu::Domain::user, -1, 1, {1, 2, 3}}, {"madvise", cpu::Domain::kernel, 0, 2, {}}}},
      {"swapper/0", 0, true, {}}};
  o.tasks[0].calls[1].cycles.back() = ~std::uint64_t{0};
  o.stats = {{"l1[0]", "hits", "count", "Hits", 1ull << 60}};
  o.cpu_hz = 1'200'000'000;
  o.cpus = 4;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(isolated_run)

BOOST_AUTO_TEST_CASE(a_child_hands_back_its_bytes) {
  const ChildResult result = one([] { return std::string("a\0b", 3); });
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.document == std::string("a\0b", 3));
}

BOOST_AUTO_TEST_CASE(a_megabyte_is_no_problem) {
  const ChildResult result = one([] { return std::string(1 << 20, 'x'); });
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.document.size() == std::size_t{1} << 20);
}

BOOST_AUTO_TEST_CASE(what_a_child_changes_stays_its_own) {
  int value = 1;
  one([&] {
    value = 2;
    return std::string();
  });
  BOOST_TEST(value == 1);
}

BOOST_AUTO_TEST_CASE(a_crash_is_an_error_with_its_signal) {
  const ChildResult result = one([]() -> std::string {
    std::raise(SIGSEGV);
    return "";
  });
  BOOST_TEST(result.error.find("signal 11") != std::string::npos, result.error);
}

BOOST_AUTO_TEST_CASE(an_abort_does_not_run_the_tests_twice) {
  const ChildResult result = one([]() -> std::string { std::abort(); });
  BOOST_TEST(result.error.find("signal 6") != std::string::npos, result.error);
}

BOOST_AUTO_TEST_CASE(an_early_exit_is_an_error_with_its_code) {
  const ChildResult result = one([]() -> std::string { _exit(7); });
  BOOST_TEST(result.error == "the simulation ended with exit code 7 and without a result");
  BOOST_TEST(one([]() -> std::string { _exit(0); }).error ==
             "the simulation ended with exit code 0 and without a result");
}

BOOST_AUTO_TEST_CASE(a_kill_points_at_memory) {
  const ChildResult result = one([]() -> std::string {
    std::raise(SIGKILL);
    return "";
  });
  BOOST_TEST(result.error.find("out of memory") != std::string::npos, result.error);
}

BOOST_AUTO_TEST_CASE(exceptions_come_back_as_text) {
  BOOST_TEST(one([]() -> std::string { throw base::ConfigError("a.yaml:1", "wrong"); }).error == "a.yaml:1: wrong");
  BOOST_TEST(one([]() -> std::string { throw std::bad_alloc(); }).error == "the simulation ran out of memory");
  BOOST_TEST(one([]() -> std::string { throw 3; }).error == "the simulation ended with an unknown exception");
}

BOOST_AUTO_TEST_CASE(results_keep_the_order_of_the_work) {
  std::vector<cli::ChildWork> work;
  for (unsigned i = 0; i < 6; ++i)
    work.push_back([i] {
      wait_ms((6 - i) * 20);
      return std::to_string(i);
    });
  std::vector<std::size_t> ended;
  const auto results = run_isolated(work, {6, 0, [&](std::size_t index) { ended.push_back(index); }});
  for (unsigned i = 0; i < 6; ++i) BOOST_TEST(results[i].document == std::to_string(i));
  BOOST_TEST(ended.size() == 6u);
}

BOOST_AUTO_TEST_CASE(a_crash_does_not_stop_the_others) {
  const auto results = run_isolated(
      {[]() -> std::string { return "a"; }, []() -> std::string { std::abort(); }, []() -> std::string { return "c"; }},
      {2, 0, {}});
  BOOST_TEST(results[0].document == "a");
  BOOST_TEST(results[1].error != "");
  BOOST_TEST(results[2].document == "c");
}

BOOST_AUTO_TEST_CASE(a_child_that_hangs_is_ended) {
  const auto results = run_isolated({[]() -> std::string {
                                       while (true) wait_ms(1000);
                                     },
                                     []() -> std::string { return "b"; }},
                                    {2, 0.2, {}});
  BOOST_TEST(results[0].error == "the simulation took longer than its limit of 0.2 s");
  BOOST_TEST(results[1].document == "b");
}

BOOST_AUTO_TEST_CASE(what_a_child_prints_is_dropped) {
  // The output of this process is a pipe of its own for a moment.
  std::fflush(stdout);
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const int kept = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  one([] {
    std::puts("noise");
    std::fflush(stdout);
    return std::string();
  });
  dup2(kept, STDOUT_FILENO);
  close(kept);
  close(ends[1]);
  char byte = 0;
  BOOST_TEST(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

BOOST_AUTO_TEST_CASE(nothing_to_do_is_done) { BOOST_TEST(run_isolated({}, {}).empty()); }

BOOST_AUTO_TEST_CASE(the_document_of_a_run_is_exact) {
  const cli::RunResult in = full_result();
  const cli::RunResult out = cli::read_run_document(cli::write_run_document(in));
  BOOST_TEST(out.hash == in.hash);
  BOOST_TEST(out.resolved == in.resolved);
  BOOST_TEST(out.origins.assumed == 4u);
  BOOST_TEST(out.outcome.simulated_s == in.outcome.simulated_s);
  BOOST_TEST(out.outcome.measured_s == in.outcome.measured_s);
  BOOST_TEST(out.outcome.loop.count == in.outcome.loop.count);
  BOOST_TEST(out.outcome.loop.iteration_s.mean == in.outcome.loop.iteration_s.mean);
  BOOST_TEST(out.outcome.loop.iteration_s.ci95 == in.outcome.loop.iteration_s.ci95);
  BOOST_TEST(out.outcome.loop.unsettled == 5u);
  BOOST_TEST(out.outcome.tasks[0].calls[0].parent == -1);
  BOOST_TEST(out.outcome.tasks[0].calls[1].cycles.back() == ~std::uint64_t{0});
  BOOST_TEST(out.outcome.stats[0].value == std::uint64_t{1} << 60);
  BOOST_TEST(cli::write_run_document(out) == cli::write_run_document(in));
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_survive) {
  cli::RunResult in = full_result();
  in.outcome.loop.iteration_s = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  const cli::RunResult out = cli::read_run_document(cli::write_run_document(in));
  BOOST_TEST(out.outcome.loop.iteration_s.mean == in.outcome.loop.iteration_s.mean);
  BOOST_TEST(out.outcome.loop.iteration_s.ci95 != out.outcome.loop.iteration_s.ci95);
}

BOOST_AUTO_TEST_CASE(a_document_that_is_none_is_refused) {
  BOOST_CHECK_THROW(cli::read_run_document("nonsense"), base::InternalError);
  std::string cut = cli::write_run_document(full_result());
  cut.resize(cut.size() / 2);
  BOOST_CHECK_THROW(cli::read_run_document(cut), base::InternalError);
}

BOOST_AUTO_TEST_SUITE_END()

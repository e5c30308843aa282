// SPDX-License-Identifier: Apache-2.0
#include "sc_main/run_cache.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "sc_main/metrics.h"

using namespace switchyard;

namespace {

using Names = std::vector<std::string>;

/// Takes the seconds of an iteration from the seed: 1 s with that of the files, else a hundredth of it.
struct SeedMachine {
  Names labels;
  std::string failing;

  cli::RunResult run(const cli::RunRequest& request) {
    labels.push_back(request.label);
    cli::RunResult result;
    if (request.label == failing) result.error = "out of memory";
    double seconds = 1;
    for (const std::string& set : request.sets)
      if (set.starts_with("seed=")) seconds = std::stod(set.substr(5)) / 100;
    result.hash = request.label;
    result.outcome.has_loop = true;
    result.outcome.cpu_hz = 1000;
    result.outcome.loop.count = 10;
    result.outcome.loop.iterations = 5;
    result.outcome.loop.iteration_s = {seconds, 0};
    result.outcome.stats = {{"kernel", "ticks", "count", "", 3}};
    platforms::CallRecord user{"main", cpu::Domain::user, -1, 1, {}};
    user.cycles[0] = static_cast<std::uint64_t>(5000 * seconds);
    result.outcome.tasks = {{"main", 7, false, {user}}};
    return result;
  }
  cli::Simulator simulator() {
    cli::Simulator result;
    result.run = [this](const std::vector<cli::RunRequest>& requests) {
      std::vector<cli::RunResult> results;
      for (const cli::RunRequest& request : requests) results.push_back(run(request));
      return results;
    };
    return result;
  }
};

const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_SUITE(run_cache)

BOOST_AUTO_TEST_CASE(a_request_with_several_seeds_is_a_run_for_each_and_the_first_keeps_that_of_the_files) {
  SeedMachine machine;
  const cli::Simulator simulator = machine.simulator();
  cli::RunCache cache(simulator);
  const cli::RunRequest request{"a", {}, {"x=1"}, 3};
  cache.run({request});
  BOOST_TEST(machine.labels == (Names{"a", "a, seed 2 of 3", "a, seed 3 of 3"}), each);
  cache.run({request});
  BOOST_TEST(machine.labels.size() == 3u);
}

// 1, 1.01 and 1.02 s: mean 1.01, standard deviation 0.01, Student's t of two degrees of freedom 4.302653.
BOOST_AUTO_TEST_CASE(their_result_is_the_mean_with_the_interval_between_the_runs) {
  SeedMachine machine;
  const cli::Simulator simulator = machine.simulator();
  cli::RunCache cache(simulator);
  const platforms::RunOutcome& outcome = cache.run({{"a", {}, {}, 3}}).front()->outcome;
  const cli::RunTimes times = cli::run_times(outcome);
  const auto near = boost::test_tools::tolerance(1e-3);
  BOOST_TEST(times.real.mean == 10.1, near);
  BOOST_TEST(times.real.ci95 == 10 * 4.302653 * 0.01 / std::sqrt(3.0), near);
  BOOST_TEST(times.user.mean == 10.1, near);
  BOOST_TEST(times.user.ci95 == 10 * 4.302653 * 0.01 / std::sqrt(3.0), near);
  BOOST_TEST(cli::metric(outcome, "per_loop.kernel.ticks").mean == 9.0 / 15, near);
  BOOST_TEST(outcome.loop.seeds == 3u);
}

BOOST_AUTO_TEST_CASE(a_seed_that_fails_is_the_result) {
  SeedMachine machine;
  machine.failing = "a, seed 2 of 3";
  const cli::Simulator simulator = machine.simulator();
  cli::RunCache cache(simulator);
  BOOST_TEST(cache.run({{"a", {}, {}, 3}}).front()->error == "out of memory");
}

BOOST_AUTO_TEST_CASE(several_seeds_without_a_measured_loop_are_refused) {
  cli::RunResult whole;
  BOOST_TEST(cli::merged({whole, whole}).error.find("measured loop") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(configurations_that_do_the_same_are_run_once) {
  SeedMachine machine;
  cli::Simulator simulator = machine.simulator();
  simulator.fingerprint = [](const cli::RunRequest& request) {
    return request.sets.empty() || request.sets.front() == "x=default" ? "same" : "other";
  };
  cli::RunCache cache(simulator);
  const auto results = cache.run({{"a", {}, {}, 1}, {"b", {}, {"x=default"}, 1}, {"c", {}, {"x=2"}, 1}});
  BOOST_TEST(machine.labels == (Names{"a", "c"}), each);
  BOOST_TEST(results[0] == results[1]);
  BOOST_TEST(results[0] != results[2]);
}

BOOST_AUTO_TEST_CASE(the_same_configuration_with_another_number_of_seeds_is_another_run) {
  SeedMachine machine;
  cli::Simulator simulator = machine.simulator();
  simulator.fingerprint = [](const cli::RunRequest&) { return "same"; };
  cli::RunCache cache(simulator);
  const auto results = cache.run({{"a", {}, {}, 1}, {"b", {}, {}, 2}});
  BOOST_TEST(results[0] != results[1]);
  BOOST_TEST(machine.labels.size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

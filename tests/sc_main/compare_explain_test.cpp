// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_explain.h"

#include <sstream>

#include "sc_main/experiment_fixture.h"

using namespace switchyard;
using cpu::Cause;

namespace {

const char* const kExperiment =
    "schema: 1\n"
    "experiment: lock\n"
    "variants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}]\n"
    "cases: [{name: board, files: [p.yaml]}]\n"
    "explain:\n"
    "  - {metric: per_loop.kernel.attempts, text: attempts per operation}\n"
    "  - {metric: per_loop.fabric.transfers, text: line transfers per operation}\n";

struct Cycles {
  Cause cause;
  std::uint64_t cycles;
};

platforms::CallRecord call(const std::string& function, cpu::Domain domain, const std::vector<Cycles>& cycles) {
  platforms::CallRecord record{function, domain, -1, 1, {}};
  for (const Cycles& one : cycles) record.cycles[static_cast<std::size_t>(one.cause)] = one.cycles;
  return record;
}

/// At 1 GHz a cycle is a nanosecond. 10 us of user code either way; in the kernel 15 us for lines and 5 us at the lock
/// before, 8 us and 3.5 us after, which also walks tables for 0.1 us.
std::vector<platforms::TaskRecord> lock_tasks(const std::string& label, const test::FormulaMachine::Values&) {
  const auto user = call("loop", cpu::Domain::user, {{Cause::instructions, 10'000}});
  const auto kernel =
      label.ends_with("before")
          ? call("lws_cas", cpu::Domain::kernel, {{Cause::coherence, 15'000}, {Cause::lock_spin, 5'000}})
          : call("lws_cas", cpu::Domain::kernel,
                 {{Cause::coherence, 8'000}, {Cause::lock_spin, 3'500}, {Cause::tlb_walk, 100}});
  return {{"main", 1, false, {user, kernel}}};
}

struct ExplainTest : test::ExperimentTest {
  test::FormulaMachine machine{
      [](const std::string& label, const auto&) { return label.ends_with("before") ? 30e-6 : 21.6e-6; }};
  double ci95 = 0;
  std::string more;  // of the experiment file
  std::uint64_t iterations = 1;

  ExplainTest() { machine.tasks = lock_tasks; }

  std::vector<std::string> lines() {
    cli::Simulator simulator = machine.simulator();
    simulator.run = [this, run = simulator.run](const std::vector<cli::RunRequest>& requests) {
      auto results = run(requests);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const bool is_before = requests[i].label.ends_with("before");
        platforms::RunOutcome& outcome = results[i].outcome;
        outcome.loop.iterations = iterations;
        outcome.loop.iteration_s.ci95 = ci95 * outcome.loop.iteration_s.mean;
        outcome.stats = {{"kernel", "attempts", "count", "", (is_before ? 31 : 12) * iterations},
                         {"fabric", "transfers", "count", "", (is_before ? 4 : 1) * iterations}};
        for (platforms::TaskRecord& task : outcome.tasks)
          for (platforms::CallRecord& one : task.calls)
            for (std::uint64_t& cycles : one.cycles) cycles *= iterations;
      }
      return results;
    };
    const cli::Comparison comparison(load(kExperiment + more, machine), simulator);
    std::istringstream text(cli::explain_text(comparison));
    std::vector<std::string> result;
    for (std::string line; std::getline(text, line);) result.push_back(line);
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(explanation, ExplainTest)

// 8.4 us less: 7.0 are 83 %, 1.5 are 18 %, and 0.1 more are too little to name.
BOOST_AUTO_TEST_CASE(three_sentences_say_what_changed_why_and_where) {
  const auto text = lines();
  BOOST_REQUIRE(text.size() == 5u);
  BOOST_TEST(text[1] == "What differs from before, and where the CPU time of the measured processes went");
  BOOST_TEST(text[2] ==
             "  board, after: an iteration takes 21.6 us instead of 30.0 us (-28.0 %); user 10.0 us -> 10.0 us, sys "
             "20.0 us -> 11.6 us; attempts per operation 31.00 -> 12.00, line transfers per operation 4.000 -> 1.000.");
  BOOST_TEST(text[3] ==
             "    By cause: CPU time per iteration falls by 8.40 us: coherence -7.00 us (83 %), lock_spin -1.50 us (18 "
             "%).");
  BOOST_TEST(text[4] == "    By function: sys -8.40 us (100 %), user as before; lws_cas -8.40 us (100 %).");
}

// Of 30 us and 21.6 us 1 % each: 0.37 us in 8.4 us; of the change, 0.72 * sqrt(2) %.
BOOST_AUTO_TEST_CASE(times_come_with_their_interval) {
  ci95 = 0.01;
  iterations = 20;
  const auto text = lines();
  BOOST_TEST(text[2].find("21.6 us instead of 30.0 us (-28.0 ± 1.0 %); user") != std::string::npos, text[2]);
}

// 10 % of 30 us and of 21.6 us are 3.7 us together: more than the lock's 1.5 us.
BOOST_AUTO_TEST_CASE(a_cause_within_the_interval_is_not_named) {
  ci95 = 0.1;
  iterations = 20;
  const auto text = lines();
  BOOST_TEST(text[3] == "    By cause: CPU time per iteration falls by 8.40 us: coherence -7.00 us (83 %).");
}

BOOST_AUTO_TEST_CASE(without_a_difference_no_cause_is_named) {
  ci95 = 0.3;
  iterations = 20;
  const auto text = lines();
  BOOST_REQUIRE(text.size() == 4u);
  BOOST_TEST(
      text[2].find("the time of an iteration does not differ beyond the confidence interval: 30.0 us and 21.6 us "
                   "(-28.0 ± 30.5 %)") != std::string::npos,
      text[2]);
  BOOST_TEST(text[3] ==
             "    CPU time per iteration does not differ beyond the confidence interval, so no cause is named.");
}

BOOST_AUTO_TEST_CASE(time_outside_the_processes_is_said_to_be_that) {
  machine.tasks = [](const std::string&, const auto& values) { return lock_tasks("before", values); };
  const auto text = lines();
  BOOST_TEST(text[3] ==
             "    CPU time per iteration does not differ beyond the confidence interval, so no cause is named; the "
             "difference lies outside the CPU time of these processes.");
}

// 10 operations an iteration: a tenth of everything but of the shares.
BOOST_AUTO_TEST_CASE(times_may_be_those_of_an_operation) {
  more = "operation: {name: lock, per_iteration: 10}\n";
  const auto text = lines();
  BOOST_TEST(
      text[2] ==
      "  board, after: a lock takes 2.16 us instead of 3.00 us (-28.0 %); user 1.00 us -> 1.00 us, sys 2.00 us -> "
      "1.16 us; attempts per operation 3.100 -> 1.200, line transfers per operation 0.4000 -> 0.1000.");
  BOOST_TEST(text[3] ==
             "    By cause: CPU time per lock falls by 840 ns: coherence -700 ns (83 %), lock_spin -150 ns (18 %).");
}

BOOST_AUTO_TEST_CASE(too_few_iterations_are_said) {
  ci95 = 0.01;
  iterations = 9;
  const auto text = lines();
  BOOST_TEST(text[2].find("(-28.0 %, too few iterations for an interval)") != std::string::npos, text[2]);
}

BOOST_AUTO_TEST_SUITE_END()

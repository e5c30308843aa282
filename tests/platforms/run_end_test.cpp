// SPDX-License-Identifier: Apache-2.0
// How a run ends when it does not end well, and what it leaves.
#include <atomic>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

/// `main` measures a loop for ever (as good as), `bad` runs `step` after 5 ms.
std::string loop_with_a_bad_thread(const std::string& step) {
  return R"(schema: 1
workload:
  programs:
    bad: {steps: [{nanosleep: {time: 5 ms}}, )" +
         step + R"(]}
    main:
      steps:
        - mmap: {name: p, size: 64 KiB}
        - spawn: {program: bad}
        - loop:
            count: 1000000
            measure: true
            body:
              - touch: {region: p, access: read, stride: 4 KiB}
              - madvise: {region: p, advice: pageout}
  processes: [{program: main}]
run: {until: {relative_ci: 0 %}}
)";
}

/// A module that behaves for 2 ms and then triggers itself without end.
class Ringer : public Module {
 public:
  struct Params : base::ParamSet {
    void visit(base::ParamVisitor&) override {}
  };
  Ringer(const sc_core::sc_module_name& name, const Params&) : Module(name) {
    SC_HAS_PROCESS(Ringer);
    SC_METHOD(ring);
  }
  std::vector<PortInfo> ports() const override { return {}; }
  const base::StatGroup& stats() const override { return stats_; }

 private:
  void ring() {
    const bool late = sc_core::sc_time_stamp() >= sc_core::sc_time(2, sc_core::SC_MS);
    next_trigger(late ? sc_core::SC_ZERO_TIME : sc_core::sc_time(1, sc_core::SC_MS));
  }
  base::StatGroup stats_;
};

struct EndlessTest : PlatformTest {
  RunOutcome run_with_ringer(const std::vector<std::string>& sets) const {
    platforms::Registries with_ringer;
    with_ringer.models.add<Ringer>("ringer", "A module of somebody else");
    const auto loaded = load_run(
        with_ringer,
        {write("machine.yaml", kMachine), write("ringer.yaml", "schema: 1\nmodules: {ringer: {type: ringer}}\n"),
         write("w.yaml", program("        - compute: {instructions: 1000000000}\n"))},
        sets);
    const SimTest context;
    return simulate(*loaded, {});
  }
};

const std::string kUseBeforeMap =
    "        - touch: {region: q, access: read}\n        - mmap: {name: q, size: 4 KiB}\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_end, PlatformTest)

BOOST_AUTO_TEST_CASE(a_time_limit_is_reported) {
  const RunOutcome outcome = run_small(program("        - nanosleep: {time: 10 s}\n"), {"run.time_limit=1 ms"});
  BOOST_TEST((outcome.end == RunEnd::time_limit));
  BOOST_TEST(outcome.message == "run.time_limit of 0.001 s is over and tasks still run");
  BOOST_TEST(outcome.simulated_s == 1e-3);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_before_its_time_limit_is_complete) {
  const RunOutcome outcome = run_small(program("        - nanosleep: {time: 1 ms}\n"), {"run.time_limit=2 ms"});
  BOOST_TEST((outcome.end == RunEnd::complete));
  BOOST_TEST(outcome.simulated_s > 1e-3);
  BOOST_TEST(outcome.simulated_s < 2e-3);
}

BOOST_AUTO_TEST_CASE(a_sleeper_that_nobody_cancels_keeps_the_run_alive_until_the_time_limit) {
  const RunOutcome outcome = run_small(R"(schema: 1
workload:
  programs:
    sleeper: {steps: [{loop: {forever: true, body: [{nanosleep: {time: 1 ms}}]}}]}
    main: {steps: [{spawn: {program: sleeper}}, {join: {program: sleeper}}]}
  processes: [{program: main}]
)",
                                       {"run.time_limit=20 ms"});
  BOOST_TEST((outcome.end == RunEnd::time_limit));
}

BOOST_AUTO_TEST_CASE(threads_that_wait_for_each_other_are_reported_with_what_they_wait_for) {
  const RunOutcome outcome = run_small(R"(schema: 1
workload:
  programs:
    left: {steps: [{nanosleep: {time: 1 ms}}, {join: {program: right}}]}
    right: {steps: [{nanosleep: {time: 1 ms}}, {join: {program: left}}]}
    main: {steps: [{spawn: {program: left}}, {spawn: {program: right}}]}
  processes: [{program: main}]
)");
  BOOST_TEST((outcome.end == RunEnd::check_failed));
  BOOST_TEST(outcome.message ==
             "deadlock: no task can run and no timer is set: left waits for right to end, right waits for left to end");
}

BOOST_AUTO_TEST_CASE(a_thread_that_joins_itself_is_reported) {
  const RunOutcome outcome = run_small(R"(schema: 1
workload:
  programs:
    self: {steps: [{nanosleep: {time: 1 ms}}, {join: {program: self}}]}
    main: {steps: [{spawn: {program: self}}]}
  processes: [{program: main}]
)");
  BOOST_TEST((outcome.end == RunEnd::check_failed));
  BOOST_TEST(outcome.message == "deadlock: no task can run and no timer is set: self waits for self to end");
}

BOOST_AUTO_TEST_CASE(a_region_used_before_it_is_mapped_is_a_fault_of_the_input) {
  const RunOutcome outcome = run_small(program(kUseBeforeMap));
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(outcome.message == "workload: region 'q' is used before it is mapped");
}

BOOST_AUTO_TEST_CASE(a_failed_run_keeps_its_statistics) {
  const RunOutcome outcome = run_small(program("        - compute: {instructions: 1000000}\n" + kUseBeforeMap));
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(outcome.simulated_s >= 1e-3);
  BOOST_TEST(stat(outcome, "hart", "accesses") > 0u);
  BOOST_TEST_REQUIRE(outcome.tasks.size() == 3u);  // two idle ones
  BOOST_TEST(cycles_of(outcome.tasks[2]) >= 1'000'000u);
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_in_its_measured_loop_keeps_what_was_measured) {
  const RunOutcome outcome =
      run_small(loop_with_a_bad_thread("{touch: {region: q, access: read}}, {mmap: {name: q, size: 4 KiB}}"));
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(outcome.loop.iterations > 0u);
  BOOST_TEST(outcome.loop.iterations < 1'000'000u);
  BOOST_TEST(!outcome.loop.converged);
  BOOST_TEST(outcome.loop.iteration_s.mean > 0.0);
  const double whole = static_cast<double>(outcome.loop.iterations) * outcome.loop.iteration_s.mean;
  BOOST_TEST(outcome.measured_s >= whole);  // and the part of the iteration that was interrupted
  BOOST_TEST(outcome.measured_s <= whole + 2 * outcome.loop.iteration_s.mean);
}

BOOST_AUTO_TEST_CASE(a_time_limit_in_the_measured_loop_keeps_what_was_measured) {
  const RunOutcome outcome =
      run_small(loop_with_a_bad_thread("{compute: {instructions: 1}}"), {"run.time_limit=10 ms"});
  BOOST_TEST((outcome.end == RunEnd::time_limit));
  BOOST_TEST(outcome.loop.iterations > 0u);
  BOOST_TEST(outcome.loop.iteration_s.mean > 0.0);
  BOOST_TEST(outcome.measured_s < outcome.simulated_s);
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_up_is_a_fault_of_the_input) {
  const RunOutcome outcome = run_small(program(R"(        - mmap: {name: p, size: 1 GiB}
        - touch: {region: p, access: write, stride: 4 KiB}
)"),
                                       {"modules.ram.params.size=68 MiB"});
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(outcome.message.find("memory") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_swap_area_that_is_used_up_is_a_fault_of_the_input) {
  const RunOutcome outcome = run_small(program(R"(        - mmap: {name: p, size: 64 KiB}
        - touch: {region: p, access: write, stride: 4 KiB}
        - madvise: {region: p, advice: pageout}
)"),
                                       {"kernel.params.reclaim.swap=zram", "kernel.params.reclaim.swap_pages=4"});
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(outcome.message.find("all 4 swap pages are in use") != std::string::npos, outcome.message);
}

BOOST_AUTO_TEST_CASE(endless_delta_cycles_of_a_module_are_stopped_and_keep_the_results) {
  EndlessTest test;
  const RunOutcome outcome = test.run_with_ringer({});
  BOOST_TEST((outcome.end == RunEnd::stuck));
  BOOST_TEST(outcome.message ==
             "more than 1000000 delta cycles at 0.002 s (run.delta_limit); processes that keep "
             "running: ringer.ring");
  BOOST_TEST(outcome.simulated_s >= 2e-3);
  BOOST_TEST(outcome.simulated_s < 3e-3);
  BOOST_TEST(stat(outcome, "hart", "accesses") > 0u);
}

BOOST_AUTO_TEST_CASE(endless_delta_cycles_stop_at_the_limit_that_is_set) {
  EndlessTest test;
  const RunOutcome outcome = test.run_with_ringer({"run.delta_limit=2000"});
  BOOST_TEST(outcome.message.starts_with("more than 2000 delta cycles at 0.002 s"), outcome.message);
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_keeps_what_was_measured) {
  std::atomic<bool> interrupt{false};
  const auto loaded =
      load({write("machine.yaml", kMachine), write("w.yaml", loop_with_a_bad_thread("{nanosleep: {time: 1 ms}}"))},
           {"run.until.max_iterations=1000000"});
  const SimTest context;
  const RunOutcome outcome = simulate(
      *loaded, [&](const platforms::Progress& progress) { interrupt = progress.iterations > 0; }, &interrupt);
  BOOST_TEST((outcome.end == RunEnd::interrupted));
  BOOST_TEST(outcome.message.ends_with(" s of simulated time, while tasks still run"), outcome.message);
  BOOST_TEST(outcome.loop.iterations >= 13u);  // progress says 16, of which three are warm-up
  BOOST_TEST(outcome.loop.iterations < 1000u);
  BOOST_TEST(outcome.loop.iteration_s.mean > 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

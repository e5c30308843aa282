// SPDX-License-Identifier: Apache-2.0
// Two processes that talk through pipes, on the shipped desktop and under the checks.
#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

constexpr std::uint64_t kLoops = 20;

struct PipeRunTest : PlatformTest {
  RunOutcome pipe_test(const std::string& policy, std::vector<std::string> sets = {},
                       const std::string& workload = "pipe-test") const {
    sets.insert(sets.begin(), {"run.until.warm_up=3", fmt::format("run.until.max_iterations={}", kLoops)});
    const RunOutcome outcome = run({shipped("platforms/haswell-desktop.yaml"), shipped("policies/" + policy + ".yaml"),
                                    shipped("workloads/" + workload + ".yaml")},
                                   sets);
    BOOST_TEST_REQUIRE(outcome.message == "");
    BOOST_TEST_REQUIRE((outcome.end == RunEnd::complete));
    return outcome;
  }
};

const std::string kInverted = "kernel.params.switch_mm.defer_inverted=true";
const std::string kSkip = "kernel.params.switch_mm.skip_init_mm=true";
const std::string kPti = "kernel.params.switch_mm.pti=true";
const std::string kNoPcid = "kernel.params.switch_mm.pcid=false";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pipe_runs, PipeRunTest)

BOOST_AUTO_TEST_CASE(every_kernel_version_sends_words_without_a_stale_translation) {
  for (const char* policy : {"linux-4.13-x86", "linux-4.17-x86", "linux-4.20-x86"}) BOOST_TEST_CONTEXT(policy) {
      BOOST_TEST(pipe_test(policy).loop.iterations == kLoops);
    }
}
BOOST_AUTO_TEST_CASE(both_patches_of_4_17_send_words_without_a_stale_translation) {
  for (const std::string& patch : {kInverted, kSkip}) BOOST_TEST_CONTEXT(patch) {
      BOOST_TEST(pipe_test("linux-4.17-x86", {patch}).loop.iterations == kLoops);
    }
}
BOOST_AUTO_TEST_CASE(page_table_isolation_and_cpus_without_pcids_send_words_too) {
  for (const std::string& set : {kPti, kNoPcid}) BOOST_TEST_CONTEXT(set) {
      BOOST_TEST(pipe_test("linux-4.17-x86", {set}).loop.iterations == kLoops);
    }
}

// A loop has two reads that wait, each on a CPU of its own: there and back from the idle task.
BOOST_AUTO_TEST_CASE(a_loop_switches_four_times_and_nobody_is_interrupted) {
  const RunOutcome outcome = pipe_test("linux-4.17-x86");
  BOOST_TEST(stat(outcome, "kernel", "context_switches") == 4 * kLoops);
  BOOST_TEST(stat(outcome, "kernel", "migrations") == 0u);
  BOOST_TEST(stat(outcome, "apic", "ipis") == 0u);
  BOOST_TEST(stat(outcome, "kernel", "system_calls") == 4 * kLoops);
}
BOOST_AUTO_TEST_CASE(on_one_cpu_a_loop_switches_twice) {
  const RunOutcome outcome = pipe_test("linux-4.17-x86", {}, "pipe-test-one-cpu");
  BOOST_TEST(stat(outcome, "kernel", "context_switches") == 2 * kLoops);
}

BOOST_AUTO_TEST_CASE(processes_that_both_read_first_are_stuck_in_their_pipes) {
  const std::string both = write("both.yaml", R"(schema: 1
workload:
  channels: {there: {kind: pipe}, back: {kind: pipe}}
  programs:
    a: {steps: [{read: {channel: back}}, {write: {channel: there}}]}
    b: {steps: [{read: {channel: there}}, {write: {channel: back}}]}
  processes: [{program: a}, {program: b}]
)");
  const RunOutcome outcome = run({shipped("platforms/haswell-desktop.yaml"), both});
  BOOST_TEST(outcome.message.find("a waits for pipe back, b waits for pipe there") != std::string::npos,
             outcome.message);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_the_machine_does_not_have_is_refused) {
  const std::string workload = write("w.yaml", R"(schema: 1
workload:
  programs: {main: {steps: [{compute: {instructions: 1}}]}}
  processes: [{program: main, cpus: [0, 4]}]
)");
  BOOST_TEST(error_of([&] {
               run({shipped("platforms/haswell-desktop.yaml"), workload});
             }) == "main: cannot be pinned to CPU 4: the machine has 4");
}

BOOST_AUTO_TEST_CASE(linux_on_x86_is_refused_where_there_are_no_local_apics) {
  BOOST_TEST(refusal(kModules + kWires + "kernel: {type: linux-x86}\n") ==
             "kernel.type: linux-x86 needs interrupts between CPUs and timers, the machine has none; add a module of "
             "type x2apic");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Loops that threads run together, on the shipped parisc machine.
#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

/// Four threads read a file of their own; nobody else uses its count.
constexpr const char* kReaders = R"(schema: 1
workload:
  programs:
    t: {steps: [{loop: {name: reads, count: 100000, run: 500, measure: true, body: [{read: {files: nulls, each: true}}]}}]}
    main: {steps: [{spawn: {program: t, count: 4}}, {join: {program: t}}]}
  processes: [{program: main, files: {nulls: {count: 4}}}]
run: {until: {warm_up: 400}}
)";

/// Unlike threads: two have a counter for themselves, eight share one that ends as zero.
constexpr const char* kUnlike = R"(schema: 1
workload:
  programs:
    alone: {steps: [{loop: {count: 1000, run: 200, measure: true, body: [{atomic_add: {data: own, value: 1}}]}}]}
    crowd: {steps: [{loop: {count: 1000, run: 200, measure: true, body: [{atomic_add: {data: common, value: 1}}]}}]}
    down: {steps: [{loop: {count: 1000, run: 200, measure: true, body: [{atomic_add: {data: common, value: -1}}]}}]}
    main:
      steps:
        - loop: {count: 4, body: [{spawn: {program: crowd}}, {spawn: {program: down}}]}
        - spawn: {program: alone, count: 2}
        - join: {program: crowd}
        - join: {program: down}
        - join: {program: alone}
        - expect: {data: common, value: 0}
  processes: [{program: main, data: {common: {size: 4 B, alignment: 64 B}, own: {size: 4 B, alignment: 64 B}}}]
run: {until: {warm_up: 100}}
)";

struct SharedLoopTest : PlatformTest {
  RunOutcome complete(const char* workload, const std::vector<std::string>& sets = {}) const {
    const RunOutcome outcome = run({shipped("platforms/rp5470.yaml"), write("workload.yaml", workload)}, sets);
    BOOST_TEST(outcome.message == "");
    BOOST_TEST((outcome.end == RunEnd::complete));
    return outcome;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_loop_run, SharedLoopTest)

// A read takes and drops one reference. Three threads are in the middle of a read when the measurement begins, and no
// tick comes in between.
BOOST_AUTO_TEST_CASE(statistics_and_iterations_are_of_the_same_window) {
  const RunOutcome outcome = complete(kReaders, {"kernel.params.scheduler.hz=1"});
  BOOST_TEST(outcome.loop.iterations == 4 * 500u);
  const std::uint64_t ops = stat(outcome, "kernel", "atomic_hash_ops");
  BOOST_TEST(ops <= 2 * outcome.loop.iterations + 8);  // threads that wait are switched away from
  BOOST_TEST(ops >= 2 * outcome.loop.iterations - 2 * 3);
}

BOOST_AUTO_TEST_CASE(every_thread_makes_its_own_number_and_all_the_same_in_the_end) {
  const RunOutcome outcome = complete(kUnlike);
  BOOST_TEST(outcome.loop.iterations == 10 * 200u);
  BOOST_TEST(outcome.loop.count == 10 * 1000u);
  BOOST_TEST(outcome.measured_s == outcome.loop.iteration_s.mean * static_cast<double>(outcome.loop.iterations),
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

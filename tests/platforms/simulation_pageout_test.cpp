// SPDX-License-Identifier: Apache-2.0
// The published benchmark on the shipped configurations, a few loops each. Counts: one fence per page before, two
// after, and one more where accessed bits are cleared.
#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

constexpr std::uint64_t kPages = 256;
constexpr std::uint64_t kLoops = 4;

struct PageoutTest : PlatformTest {
  RunOutcome pageout(const std::string& platform, const std::string& workload, const std::string& policy,
                     std::vector<std::string> sets = {}) const {
    sets.insert(sets.begin(), fmt::format("run.until.max_iterations={}", kLoops));
    const RunOutcome outcome =
        run({shipped("platforms/" + platform + ".yaml"), shipped("workloads/" + workload + ".yaml"),
             shipped("policies/" + policy + ".yaml")},
            sets);
    BOOST_TEST_REQUIRE(outcome.message == "");
    BOOST_TEST_REQUIRE((outcome.end == RunEnd::complete));
    BOOST_TEST_REQUIRE(outcome.loop.iterations == kLoops);
    return outcome;
  }
  RunOutcome sleepers(const std::string& policy, const std::vector<std::string>& sets = {}) const {
    return pageout("visionfive2", "pageout-four-sleepers", policy, sets);
  }
  RunOutcome alone(const std::string& policy, const std::vector<std::string>& sets = {}) const {
    return pageout("visionfive2", "pageout-alone", policy, sets);
  }
};

const std::string kClear = "kernel.params.reclaim.clear_accessed=true";
const std::string kKeep = "kernel.params.reclaim.clear_accessed=false";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(simulation_pageout, PageoutTest)

BOOST_AUTO_TEST_CASE(a_loop_before_the_patch_sends_257_remote_fences) {
  BOOST_TEST(stat(sleepers("unmap-per-page", {kClear}), "firmware", "remote_fences") == 257 * kLoops);
}

BOOST_AUTO_TEST_CASE(a_loop_after_the_patch_sends_3_remote_fences) {
  BOOST_TEST(stat(sleepers("unmap-batched", {kClear}), "firmware", "remote_fences") == 3 * kLoops);
}

BOOST_AUTO_TEST_CASE(without_clearing_accessed_bits_a_loop_before_the_patch_sends_256_remote_fences) {
  BOOST_TEST(stat(sleepers("unmap-per-page", {kKeep}), "firmware", "remote_fences") == 256 * kLoops);
}

BOOST_AUTO_TEST_CASE(without_clearing_accessed_bits_a_loop_after_the_patch_sends_2_remote_fences) {
  BOOST_TEST(stat(sleepers("unmap-batched", {kKeep}), "firmware", "remote_fences") == 2 * kLoops);
}

BOOST_AUTO_TEST_CASE(every_shipped_board_sends_the_same_number_of_remote_fences) {
  for (const char* board : {"hifive-unmatched", "th1520", "qemu-virt"}) {
    BOOST_TEST_CONTEXT(board) {
      BOOST_TEST(stat(pageout(board, "pageout-four-sleepers", "unmap-per-page", {kClear}), "firmware",
                      "remote_fences") == 257 * kLoops);
      BOOST_TEST(stat(pageout(board, "pageout-four-sleepers", "unmap-batched", {kClear}), "firmware",
                      "remote_fences") == 3 * kLoops);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_process_alone_sends_no_remote_fence) {
  BOOST_TEST(stat(alone("unmap-per-page"), "firmware", "remote_fences") == 0u);
  BOOST_TEST(stat(alone("unmap-batched"), "firmware", "remote_fences") == 0u);
}

BOOST_AUTO_TEST_CASE(batching_makes_the_loop_with_sleepers_faster) {
  BOOST_TEST(sleepers("unmap-batched").loop.iteration_s.mean < 0.9 * sleepers("unmap-per-page").loop.iteration_s.mean);
}

BOOST_AUTO_TEST_CASE(without_swap_a_loop_has_one_fault_per_sixteen_pages) {
  BOOST_TEST(stat(alone("unmap-batched"), "kernel", "page_faults") == kPages / 16 * kLoops);
}

BOOST_AUTO_TEST_CASE(with_swap_a_loop_has_one_fault_per_page) {
  const RunOutcome outcome = alone("unmap-batched", {"kernel.params.reclaim.swap=zram"});
  BOOST_TEST(stat(outcome, "kernel", "page_faults") == kPages * kLoops);
  BOOST_TEST(stat(outcome, "kernel", "pages_reclaimed") == kPages * kLoops);
}

BOOST_AUTO_TEST_CASE(svvptc_removes_the_256_local_fences_of_new_entries) {
  const std::uint64_t with = stat(alone("unmap-batched", {"kernel.params.tlb.svvptc=true"}), "kernel", "local_fences");
  const std::uint64_t without = stat(alone("unmap-batched"), "kernel", "local_fences");
  BOOST_TEST(without - with == kPages * kLoops);
}

BOOST_AUTO_TEST_CASE(the_default_quantum_changes_the_time_of_a_loop_by_less_than_a_percent) {
  for (const char* policy : {"unmap-per-page", "unmap-batched"}) {
    const double exact = sleepers(policy, {"quantum=0 ns"}).loop.iteration_s.mean;
    BOOST_TEST(sleepers(policy).loop.iteration_s.mean == exact, boost::test_tools::tolerance(0.01));
  }
}

BOOST_AUTO_TEST_CASE(checks_do_not_change_the_time_of_a_loop) {
  const double checked = sleepers("unmap-per-page").loop.iteration_s.mean;
  BOOST_TEST(sleepers("unmap-per-page", {"run.check=false"}).loop.iteration_s.mean == checked);
}

BOOST_AUTO_TEST_CASE(the_same_run_twice_gives_the_same_outcome) {
  BOOST_TEST(text_of(sleepers("unmap-per-page")) == text_of(sleepers("unmap-per-page")));
}

BOOST_AUTO_TEST_CASE(the_resolved_configuration_gives_the_same_bytes_and_the_same_outcome) {
  const Files files{shipped("platforms/visionfive2.yaml"), shipped("workloads/pageout-four-sleepers.yaml"),
                    shipped("policies/unmap-per-page.yaml")};
  const std::vector<std::string> sets{"run.until.max_iterations=2"};
  const std::string resolved = load(files, sets)->resolved();
  const std::string file = write("config.yaml", resolved);
  BOOST_TEST(load({file})->resolved() == resolved);
  BOOST_TEST(load({file})->hash() == load(files, sets)->hash());
  BOOST_TEST(text_of(run({file})) == text_of(run(files, sets)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

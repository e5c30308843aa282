// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_profile.h"

#include <algorithm>

#include "sc_main/profile.h"
#include "sc_main/report_fixture.h"

namespace switchyard::test {
namespace {

using cli::FunctionCycles;
using cli::Profile;

const FunctionCycles& row(const Profile& profile, const std::string& group, const std::string& function,
                          Domain domain) {
  const auto at = std::find_if(profile.rows.begin(), profile.rows.end(), [&](const FunctionCycles& r) {
    return r.group == group && r.function == function && r.domain == domain;
  });
  BOOST_REQUIRE(at != profile.rows.end());
  return *at;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report_profile)

BOOST_AUTO_TEST_CASE(firmware_cycles_go_to_the_nearest_caller_outside_firmware_with_their_causes) {
  const auto tasks = cli::attribute_firmware(fencing_run().tasks);
  const auto& main = tasks.at(1);
  BOOST_REQUIRE(main.calls.size() == 4u);
  const CallRecord& fence = main.calls[3];
  BOOST_TEST(fence.function == "fence");
  BOOST_TEST(fence.cycles[static_cast<std::size_t>(Cause::instructions)] == 200u);
  BOOST_TEST(fence.cycles[static_cast<std::size_t>(Cause::firmware)] == 400u);
  BOOST_TEST(fence.cycles[static_cast<std::size_t>(Cause::device)] == 100u);
  BOOST_TEST(cli::busy_cycles(tasks.at(0).calls.at(0).cycles) == 300u);
}

BOOST_AUTO_TEST_CASE(callers_below_firmware_keep_their_place_in_the_tree) {
  // An interrupt taken by firmware, then a kernel function called next to it.
  std::vector<TaskRecord> tasks{{"t",
                                 1,
                                 false,
                                 {call("t", Domain::user, -1, 1), call("trap", Domain::firmware, 0, 2),
                                  call("sys_read", Domain::kernel, 0, 4), call("copy", Domain::kernel, 2, 8)}}};
  const auto seen = cli::attribute_firmware(tasks);
  BOOST_REQUIRE(seen[0].calls.size() == 3u);
  BOOST_TEST(cli::busy_cycles(seen[0].calls[0].cycles) == 3u);
  BOOST_TEST(seen[0].calls[2].function == "copy");
  BOOST_TEST(seen[0].calls[2].parent == 1);
}

BOOST_AUTO_TEST_CASE(children_contain_self_and_everything_called) {
  const Profile profile = cli::full_view(fencing_run());
  BOOST_TEST(profile.total == 1300u);
  BOOST_TEST(row(profile, "main", "main", Domain::user).children == 990u);
  BOOST_TEST(row(profile, "main", "main", Domain::user).self == 190u);
  BOOST_TEST(row(profile, "main", "sys_madvise", Domain::kernel).children == 800u);
  BOOST_TEST(row(profile, "main", "trap", Domain::firmware).children == 500u);
  BOOST_TEST(row(profile, "swapper", "trap", Domain::firmware).self == 300u);
}

BOOST_AUTO_TEST_CASE(the_kernel_part_of_a_thread_is_no_caller_of_its_user_code) {
  const Profile profile = cli::perf_view(fencing_run());
  BOOST_TEST(row(profile, "main", "main", Domain::kernel).children == 10u);
}

BOOST_AUTO_TEST_CASE(recursion_counts_once) {
  std::vector<TaskRecord> tasks{
      {"t",
       1,
       false,
       {call("f", Domain::kernel, -1, 10), call("f", Domain::kernel, 0, 20), call("g", Domain::kernel, 1, 40)}}};
  const Profile profile = cli::profile(tasks);
  BOOST_TEST(row(profile, "t", "f", Domain::kernel).self == 30u);
  BOOST_TEST(row(profile, "t", "f", Domain::kernel).children == 70u);
}

BOOST_AUTO_TEST_CASE(threads_of_one_name_add_up) {
  std::vector<TaskRecord> tasks{{"sleeper", 1, false, {call("nap", Domain::kernel, -1, 3)}},
                                {"sleeper", 2, false, {call("nap", Domain::kernel, -1, 4)}}};
  const Profile profile = cli::profile(tasks);
  BOOST_REQUIRE(profile.rows.size() == 1u);
  BOOST_TEST(profile.rows[0].self == 7u);
}

BOOST_AUTO_TEST_CASE(perf_report_has_the_columns_and_letters_of_perf_and_both_views) {
  const std::string text = cli::perf_report_text(fencing_run());
  const std::string heading = "# Children      Self  Command  Shared Object      Symbol\n";
  BOOST_TEST(text.find(heading) != text.rfind(heading));
  BOOST_TEST(text.find("    70.00%    70.00%  main     [kernel.kallsyms]  [k] fence\n") != std::string::npos);
  BOOST_TEST(text.find("    99.00%    19.00%  main     main               [.] main\n") != std::string::npos);
  // 400 of 1300 cycles, 500 with what it calls.
  BOOST_TEST(text.find("    38.46%    30.77%  main     [firmware]         [m] trap\n") != std::string::npos);
  BOOST_TEST(text.find("    23.08%    23.08%  swapper  [firmware]         [m] trap\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(folded_stacks_have_the_task_first_and_add_up_to_all_busy_cycles) {
  BOOST_TEST(cli::folded_text(fencing_run()) ==
             "main;main 200\n"
             "main;main;sys_madvise 100\n"
             "main;main;sys_madvise;fence 200\n"
             "main;main;sys_madvise;fence;trap 400\n"
             "main;main;sys_madvise;fence;trap;send 100\n"
             "swapper;swapper/0;trap 300\n");
}

BOOST_AUTO_TEST_CASE(causes_have_a_column_for_each_group_and_the_total) {
  BOOST_TEST(
      cli::causes_text(fencing_run()) ==
      "# Cycles by cause. Tasks of one name are added up; swapper is all idle tasks.\n"
      "# cause                               swapper                         main                        total\n"
      "instructions                        0   0.00%                  310  31.00%                  310   4.92%\n"
      "memory                              0   0.00%                  190  19.00%                  190   3.02%\n"
      "device                              0   0.00%                  100  10.00%                  100   1.59%\n"
      "firmware                          300   5.66%                  400  40.00%                  700  11.11%\n"
      "idle                            5,000  94.34%                    0   0.00%                5,000  79.37%\n"
      "total                           5,300 100.00%                1,000 100.00%                6,300 100.00%\n");
}

BOOST_AUTO_TEST_CASE(json_has_the_same_figures) {
  const auto causes = cli::causes_json(fencing_run());
  BOOST_TEST(causes["total"]["firmware"].get<int>() == 700);
  BOOST_TEST(!causes["main"].contains("idle"));
  const auto rows = cli::profile_json(cli::perf_view(fencing_run()));
  BOOST_TEST(rows[0]["symbol"].get<std::string>() == "main");
  BOOST_TEST(rows[0]["children"].get<double>() == 99.0);
}

BOOST_AUTO_TEST_CASE(an_empty_run_has_tables_without_rows) {
  const RunOutcome empty;
  BOOST_TEST(cli::folded_text(empty) == "");
  BOOST_TEST(cli::perf_report_text(empty).find('%') == std::string::npos);
  BOOST_TEST(cli::causes_text(empty).find("nan") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_fixture.h"

namespace switchyard::test {

namespace {

using Calls = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

struct WorkloadFilesTest : WorkloadTest {
  void read(Steps& steps, const std::string& files, bool each_its_own) const {
    add<workloads::ReadParams>(steps, "read", [&](auto& p) {
      p.files = files;
      p.each = each_its_own;
    });
  }
  void files(const std::string& name, std::uint64_t count) {
    params->processes.back().files.emplace_back(name, workloads::FilesParams{});
    params->processes.back().files.back().second.count = count;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(workload_files, WorkloadFilesTest)

BOOST_AUTO_TEST_CASE(files_are_open_before_a_process_runs) {
  program("main", {});
  process("main");
  files("a", 2);
  files("b", 1);
  start();
  BOOST_TEST(kernel.calls == (Calls{"open a 2", "open b 1"}), each);
}

BOOST_AUTO_TEST_CASE(every_thread_reads_the_first_file) {
  Steps thread, steps;
  read(thread, "nulls", false);
  program("t", std::move(thread));
  spawn(steps, "t", 2, workloads::PinKind::none);
  program("main", std::move(steps));
  process("main");
  files("nulls", 2);
  start();
  kernel.run(0);
  kernel.calls.clear();
  kernel.run(1);
  kernel.run(2);
  BOOST_TEST(kernel.calls == (Calls{"t reads 3 1", "t reads 3 1"}), each);
}

BOOST_AUTO_TEST_CASE(each_thread_reads_its_own_file_modulo_their_number) {
  Steps thread, steps;
  read(thread, "nulls", true);
  program("t", std::move(thread));
  spawn(steps, "t", 3, workloads::PinKind::none);
  program("main", std::move(steps));
  process("main");
  files("nulls", 2);
  start();
  kernel.run(0);
  kernel.calls.clear();
  for (const unsigned id : {1u, 2u, 3u}) kernel.run(id);
  BOOST_TEST(kernel.calls == (Calls{"t reads 3 1", "t reads 4 1", "t reads 3 1"}), each);
}

BOOST_AUTO_TEST_CASE(files_that_a_process_does_not_have_open_are_refused) {
  Steps steps;
  read(steps, "null", false);
  program("main", std::move(steps));
  process("main");
  files("nulls", 1);
  BOOST_TEST(params->check() ==
             "program 'main' reads files 'null', which process 'main' does not have open; files: nulls");
}

BOOST_AUTO_TEST_CASE(a_program_that_no_thread_runs_needs_no_files) {
  Steps steps;
  read(steps, "nulls", false);
  program("never", std::move(steps));
  program("main", {});
  process("main");
  BOOST_TEST(params->check() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_fixture.h"

/// fork, wait, exec and exit, and regions of one thread.
namespace switchyard::test {

using Calls = std::vector<std::string>;
using workloads::Advice;

namespace {

struct ProcessesTest : WorkloadTest {
  void fork(Steps& steps, const std::string& program, std::uint64_t count = 1) const {
    add<workloads::ForkParams>(steps, "fork", [&](auto& p) {
      p.program = program;
      p.count = count;
    });
  }
  void wait(Steps& steps, std::uint64_t count = 0) const {
    add<workloads::WaitParams>(steps, "wait", [&](auto& p) { p.count = count; });
  }
  void exec(Steps& steps, const std::string& program) const {
    add<workloads::ExecParams>(steps, "exec", [&](auto& p) { p.program = program; });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(workload_processes, ProcessesTest)

BOOST_AUTO_TEST_CASE(children_run_their_program_with_the_regions_of_their_parent) {
  Steps parent, child;
  mmap(parent, "p", 4096);
  fork(parent, "child", 2);
  touch(child, "p", cpu::Access::store, 4096);
  program("parent", std::move(parent));
  program("child", std::move(child));
  process("parent");
  start();
  kernel.run(0);
  kernel.run(2);
  BOOST_TEST(
      kernel.calls == (Calls{"mmap 4096", "parent forks child", "parent forks child", "write 1048576 4096 4096"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_child_maps_its_parent_does_not_have) {
  Steps parent, child;
  fork(parent, "child");
  mmap(child, "p", 4096);
  touch(parent, "p", cpu::Access::load, 4096);
  program("parent", std::move(parent));
  program("child", std::move(child));
  process("parent");
  start();
  BOOST_CHECK_THROW(kernel.run(0), base::ConfigError);
}

BOOST_AUTO_TEST_CASE(wait_takes_all_children_or_as_many_as_asked_for) {
  Steps steps, child;
  compute(child, 1);
  fork(steps, "child", 3);
  wait(steps, 1);
  wait(steps);
  program("child", std::move(child));
  program("main", std::move(steps));
  process("main");
  start();
  kernel.run(0);
  BOOST_TEST(kernel.children == 0u);
  BOOST_TEST(kernel.calls.size() == 3u + 1u + 3u);  // the last look finds none
}

BOOST_AUTO_TEST_CASE(exec_goes_on_with_the_other_program_and_never_returns) {
  Steps first, second;
  exec(first, "second");
  compute(first, 1);
  compute(second, 2);
  program("first", std::move(first));
  program("second", std::move(second));
  process("first");
  start();
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"first becomes second", "compute 2", "first exits"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(exit_ends_the_thread_in_the_middle) {
  Steps steps;
  add<workloads::ExitParams>(steps, "exit", [](auto&) {});
  compute(steps, 1);
  BOOST_TEST(run(std::move(steps)) == Calls{"main exits"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_program_that_does_not_exist_cannot_be_forked) {
  Steps steps;
  fork(steps, "nobody");
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "program 'main' names 'nobody', which is no program; programs: main");
}

BOOST_AUTO_TEST_CASE(data_of_children_are_those_of_their_process) {
  Steps parent, child;
  fork(parent, "child");
  add<workloads::TouchParams>(child, "touch", [](auto& p) { p.data = "d"; });
  program("parent", std::move(parent));
  program("child", std::move(child));
  process("parent");
  BOOST_TEST(params->check().find("names data 'd', which process 'parent' does not have") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_region_of_one_thread_is_not_that_of_another) {
  Steps main, worker;
  spawn(main, "worker", 2, workloads::PinKind::none);
  add<workloads::MmapParams>(worker, "mmap", [](auto& p) {
    p.name = "p";
    p.size = {4096};
    p.each = true;
  });
  add<workloads::MadviseParams>(worker, "madvise", [](auto& p) {
    p.region = "p";
    p.advice = Advice::dontneed;
  });
  add<workloads::MunmapParams>(worker, "munmap", [](auto& p) { p.region = "p"; });
  program("main", std::move(main));
  program("worker", std::move(worker));
  process("main");
  start();
  kernel.run(0);
  kernel.calls.clear();
  kernel.run(1);
  kernel.run(2);
  BOOST_TEST(kernel.calls == (Calls{"mmap 4096", "dontneed 1048576 4096", "munmap 1048576 4096", "mmap 4096",
                                    "dontneed 2097152 4096", "munmap 2097152 4096"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

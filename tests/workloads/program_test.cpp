// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "workloads/workload_fixture.h"

namespace switchyard::test {

using Calls = std::vector<std::string>;
using cpu::Access;
using workloads::PinKind;

namespace {

const auto each = boost::test_tools::per_element();

/// Says no before iteration `limit`.
struct StopAt : workloads::LoopObserver {
  std::uint64_t limit = 0;
  Calls seen;
  workloads::SharedTurn shared_iteration(kernel::Task&, const std::string& loop, std::uint64_t done, std::uint64_t run,
                                         std::uint64_t count) override {
    shared.push_back(loop + " " + std::to_string(done) + " of " + std::to_string(run) + " for " +
                     std::to_string(count));
    if (done < run) return workloads::SharedTurn::iterate;
    if (std::exchange(waits, false)) return workloads::SharedTurn::wait;
    return std::exchange(wakes, false) ? workloads::SharedTurn::wake : workloads::SharedTurn::end;
  }
  kernel::Completion& shared_end() override { return end; }
  kernel::Completion end{"the others", false, {}};
  bool waits = false, wakes = false;  ///< once, after the last iteration
  std::vector<std::string> shared;
  bool iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t count) override {
    seen.push_back(task.name + " " + loop + " " + std::to_string(done) + "/" + std::to_string(count));
    return done != limit;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(program, WorkloadTest)

BOOST_AUTO_TEST_CASE(steps_run_in_order) {
  Steps steps;
  compute(steps, 3);
  add<workloads::NanosleepParams>(steps, "nanosleep", [](auto& p) { p.time = {7}; });
  add<workloads::SchedYieldParams>(steps, "sched_yield", [](auto&) {});
  BOOST_TEST(run(std::move(steps)) == (Calls{"compute 3", "sleep 7", "yield"}), each);
}

BOOST_AUTO_TEST_CASE(a_program_without_steps_does_nothing) { BOOST_TEST(run({}).empty()); }

BOOST_AUTO_TEST_CASE(a_region_that_is_unmapped_can_be_mapped_again) {
  const auto map_private = [this](Steps& steps) {
    add<workloads::MmapParams>(steps, "mmap", [](auto& p) {
      p.name = "p";
      p.size = {8192};
      p.kind = kernel::MapKind::private_anonymous;
    });
  };
  Steps steps;
  map_private(steps);
  add<workloads::MunmapParams>(steps, "munmap", [](auto& p) { p.region = "p"; });
  map_private(steps);
  touch(steps, "p", Access::load, 4096);
  BOOST_TEST(run(std::move(steps)) ==
                 (Calls{"mmap private 8192", "munmap 1048576 8192", "mmap private 8192", "read 2097152 8192 4096"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_region_that_is_unmapped_is_gone) {
  Steps steps;
  mmap(steps, "p", 8192);
  add<workloads::MunmapParams>(steps, "munmap", [](auto& p) { p.region = "p"; });
  touch(steps, "p", Access::load, 4096);
  program("main", std::move(steps));
  process("main");
  start();
  BOOST_CHECK_EXCEPTION(kernel.run(0), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "workload: region 'p' is used before it is mapped";
  });
}

BOOST_AUTO_TEST_CASE(regions_are_found_by_name) {
  Steps steps;
  mmap(steps, "p", 8192);
  mmap(steps, "q", 4096);
  touch(steps, "q", Access::store, 64);
  touch(steps, "p", Access::load, 4096);
  add<workloads::MadviseParams>(steps, "madvise", [](auto& p) { p.region = "p"; });
  BOOST_TEST(run(std::move(steps)) == (Calls{"mmap 8192", "mmap 4096", "write 2097152 4096 64",
                                             "read 1048576 8192 4096", "pageout 1048576 8192"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_region_mapped_again_is_the_new_one) {
  Steps steps;
  mmap(steps, "p", 4096);
  mmap(steps, "p", 8192);
  touch(steps, "p", Access::load, 4096);
  BOOST_TEST(run(std::move(steps)).back() == "read 2097152 8192 4096");
}

BOOST_AUTO_TEST_CASE(a_region_used_before_it_is_mapped_is_a_failed_check) {
  Steps steps;
  touch(steps, "p", Access::load, 4096);
  mmap(steps, "p", 4096);
  BOOST_CHECK_EXCEPTION(run(std::move(steps)), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "workload: region 'p' is used before it is mapped";
  });
}

BOOST_AUTO_TEST_CASE(regions_belong_to_one_process) {
  Steps maps, uses;
  mmap(maps, "p", 4096);
  touch(uses, "p", Access::load, 4096);
  program("maps", std::move(maps));
  program("uses", std::move(uses));
  process("maps");
  process("uses");
  start();
  kernel.run(0);
  BOOST_CHECK_THROW(kernel.run(1), base::ConfigError);
}

BOOST_AUTO_TEST_CASE(a_loop_runs_its_body_count_times_with_a_checkpoint_each) {
  Steps body, steps;
  compute(body, 5);
  loop(steps, 3, std::move(body));
  BOOST_TEST(run(std::move(steps)) == (Calls{"compute 5", "compute 5", "compute 5"}), each);
  BOOST_TEST(kernel.checkpoints == 3u);
}

BOOST_AUTO_TEST_CASE(loops_nest) {
  Steps inner, outer, steps;
  compute(inner, 2);
  compute(outer, 1);
  loop(outer, 2, std::move(inner));
  loop(steps, 2, std::move(outer));
  BOOST_TEST(
      run(std::move(steps)) == (Calls{"compute 1", "compute 2", "compute 2", "compute 1", "compute 2", "compute 2"}),
      each);
}

BOOST_AUTO_TEST_CASE(a_loop_without_end_ends_when_its_thread_is_cancelled) {
  Steps body, steps;
  compute(body, 1);
  add<workloads::LoopParams>(steps, "loop", [&](auto& p) {
    p.forever = true;
    p.count = 2;  // ignored
    p.body = std::move(body);
  });
  kernel.cancel_at_checkpoint = 5;
  BOOST_TEST(run(std::move(steps)).size() == 6u);
  BOOST_TEST(kernel.calls.back() == "main exits");
}

BOOST_AUTO_TEST_CASE(a_measured_loop_asks_before_each_iteration_and_after_the_last) {
  Steps body, steps;
  compute(body, 1);
  loop(steps, 2, std::move(body), true);
  program("main", std::move(steps));
  process("main");
  StopAt observer;
  observer.limit = 1000;
  start(4, &observer);
  kernel.run(0);
  BOOST_TEST(observer.seen == (Calls{"main loop 0/2", "main loop 1/2", "main loop 2/2"}), each);
  BOOST_TEST(kernel.calls.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_measured_loop_ends_when_its_observer_says_so_and_the_program_goes_on) {
  Steps body, steps;
  compute(body, 1);
  loop(steps, 100, std::move(body), true);
  compute(steps, 9);
  program("main", std::move(steps));
  process("main");
  StopAt observer;
  observer.limit = 2;
  start(4, &observer);
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"compute 1", "compute 1", "compute 9"}), each);
}

BOOST_AUTO_TEST_CASE(only_loops_that_are_marked_are_observed) {
  Steps body, steps;
  compute(body, 1);
  loop(steps, 2, std::move(body));
  program("main", std::move(steps));
  process("main");
  StopAt observer;
  start(4, &observer);
  kernel.run(0);
  BOOST_TEST(observer.seen.empty());
  BOOST_TEST(kernel.calls.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_shared_loop_waits_and_wakes_when_it_is_told_to) {
  Steps body, steps;
  compute(body, 5);
  add<workloads::LoopParams>(steps, "loop", [&](auto& p) {
    p.count = 100;
    p.run = 2;
    p.measure = true;
    p.body = std::move(body);
  });
  StopAt observer;
  observer.waits = observer.wakes = true;
  program("main", std::move(steps));
  process("main");
  start(4, &observer);
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"compute 5", "compute 5", "main waits for the others", "main wakes all"}), each);
  BOOST_TEST(observer.shared == (Calls{"loop 0 of 2 for 100", "loop 1 of 2 for 100", "loop 2 of 2 for 100",
                                       "loop 2 of 2 for 100", "loop 2 of 2 for 100"}),
             each);
}

BOOST_AUTO_TEST_CASE(threads_are_pinned_to_cpus_in_turn) {
  Steps steps;
  program("t", {});
  spawn(steps, "t", 4, PinKind::each);
  BOOST_TEST(run(std::move(steps), 3) ==
                 (Calls{"main spawns t on 0", "main spawns t on 1", "main spawns t on 2", "main spawns t on 0"}),
             each);
}

BOOST_AUTO_TEST_CASE(threads_that_are_not_pinned_may_run_anywhere) {
  Steps steps;
  program("t", {});
  spawn(steps, "t", 2, PinKind::none);
  BOOST_TEST(run(std::move(steps)) == (Calls{"main spawns t on -1", "main spawns t on -1"}), each);
}

BOOST_AUTO_TEST_CASE(a_thread_runs_its_program_in_the_process_of_its_parent) {
  Steps thread, steps;
  touch(thread, "p", Access::load, 4096);
  program("t", std::move(thread));
  mmap(steps, "p", 4096);
  spawn(steps, "t", 1, PinKind::none);
  run(std::move(steps));
  kernel.run(1);
  BOOST_TEST(kernel.calls.back() == "read 1048576 4096 4096");
}

BOOST_AUTO_TEST_CASE(cancel_and_join_reach_all_threads_of_a_program_in_order_of_their_start) {
  Steps steps;
  program("a", {});
  program("b", {});
  spawn(steps, "a", 1, PinKind::none);
  spawn(steps, "b", 1, PinKind::none);
  spawn(steps, "a", 1, PinKind::none);
  on_threads(steps, "cancel", "a");
  on_threads(steps, "join", "a");
  const Calls calls = run(std::move(steps));
  BOOST_TEST((Calls{calls.begin() + 3, calls.end()}) ==
                 (Calls{"main cancels 1", "main cancels 3", "main joins 1", "main joins 3"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_join_of_threads_that_were_never_spawned_is_a_failed_check) {
  Steps steps;
  program("a", {});
  on_threads(steps, "join", "a");
  spawn(steps, "a", 1, workloads::PinKind::none);
  BOOST_CHECK_EXCEPTION(run(std::move(steps)), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "workload: no thread 'a' has been spawned";
  });
}

BOOST_AUTO_TEST_CASE(a_pin_beyond_the_machine_wraps_around) {
  Steps steps;
  for (const std::uint64_t cpu : {0, 3, 4, 9}) add<workloads::PinParams>(steps, "pin", [&](auto& p) { p.cpu = cpu; });
  BOOST_TEST(run(std::move(steps), 4) == (Calls{"pin 0", "pin 3", "pin 0", "pin 1"}), each);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

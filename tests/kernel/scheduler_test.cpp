// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernel/machine_fixture.h"

namespace switchyard::test {

using kernel::MapKind;
using kernel::Task;

namespace {
constexpr std::uint64_t kMs = 1'000'000'000;
}

BOOST_FIXTURE_TEST_SUITE(scheduler, MachineTest)

BOOST_AUTO_TEST_CASE(a_single_task_runs_to_its_end) {
  build(1);
  bool done = false;
  kernel->spawn_process("main", [&](Task& task) {
    kernel->compute(task, 1000);
    done = true;
  });
  run_ms(1);
  BOOST_TEST(done);
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_CASE(two_tasks_share_a_cpu_by_time_slices) {
  build(1);
  std::vector<int> order;
  std::uint64_t ends[2] = {};
  for (int i : {0, 1})
    kernel->spawn_process("p" + std::to_string(i), [&, i](Task& task) {
      for (int k = 0; k < 40; ++k) {
        kernel->compute(task, 1'000'000);
        if (order.empty() || order.back() != i) order.push_back(i);
      }
      ends[i] = task.cpu().now_ps();
    });
  run_ms(200);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(order.size() >= 10u);
  BOOST_TEST(ends[0] + 10 * kMs > ends[1]);
  BOOST_TEST(ends[1] + 10 * kMs > ends[0]);
}

BOOST_AUTO_TEST_CASE(a_busy_cpu_ticks_at_hz_and_an_idle_one_not_at_all) {
  build(2);
  kernel->spawn_process("main", [&](Task& task) { kernel->compute(task, 100'000'000); });
  run_ms(1000);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(count("ticks") >= 24u);
  BOOST_TEST(count("ticks") <= 26u);
}

BOOST_AUTO_TEST_CASE(a_sleeper_wakes_after_its_time_and_not_much_later) {
  build(1);
  std::uint64_t slept = 0;
  kernel->spawn_process("main", [&](Task& task) {
    const std::uint64_t before = task.cpu().now_ps();
    kernel->nanosleep(task, 5 * kMs);
    slept = task.cpu().now_ps() - before;
  });
  run_ms(20);
  BOOST_TEST(slept >= 5 * kMs);
  BOOST_TEST(slept < 5 * kMs + kMs / 10);
}

BOOST_AUTO_TEST_CASE(a_woken_sleeper_preempts_a_busy_task) {
  build(1);
  std::uint64_t latest = 0;
  kernel->spawn_process("busy", [&](Task& task) { kernel->compute(task, 100'000'000); });
  kernel->spawn_process("sleeper", [&](Task& task) {
    for (int k = 0; k < 5; ++k) {
      const std::uint64_t due = task.cpu().now_ps() + 10 * kMs;
      kernel->nanosleep(task, 10 * kMs);
      latest = std::max(latest, task.cpu().now_ps() - due);
    }
  });
  run_ms(300);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(latest < kMs / 5);
}

BOOST_AUTO_TEST_CASE(threads_spread_over_idle_cpus_and_are_joined) {
  build(4);
  std::vector<unsigned> where(3, 99);
  bool after_all = false;
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> threads;
    for (unsigned i = 0; i < 3; ++i)
      threads.push_back(&kernel->spawn_thread(task, "t" + std::to_string(i), -1, [&, i](Task& me) {
        kernel->compute(me, 1'000'000);
        where[i] = me.cpu().id();
      }));
    for (Task* thread : threads) kernel->join(task, *thread);
    after_all = std::count(where.begin(), where.end(), 99u) == 0;
  });
  run_ms(50);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(after_all);
  std::sort(where.begin(), where.end());
  BOOST_TEST(where == (std::vector<unsigned>{1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(new_threads_go_to_the_cpu_with_the_fewest_tasks) {
  build(4);
  std::vector<unsigned> threads(4, 0);
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> all;
    for (unsigned i = 0; i < 32; ++i)
      all.push_back(&kernel->spawn_thread(task, "t", -1, [&](Task& me) {
        ++threads[me.cpu().id()];
        kernel->compute(me, 10'000'000);
      }));
    for (Task* thread : all) kernel->join(task, *thread);
  });
  run_ms(200);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(threads == (std::vector<unsigned>(4, 8)), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(processes_that_start_with_the_machine_spread_evenly_too) {
  build(2);
  std::vector<unsigned> where;
  for (int i = 0; i < 4; ++i)
    kernel->spawn_process("p", [&](Task& task) {
      where.push_back(task.cpu().id());
      kernel->compute(task, 10'000'000);
    });
  run_ms(100);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(std::count(where.begin(), where.end(), 0u) == 2);
  BOOST_TEST(std::count(where.begin(), where.end(), 1u) == 2);
}

BOOST_AUTO_TEST_CASE(a_pinned_thread_runs_where_it_is_pinned_and_pin_moves_a_running_one) {
  build(3);
  unsigned started = 99, moved = 99, pinned = 99;
  kernel->spawn_process("main", [&](Task& task) {
    started = task.cpu().id();
    kernel->spawn_thread(task, "t", 2, [&](Task& me) { pinned = me.cpu().id(); });
    kernel->pin(task, 1);
    moved = task.cpu().id();
  });
  run_ms(50);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(started == 0u);
  BOOST_TEST(moved == 1u);
  BOOST_TEST(pinned == 2u);
  BOOST_TEST(count("migrations") == 1u);
}

BOOST_AUTO_TEST_CASE(a_cancelled_sleeper_ends) {
  build(2);
  kernel->spawn_process("main", [&](Task& task) {
    Task& sleeper = kernel->spawn_thread(task, "sleeper", 1, [&](Task& me) {
      for (;;) kernel->nanosleep(me, 1000 * kMs);
    });
    kernel->nanosleep(task, 2 * kMs);
    kernel->cancel(task, sleeper);
    kernel->join(task, sleeper);
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_CASE(exit_ends_a_task_at_once) {
  build(1);
  bool after = false;
  kernel->spawn_process("main", [&](Task& task) {
    if (task.id != 0) kernel->exit(task);
    after = true;
  });
  run_ms(5);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!after);
}

BOOST_AUTO_TEST_CASE(a_deadlock_names_who_waits_for_whom) {
  build(2);
  Task* a = nullptr;
  Task* b = nullptr;
  a = &kernel->spawn_process("a", [&](Task& task) { kernel->join(task, *b); });
  b = &kernel->spawn_process("b", [&](Task& task) { kernel->join(task, *a); });
  std::string text;
  try {
    run_ms(20);
  } catch (const std::exception& e) {
    text = e.what();
  }
  BOOST_TEST(text.find("deadlock") != std::string::npos, text);
  BOOST_TEST(text.find("a waits for b to end, b waits for a to end") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(going_idle_and_back_to_the_same_process_costs_no_fence) {
  build(1);
  std::uint64_t switches = 0;
  kernel->spawn_process("main", [&](Task& task) {
    const std::uint64_t fences = count("local_fences");
    for (int k = 0; k < 3; ++k) kernel->nanosleep(task, kMs);
    switches = count("local_fences") - fences;
  });
  run_ms(20);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(switches == 0u);
}

BOOST_AUTO_TEST_CASE(switches_between_threads_of_a_process_cost_no_fence) {
  build(1);
  std::uint64_t between_threads = 99;
  kernel->spawn_process("main", [&](Task& task) {
    Task& other = kernel->spawn_thread(task, "t", 0, [&](Task& me) {
      for (int k = 0; k < 5; ++k) kernel->sched_yield(me);
    });
    const std::uint64_t before = count("local_fences");
    for (int k = 0; k < 5; ++k) kernel->sched_yield(task);
    between_threads = count("local_fences") - before;
    kernel->join(task, other);
  });
  run_ms(20);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(between_threads == 0u);
  BOOST_TEST(count("local_fences") == 1u);  // the first switch away from init_mm
}

BOOST_AUTO_TEST_CASE(every_cycle_lies_in_the_call_tree_of_some_task) {
  build(2);
  kernel->spawn_process("main", [&](Task& task) {
    const base::Address p = kernel->mmap(task, 8 * 4096, MapKind::shared_anonymous);
    kernel->touch(task, p, 8 * 4096, 64, cpu::Access::store);
    kernel->nanosleep(task, kMs);
    kernel->madvise_pageout(task, p, 8 * 4096);
  });
  run_ms(20);
  const auto sum = [](const auto& self, const cpu::CallNode& node) -> std::uint64_t {
    std::uint64_t total = node.self_cycles();
    for (const auto& child : node.children) total += self(self, *child);
    return total;
  };
  std::uint64_t charged = 0;
  for (const auto& task : kernel->tasks()) charged += sum(sum, task->calls_root);
  BOOST_TEST(charged == cpus[0]->cycle() + cpus[1]->cycle());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

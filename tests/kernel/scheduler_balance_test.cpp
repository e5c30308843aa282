// SPDX-License-Identifier: Apache-2.0
// A CPU that runs out of tasks pulls one. The CPUs here run at 1 GHz, an instruction in a cycle.
#include <algorithm>

#include "kernel/machine_fixture.h"

namespace switchyard::test {

using kernel::Task;

namespace {

constexpr std::uint64_t kMs = 1'000'000'000;  // ps
constexpr std::uint64_t kInstructionsPerMs = 1'000'000;

struct BalanceMachine : MachineTest {
  std::uint64_t last_end_ps = 0;

  /// A body that computes for `ms` and notes when it ended.
  Task::Body busy(std::uint64_t ms) {
    return [this, ms](Task& task) {
      kernel->compute(task, ms * kInstructionsPerMs);
      last_end_ps = std::max(last_end_ps, task.cpu().now_ps());
    };
  }
  bool is_overloaded() const {
    for (const kernel::Symbol& symbol : kernel->symbols())
      if (symbol.name == "def_root_domain") return cpus[0]->debug_memory().peek(symbol.pa, 4) != 0;
    throw std::runtime_error("no symbol def_root_domain");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduler_balance, BalanceMachine)

// Processes are placed in turn: 20 and 20 ms on CPU 0, 1 and 1 ms on CPU 1.
BOOST_AUTO_TEST_CASE(a_cpu_that_runs_out_pulls_a_waiting_task) {
  build(2);
  for (const unsigned ms : {20u, 1u, 20u, 1u}) kernel->spawn_process("p", busy(ms));
  run_ms(100);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(count("migrations") == 1u);
  BOOST_TEST(last_end_ps < 23 * kMs);  // 42 ms of work on two CPUs; 40 ms were it to stay
}

BOOST_AUTO_TEST_CASE(pinned_tasks_are_not_pulled) {
  build(2);
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> threads;
    for (int i = 0; i < 2; ++i) threads.push_back(&kernel->spawn_thread(task, "t", 0, busy(10)));
    kernel->pin(task, 1);
    for (Task* thread : threads) kernel->join(task, *thread);
  });
  run_ms(100);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(last_end_ps >= 20 * kMs);
  BOOST_TEST(count("migrations") == 1u);  // of main, to where it is pinned
}

// CPU 0 has the most tasks, but they may not leave.
BOOST_AUTO_TEST_CASE(a_queue_of_pinned_tasks_is_passed_over) {
  build(3);
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> threads;
    for (int i = 0; i < 3; ++i) threads.push_back(&kernel->spawn_thread(task, "pinned", 0, busy(2)));
    for (int i = 0; i < 2; ++i) threads.push_back(&kernel->spawn_thread(task, "a", 1, busy(1)));
    kernel->pin(task, 2);
    for (Task* thread : threads) kernel->join(task, *thread);
  });
  for (int i = 0; i < 2; ++i) kernel->spawn_process("free", busy(20));  // with main: one on each CPU
  run_ms(200);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(last_end_ps < 30 * kMs);
}

BOOST_AUTO_TEST_CASE(threads_of_different_lengths_keep_all_cpus_busy_to_the_end) {
  build(4);
  std::uint64_t work_ms = 0;
  for (unsigned i = 0; i < 16; ++i) {
    work_ms += 2 + i;
    kernel->spawn_process("p", busy(2 + i));
  }
  run_ms(200);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  // 152 ms on four CPUs. At the end a CPU runs dry when fewer than four are left: the others finish theirs.
  BOOST_TEST(last_end_ps > work_ms * kMs / 4);
  BOOST_TEST(last_end_ps < (work_ms / 4 + 5) * kMs);
}

BOOST_AUTO_TEST_CASE(the_root_domain_says_whether_there_is_something_to_pull) {
  build(2);
  bool while_three = false, while_one = true;
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> threads;
    for (int i = 0; i < 2; ++i) threads.push_back(&kernel->spawn_thread(task, "t", 1, busy(10)));
    kernel->nanosleep(task, 2 * kMs);
    while_three = is_overloaded();
    for (Task* thread : threads) kernel->join(task, *thread);
    kernel->nanosleep(task, 2 * kMs);
    while_one = is_overloaded();
  });
  run_ms(100);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(while_three);
  BOOST_TEST(!while_one);
}

// Three long tasks on CPU 0 and one on CPU 1, which never runs out of tasks. A domain of two CPUs is looked at after 64
// ms; then each has two, so that the one has half a CPU for the last 36 of its 100 ms.
BOOST_AUTO_TEST_CASE(busy_cpus_share_their_tasks) {
  build(2);
  std::uint64_t alone_end_ps = 0;
  for (int i = 0; i < 3; ++i) {
    kernel->spawn_process("p", busy(100));
    kernel->spawn_process("q", [&, i](Task& task) {
      kernel->compute(task, (i == 0 ? 100 : 1) * kInstructionsPerMs);
      if (i == 0) alone_end_ps = task.cpu().now_ps();
    });
  }
  run_ms(400);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(count("load_balance_pulled") >= 1u);
  BOOST_TEST(alone_end_ps > 120 * kMs);
}
struct NoBalanceMachine : BalanceMachine {
  kernel::riscv::LinuxRiscvParams params;
  NoBalanceMachine() { params.scheduler.balance.periodic = false; }
};
BOOST_FIXTURE_TEST_CASE(without_periodic_balancing_they_do_not, NoBalanceMachine) {
  build(2, params);
  std::uint64_t alone_end_ps = 0;
  for (int i = 0; i < 3; ++i) {
    kernel->spawn_process("p", busy(100));
    kernel->spawn_process("q", [&, i](Task& task) {
      kernel->compute(task, (i == 0 ? 100 : 1) * kInstructionsPerMs);
      if (i == 0) alone_end_ps = task.cpu().now_ps();
    });
  }
  run_ms(400);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(count("load_balance_pulled") == 0u);
  BOOST_TEST(alone_end_ps < 110 * kMs);
}

// An idle CPU without tick, which ran out of tasks too shortly ago to look for one: a tick elsewhere wakes it.
BOOST_AUTO_TEST_CASE(a_tick_wakes_an_idle_cpu_to_balance) {
  build(4);
  kernel->spawn_process("main", [&](Task& task) {
    std::vector<Task*> threads;
    for (int i = 0; i < 3; ++i) threads.push_back(&kernel->spawn_thread(task, "t", 0, busy(60)));
    kernel->pin(task, 1);
    for (Task* thread : threads)
      for (unsigned c = 0; c < 4; ++c) thread->allowed.set(c);  // sched_setaffinity of a task that waits moves it not
    for (Task* thread : threads) kernel->join(task, *thread);
  });
  run_ms(300);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(count("nohz_balancer_kicks") >= 1u);
  BOOST_TEST(last_end_ps < 100 * kMs);  // 180 were they to share a CPU
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

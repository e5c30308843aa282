// SPDX-License-Identifier: Apache-2.0
// Slices, wake-up preemption and credit for sleep of kernels with a scheduling latency. Figures: Linux v5.8
// kernel/sched/fair.c (sched_slice, check_preempt_tick, place_entity, wakeup_preempt_entity).
#include <cstdint>
#include <functional>

#include "kernel/x86_machine.h"

namespace switchyard::test {

using kernel::Task;

namespace {

constexpr std::uint64_t kMs = 1'000'000'000;

/// One CPU that ticks every ms; 24 ms are shared, 3 ms are the least, a lead of 4 ms preempts.
struct SliceMachine : X86MachineTest {
  SliceMachine() {
    params.scheduler.hz = 1000;
    params.scheduler.base_slice = {3 * kMs};
    params.scheduler.latency = {24 * kMs};
    params.scheduler.wakeup_granularity = {4 * kMs};
  }
  struct Stay {
    const Task* task = nullptr;
    std::uint64_t from_ps = 0, to_ps = 0;
  };
  std::vector<Stay> stays;  ///< which task ran from when to when

  void note(const Task& task) {
    const std::uint64_t now = task.cpu().now_ps();
    if (stays.empty() || stays.back().task != &task) stays.push_back({&task, now, now});
    stays.back().to_ps = now;
  }
  void compute_ms(Task& task, double ms) {
    const std::uint64_t end = task.cpu().now_ps() + static_cast<std::uint64_t>(ms * 1e9);
    while (task.cpu().now_ps() < end) {
      kernel->compute(task, 20'000);
      note(task);
    }
  }
  /// The shortest stay but for the first and the last.
  std::uint64_t shortest_ms() const {
    std::uint64_t shortest = UINT64_MAX;
    for (std::size_t i = 1; i + 1 < stays.size(); ++i) shortest = std::min(shortest, stays[i].to_ps - stays[i].from_ps);
    return shortest / kMs;
  }
  /// The longest stay but for the first and the last.
  std::uint64_t longest_ms() const {
    std::uint64_t longest = 0;
    for (std::size_t i = 1; i + 1 < stays.size(); ++i) longest = std::max(longest, stays[i].to_ps - stays[i].from_ps);
    return longest / kMs;
  }
  void compete(unsigned tasks) {
    build(1);
    for (unsigned i = 0; i < tasks; ++i)
      kernel->spawn_process("p" + std::to_string(i), [this](Task& task) { compute_ms(task, 400); });
    run_ms(300);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduler_slice, SliceMachine)

// A tick may come a period late, and the other one's stay is counted by its own accesses. Who is still behind after a
// slice has another one.
BOOST_AUTO_TEST_CASE(two_tasks_have_twelve_ms_each) {
  compete(2);
  BOOST_TEST(shortest_ms() >= 11u);
  BOOST_TEST(shortest_ms() <= 13u);
  BOOST_TEST(longest_ms() <= 26u);
}

BOOST_AUTO_TEST_CASE(sixteen_tasks_have_the_least_slice) {
  compete(16);
  BOOST_TEST(longest_ms() >= 2u);
  BOOST_TEST(longest_ms() <= 4u);
}

BOOST_AUTO_TEST_CASE(without_a_latency_two_tasks_have_the_base_slice) {
  params.scheduler.latency = {0};
  compete(2);
  BOOST_TEST(shortest_ms() >= 2u);
  BOOST_TEST(shortest_ms() <= 4u);
  BOOST_TEST(longest_ms() <= 8u);
}

// A sleeper is placed 12 ms before the others: it preempts at once.
BOOST_AUTO_TEST_CASE(who_has_slept_long_preempts_when_it_wakes) {
  build(1);
  std::uint64_t woke = 0;
  kernel->spawn_process("sleeper", [&](Task& task) {
    kernel->nanosleep(task, 40 * kMs + kMs / 2);
    woke = task.cpu().now_ps();
  });
  kernel->spawn_process("busy", [&](Task& task) { compute_ms(task, 80); });
  run_ms(100);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(woke > 40 * kMs);
  BOOST_TEST(woke < 41 * kMs);
}

// With a credit below the lead that preempts it waits for the tick that ends the slice.
BOOST_AUTO_TEST_CASE(with_a_small_credit_a_sleeper_waits_for_its_turn) {
  params.scheduler.latency = {6 * kMs};
  build(1);
  std::uint64_t woke = 0;
  kernel->spawn_process("sleeper", [&](Task& task) {
    kernel->nanosleep(task, 40 * kMs + kMs / 2);
    woke = task.cpu().now_ps();
  });
  kernel->spawn_process("busy", [&](Task& task) { compute_ms(task, 80); });
  run_ms(100);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(woke >= 41 * kMs);
}

// The lead of the running task over the woken one counts up to the wake-up, not only to the last tick or switch.
BOOST_AUTO_TEST_CASE(the_time_since_the_last_tick_counts_for_preemption) {
  params.scheduler.hz = 10;
  build(1);
  std::uint64_t woke = 0;
  kernel->spawn_process("sleeper", [&](Task& task) {
    kernel->nanosleep(task, 6 * kMs);
    woke = task.cpu().now_ps();
  });
  kernel->spawn_process("busy", [&](Task& task) { compute_ms(task, 60); });
  run_ms(150);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(woke > 6 * kMs);
  BOOST_TEST(woke < 7 * kMs);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Which of several runnable tasks comes next.
#include <algorithm>
#include <set>

#include "kernel/machine_fixture.h"

namespace switchyard::test {

using kernel::Task;

namespace {

constexpr unsigned kTasks = 4;

/// Tasks on one CPU that switch at every tick of 1 ms, and in which order they ran.
struct PickMachine : MachineTest {
  std::vector<unsigned> order;
  std::array<std::uint64_t, kTasks> ended_ps{};

  void run(std::uint64_t slack_ps, std::uint64_t seed) {
    build_machine(1);
    context.seed = seed;
    kernel::riscv::LinuxRiscvParams params;
    params.scheduler.hz = 1000;
    params.scheduler.base_slice = {500'000'000};
    params.scheduler.pick_slack = {slack_ps};
    kernel = std::make_unique<kernel::riscv::LinuxRiscv>(context, params);
    for (unsigned i = 0; i < kTasks; ++i)
      kernel->spawn_process("p", [this, i](Task& task) {
        for (int k = 0; k < 400; ++k) {
          kernel->compute(task, 50'000);
          if (order.empty() || order.back() != i) order.push_back(i);
        }
        ended_ps[i] = task.cpu().now_ps();
      });
    run_ms(200);
    BOOST_TEST_REQUIRE(kernel->all_ended());
  }
  /// The tasks in each full round.
  std::vector<std::vector<unsigned>> rounds() const {
    std::vector<std::vector<unsigned>> result;
    for (std::size_t i = 0; i + kTasks <= order.size() / 2; i += kTasks)
      result.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(i),
                          order.begin() + static_cast<std::ptrdiff_t>(i + kTasks));
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduler_pick, PickMachine)

BOOST_AUTO_TEST_CASE(with_slack_orders_change_from_round_to_round) {
  run(400'000'000, 1);
  const auto all = rounds();
  BOOST_TEST(std::set<std::vector<unsigned>>(all.begin(), all.end()).size() >= all.size() / 3);
}

// 80 ms of work on one CPU: whoever is last ends then, and nobody is more than a slice and the slack ahead.
BOOST_AUTO_TEST_CASE(with_slack_every_task_still_gets_its_share) {
  run(400'000'000, 1);
  const auto [first, last] = std::minmax_element(ended_ps.begin(), ended_ps.end());
  BOOST_TEST(*first + 8'000'000'000 > *last);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

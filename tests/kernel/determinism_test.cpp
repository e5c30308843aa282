// SPDX-License-Identifier: Apache-2.0
#include "kernel/machine_fixture.h"

namespace switchyard::test {

namespace {

/// The times at which a few threads that share memory pass their milestones.
std::vector<std::uint64_t> milestones() {
  MachineTest machine;
  std::vector<std::uint64_t> times;
  machine.build(4);
  auto& kernel = *machine.kernel;
  kernel.spawn_process("main", [&](kernel::Task& task) {
    const base::Address p = kernel.mmap(task, 64 * 4096, kernel::MapKind::shared_anonymous);
    std::vector<kernel::Task*> threads;
    for (int i = 0; i < 6; ++i)
      threads.push_back(&kernel.spawn_thread(task, "t", -1, [&](kernel::Task& me) {
        for (int k = 0; k < 3; ++k) {
          kernel.touch(me, p, 64 * 4096, 512, k == 0 ? cpu::Access::store : cpu::Access::load);
          kernel.nanosleep(me, 300'000'000);
          times.push_back(me.cpu().now_ps());
        }
      }));
    for (int k = 0; k < 3; ++k) kernel.madvise_pageout(task, p, 64 * 4096);
    for (kernel::Task* thread : threads) kernel.join(task, *thread);
    times.push_back(task.cpu().now_ps());
  });
  machine.run_ms(100);
  BOOST_TEST(kernel.all_ended());
  return times;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(determinism)

BOOST_AUTO_TEST_CASE(the_same_program_takes_the_same_time_to_the_picosecond) {
  const auto first = milestones();
  BOOST_TEST(first.size() == 19u);
  BOOST_TEST(first == milestones(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

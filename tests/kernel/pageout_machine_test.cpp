// SPDX-License-Identifier: Apache-2.0
#include "kernel/machine_fixture.h"

namespace switchyard::test {

using base::Address;
using kernel::MapKind;
using kernel::Task;

namespace {

constexpr std::uint64_t kPages = 256;
constexpr std::uint64_t kBytes = kPages * 4096;

/// The published benchmark, small: sleepers pinned on CPUs, one memset, loops of touch and pageout.
struct PageoutMachine : MachineTest {
  std::vector<std::uint64_t> fences;  ///< remote fences before loop 0 and after each loop
  std::vector<std::uint64_t> faults;
  std::vector<std::uint64_t> times_ps;

  void run(unsigned count, unsigned sleepers, unsigned loops, const kernel::riscv::LinuxRiscvParams& params = {},
           kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    build(count, params, mutation);
    kernel->spawn_process("main", [&, sleepers, loops](Task& task) { body(task, sleepers, loops); });
    run_ms(2000);
    BOOST_TEST_REQUIRE(kernel->all_ended());
  }

  void body(Task& task, unsigned sleepers, unsigned loops) {
    std::vector<Task*> threads;
    for (unsigned i = 0; i < sleepers; ++i)
      threads.push_back(&kernel->spawn_thread(task, "sleeper" + std::to_string(i), static_cast<int>(i), [&](Task& me) {
        for (;;) kernel->nanosleep(me, 1'000'000'000'000);
      }));
    const Address p = kernel->mmap(task, kBytes, MapKind::shared_anonymous);
    kernel->touch(task, p, kBytes, 64, cpu::Access::store);
    kernel->nanosleep(task, 100'000'000);
    note(task);
    for (unsigned k = 0; k < loops; ++k) {
      kernel->touch(task, p, kBytes, 4096, cpu::Access::load);
      kernel->madvise_pageout(task, p, kBytes);
      note(task);
    }
    for (Task* thread : threads) kernel->cancel(task, *thread);
    for (Task* thread : threads) kernel->join(task, *thread);
  }

  void note(Task& task) {
    fences.push_back(counter(sbi->stats(), "remote_fences"));
    faults.push_back(count("page_faults"));
    times_ps.push_back(task.cpu().now_ps());
  }
  std::uint64_t fences_in(unsigned loop) const { return fences[loop + 1] - fences[loop]; }
  std::uint64_t faults_in(unsigned loop) const { return faults[loop + 1] - faults[loop]; }
};

kernel::riscv::LinuxRiscvParams params(bool batched, bool clear_accessed) {
  kernel::riscv::LinuxRiscvParams p;
  p.unmap.batched = batched;
  p.reclaim.clear_accessed = clear_accessed;
  return p;
}

/// The time of the third loop.
std::uint64_t loop_ps(bool batched) {
  PageoutMachine machine;
  machine.run(4, 4, 3, params(batched, false));
  return machine.times_ps[3] - machine.times_ps[2];
}

}  // namespace

BOOST_AUTO_TEST_CASE(pageout_with_sleepers_is_faster_when_batched) {
  const std::uint64_t batched = loop_ps(true);
  BOOST_TEST(batched < loop_ps(false));
  BOOST_TEST(batched > kPages * 6'000'000);  // rest_per_page, 6000 cycles at 1 GHz
}

BOOST_FIXTURE_TEST_SUITE(pageout_machine, PageoutMachine)

BOOST_AUTO_TEST_CASE(unbatched_loops_send_one_remote_fence_per_page) {
  run(4, 4, 3, params(false, false));
  for (unsigned loop = 0; loop < 3; ++loop) BOOST_TEST(fences_in(loop) == kPages);
}

BOOST_AUTO_TEST_CASE(clearing_accessed_bits_adds_one_remote_fence) {
  run(4, 4, 3, params(false, true));
  for (unsigned loop = 0; loop < 3; ++loop) BOOST_TEST(fences_in(loop) == kPages + 1);
}

BOOST_AUTO_TEST_CASE(batched_loops_send_two_remote_fences) {
  run(4, 4, 4, params(true, false));
  for (unsigned loop = 1; loop < 4; ++loop) BOOST_TEST(fences_in(loop) == 2u);
}

BOOST_AUTO_TEST_CASE(batched_loops_that_clear_accessed_bits_send_three_remote_fences) {
  run(4, 4, 4, params(true, true));
  for (unsigned loop = 1; loop < 4; ++loop) BOOST_TEST(fences_in(loop) == 3u);
}

BOOST_AUTO_TEST_CASE(the_first_batched_loop_flushes_each_dirty_page) {
  run(4, 4, 1, params(true, false));
  BOOST_TEST(fences_in(0) == kPages);
}

BOOST_AUTO_TEST_CASE(a_process_alone_sends_no_remote_fence_when_unbatched) {
  run(4, 0, 2, params(false, true));
  BOOST_TEST(fences.back() == 0u);
}

BOOST_AUTO_TEST_CASE(a_process_alone_sends_no_remote_fence_when_batched) {
  run(4, 0, 2, params(true, true));
  BOOST_TEST(fences.back() == 0u);
}

BOOST_AUTO_TEST_CASE(without_swap_a_read_fault_maps_sixteen_pages) {
  run(1, 0, 3, params(true, true));
  for (unsigned loop = 1; loop < 3; ++loop) BOOST_TEST(faults_in(loop) == kPages / 16);
  BOOST_TEST(count("pages_reclaimed") == 0u);
}

BOOST_AUTO_TEST_CASE(with_swap_every_page_is_freed_and_read_back) {
  auto p = params(true, true);
  p.reclaim.swap = kernel::SwapKind::zram;
  run(1, 0, 3, p);
  for (unsigned loop = 1; loop < 3; ++loop) BOOST_TEST(faults_in(loop) == kPages);
  BOOST_TEST(count("pages_reclaimed") == 3 * kPages);
}

BOOST_AUTO_TEST_CASE(with_asids_the_counts_are_the_same) {
  auto p = params(true, true);
  p.asid.bits = 16;
  run(4, 4, 4, p);
  for (unsigned loop = 1; loop < 4; ++loop) BOOST_TEST(fences_in(loop) == 3u);
}

BOOST_AUTO_TEST_CASE(interrupts_between_kernels_need_no_remote_fence_of_firmware) {
  auto p = params(false, false);
  p.tlb.remote = kernel::riscv::RemoteFenceKind::ipi;
  run(4, 4, 2, p);
  BOOST_TEST(fences.back() == 0u);
  BOOST_TEST(count("remote_flush_page") == 2 * kPages);
}

BOOST_AUTO_TEST_CASE(each_new_entry_is_fenced_locally) {
  run(1, 0, 2, params(true, false));
  const std::uint64_t with = count("local_fences");
  BOOST_TEST(with >= 3 * kPages);
}

BOOST_AUTO_TEST_CASE(svvptc_leaves_only_the_fences_of_unmapping) {
  auto p = params(true, false);
  p.tlb.svvptc = true;
  run(1, 0, 2, p);
  BOOST_TEST(count("local_fences") < kPages + 10);  // loop 0 flushes dirty pages one by one
}

BOOST_AUTO_TEST_CASE(pages_in_random_places_do_not_change_the_counts) {
  auto p = params(true, false);
  p.layout.placement = kernel::PageAllocator::Placement::random;
  run(4, 4, 3, p);
  BOOST_TEST(fences_in(2) == 2u);
  BOOST_TEST(faults_in(2) == kPages / 16);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

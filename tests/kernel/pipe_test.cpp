// SPDX-License-Identifier: Apache-2.0
#include "kernel/pipe.h"

#include "base/errors.h"
#include "kernel/kernel_bench.h"
#include "support/sim_test.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::Pipe;

namespace {

struct SilentTimer : kernel::TimerDevice {
  void set_timer(cpu::CpuOps&, std::uint64_t) override {}
};
struct NoSwitch : kernel::MmSwitch {
  void switch_mm(cpu::CpuOps&, const kernel::AddressSpace&, const kernel::AddressSpace&) override {}
};

/// A pipe on a recording CPU; nobody waits.
struct PipeTest : SimTest, KernelBench {
  SilentTimer timer;
  NoSwitch no_switch;
  kernel::IpcCosts costs;
  kernel::Task task;
  std::unique_ptr<kernel::Scheduler> scheduler;
  std::unique_ptr<Pipe> pipe;

  PipeTest() {
    build(1);
    scheduler =
        std::make_unique<kernel::Scheduler>(kernel::SchedulerParams{}, std::vector<cpu::LogicalCpu*>{cpus[0].get()},
                                            *basics, timer, *smp, no_switch, true, 1);
    pipe = std::make_unique<Pipe>(*basics, *scheduler, costs, "p");
    task.name = "main";
    task.task_struct = layout->add_slab("main", kernel::Thread::kBytes, 64);
    task.context = cpu().context();
    task.context.cpu = &cpu();
    clear();
  }
  void write(std::uint64_t bytes) { BOOST_TEST(pipe->write(task, 1, bytes)); }
  std::uint64_t read(std::uint64_t bytes) { return pipe->read(task, 0, bytes); }
  std::uint64_t buffers() { return memory.peek(pipe->nrbufs(), 4); }
  Address page(unsigned buffer) { return memory.peek(pipe->buffer(buffer)); }
  /// Loads or stores of lines of a page, in order.
  std::vector<Address> lines(TraceEntry::Kind kind, Address page) {
    std::vector<Address> result;
    const Trace all = cpu().trace(kind);
    for (const TraceEntry& entry : all.entries())
      if (entry.address >= page && entry.address < page + 4096) result.push_back(entry.address - page);
    return result;
  }
};

constexpr auto kLoads = TraceEntry::Kind::load, kStores = TraceEntry::Kind::store;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pipes, PipeTest)

BOOST_AUTO_TEST_CASE(a_write_fills_a_page_and_a_read_empties_it) {
  write(4);
  BOOST_TEST(buffers() == 1u);
  BOOST_TEST(lines(kStores, page(0)) == (std::vector<Address>{0}), boost::test_tools::per_element());
  clear();
  BOOST_TEST(read(4) == 4u);
  BOOST_TEST(buffers() == 0u);
  BOOST_TEST(lines(kLoads, page(0)) == (std::vector<Address>{0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_mutex_is_held_around_it_all) {
  write(4);
  BOOST_TEST(trace()[0] == atomic(AtomicOp::compare_swap, pipe->mutex()));
  BOOST_TEST(memory.peek(pipe->mutex()) == 0u);
  Trace owner;
  for (const TraceEntry& entry : trace().entries())
    if (entry.address == pipe->mutex()) owner.push_back(entry);
  BOOST_TEST(owner.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_read_gives_what_is_there_and_leaves_the_rest) {
  write(100);
  BOOST_TEST(read(64) == 64u);
  BOOST_TEST(buffers() == 1u);
  clear();
  BOOST_TEST(read(1000) == 36u);
  BOOST_TEST(lines(kLoads, page(0)) == (std::vector<Address>{64}), boost::test_tools::per_element());
  BOOST_TEST(buffers() == 0u);
}

BOOST_AUTO_TEST_CASE(writes_are_read_in_their_order_and_small_ones_share_a_page) {
  write(10);
  write(20);
  write(5000);  // a whole page, and 904 bytes to the end of the first buffer
  BOOST_TEST(buffers() == 2u);
  BOOST_TEST(read(10) == 10u);
  BOOST_TEST(memory.peek(pipe->curbuf(), 4) == 0u);
  BOOST_TEST(read(20 + 904) == 20u + 904);
  BOOST_TEST(memory.peek(pipe->curbuf(), 4) == 1u);
  BOOST_TEST(read(5000) == 4096u);
}

BOOST_AUTO_TEST_CASE(a_write_that_does_not_fit_into_the_last_page_takes_a_new_one) {
  write(4000);
  write(97);
  BOOST_TEST(buffers() == 2u);
  write(3999);
  BOOST_TEST(buffers() == 2u);
  BOOST_TEST(read(10000) == 4000u + 97 + 3999);
}

BOOST_AUTO_TEST_CASE(sixteen_pages_fit_and_the_buffers_are_a_ring) {
  for (int round = 0; round < 3; ++round) {
    write(10 * 4096);
    BOOST_TEST(buffers() == 10u);
    BOOST_TEST(read(10 * 4096) == 10u * 4096);
  }
  write(16 * 4096);
  BOOST_TEST(buffers() == 16u);
  BOOST_TEST(memory.peek(pipe->curbuf(), 4) == 30u % 16);
}

BOOST_AUTO_TEST_CASE(two_pages_stay_with_the_pipe_and_come_before_the_allocator) {
  write(3 * 4096);
  const Address first = page(0), second = page(1), third = page(2);
  read(3 * 4096);
  BOOST_TEST(memory.peek(pipe->tmp_page()) == first);
  BOOST_TEST(memory.peek(pipe->tmp_page() + 8) == second);
  write(3 * 4096);
  BOOST_TEST(page(3) == first);
  BOOST_TEST(page(4) == second);
  BOOST_TEST(page(5) == third);  // from the allocator, which got it back
  BOOST_TEST(memory.peek(pipe->tmp_page()) == 0u);
}

BOOST_AUTO_TEST_CASE(without_a_page_of_its_own_a_write_pays_for_the_allocator) {
  costs.alloc_page = 100'000;
  write(4);
  BOOST_TEST(cpu().instructions() > 100'000u);
  read(4);
  const std::uint64_t before = cpu().instructions();
  write(4);
  BOOST_TEST(cpu().instructions() - before < 100'000u);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_pipe_without_writers_is_read_after_what_is_in_it) {
  write(4);
  pipe->release(task, 1);
  BOOST_TEST(read(8) == 4u);
  BOOST_TEST(read(4) == 0u);
}

BOOST_AUTO_TEST_CASE(a_write_that_nobody_can_read_fails) {
  pipe->release(task, 0);
  BOOST_TEST(!pipe->write(task, 1, 4));
  BOOST_TEST(buffers() == 0u);
}

BOOST_AUTO_TEST_CASE(the_wrong_end_is_refused) {
  const auto says = [](const std::string& text) {
    return [text](const base::ConfigError& error) { return error.what() == text; };
  };
  BOOST_CHECK_EXCEPTION(pipe->read(task, 1, 4), base::ConfigError, says("main: reads from the write end of a pipe"));
  BOOST_CHECK_EXCEPTION(pipe->write(task, 0, 4), base::ConfigError, says("main: writes to the read end of a pipe"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

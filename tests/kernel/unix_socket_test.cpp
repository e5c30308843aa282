// SPDX-License-Identifier: Apache-2.0
#include "kernel/unix_socket.h"

#include <algorithm>

#include "kernel/kernel_bench.h"
#include "support/sim_test.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::UnixMessage;
using kernel::UnixSocketPair;

namespace {

struct QuietTimer : kernel::TimerDevice {
  void set_timer(cpu::CpuOps&, std::uint64_t) override {}
};
struct KeepAddressSpace : kernel::MmSwitch {
  void switch_mm(cpu::CpuOps&, const kernel::AddressSpace&, const kernel::AddressSpace&) override {}
};

/// A socketpair on a recording CPU; nobody waits.
struct UnixSocketTest : SimTest, KernelBench {
  QuietTimer timer;
  KeepAddressSpace keep;
  kernel::UnixCosts costs;
  kernel::PollCosts poll_costs;
  kernel::Task task;
  std::unique_ptr<kernel::Scheduler> scheduler;
  std::unique_ptr<kernel::UnixStack> stack;
  std::unique_ptr<UnixSocketPair> pair;

  UnixSocketTest() {
    build(1);
    scheduler = std::make_unique<kernel::Scheduler>(
        kernel::SchedulerParams{}, std::vector<cpu::LogicalCpu*>{cpus[0].get()}, *basics, timer, *smp, keep, true, 1);
    stack = std::make_unique<kernel::UnixStack>(*basics, costs);
    pair = std::make_unique<UnixSocketPair>(*basics, *scheduler, costs, *stack, "s");
    task.name = "main";
    task.task_struct = layout->add_slab("main", kernel::Thread::kBytes, 64);
    task.stack_end = layout->add_stack("main.stack");
    task.context = cpu().context();
    task.context.cpu = &cpu();
    clear();
  }
  const kernel::UnixSock& sock(unsigned end) const { return pair->sock(end); }
  std::uint64_t read(std::uint64_t bytes, unsigned end = 0) { return pair->read(task, end, bytes); }
  bool write(std::uint64_t bytes, unsigned end = 1) { return pair->write(task, end, bytes); }
  kernel::PollEvents poll(unsigned end) {
    kernel::PollTable table(*basics, poll_costs, task);
    table.stop_queueing();
    return pair->poll(task, end, table);
  }
  /// Accesses of some addresses, in order; others are left out.
  Trace only(std::initializer_list<Address> addresses) const {
    Trace result;
    for (const TraceEntry& entry : cpus[0]->trace().entries())
      if (std::find(addresses.begin(), addresses.end(), entry.address) != addresses.end()) result.push_back(entry);
    return result;
  }
  std::size_t position(const TraceEntry& wanted) const {
    const auto& all = cpus[0]->trace().entries();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), wanted) - all.begin());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unix_sockets, UnixSocketTest)

// SKB_TRUESIZE of kmalloc-512: 512 - 320 bytes of head, 320 of shared info, 256 of sk_buff.
BOOST_AUTO_TEST_CASE(a_message_of_a_hundred_bytes_takes_768_bytes_of_the_send_buffer) {
  BOOST_TEST(UnixMessage::truesize(100) == 768u);
  BOOST_TEST(UnixMessage::truesize(192) == 768u);
  BOOST_TEST(UnixMessage::truesize(193) == 1024u + 256);
  BOOST_TEST(UnixMessage::truesize(UnixMessage::kMostBytes) == 4096u + 256);
  write(100);
  BOOST_TEST(sock(1).wmem == 1u + 768);
  BOOST_TEST(sock(0).wmem == 1u);
  read(100);
  BOOST_TEST(sock(1).wmem == 1u);
}

BOOST_AUTO_TEST_CASE(a_message_is_read_whole_or_in_parts_in_its_order) {
  write(100);
  write(50);
  BOOST_TEST(read(30) == 30u);
  BOOST_TEST(sock(0).received.size() == 2u);
  BOOST_TEST(read(70) == 70u);
  BOOST_TEST(sock(0).received.size() == 1u);
  BOOST_TEST(read(1000) == 50u);
}

BOOST_AUTO_TEST_CASE(a_read_takes_several_messages_without_waiting) {
  write(100);
  write(100);
  BOOST_TEST(read(150) == 150u);
  BOOST_TEST(read(150) == 50u);
}

BOOST_AUTO_TEST_CASE(both_ends_read_and_write) {
  write(10, 0);
  write(20, 1);
  BOOST_TEST(read(100, 1) == 10u);
  BOOST_TEST(read(100, 0) == 20u);
}

BOOST_AUTO_TEST_CASE(more_than_a_page_is_several_messages) {
  write(UnixMessage::kMostBytes + 1);
  BOOST_TEST(sock(0).received.size() == 2u);
  BOOST_TEST(read(10000) == UnixMessage::kMostBytes + 1);
}

BOOST_AUTO_TEST_CASE(a_socket_is_writable_while_at_most_a_quarter_of_its_buffer_is_used) {
  // 4 (1 + 768 n) <= 212992
  for (int i = 0; i < 69; ++i) write(100);
  BOOST_TEST(pair->writable(sock(1)));
  BOOST_TEST((poll(1) & kernel::kPollOut) != 0u);
  write(100);
  BOOST_TEST(!pair->writable(sock(1)));
  BOOST_TEST((poll(1) & kernel::kPollOut) == 0u);
  read(100);
  BOOST_TEST(pair->writable(sock(1)));
}

BOOST_AUTO_TEST_CASE(poll_tells_what_can_be_read) {
  BOOST_TEST(poll(0) == kernel::kPollOut);
  write(1);
  BOOST_TEST(poll(0) == (kernel::kPollIn | kernel::kPollOut));
  BOOST_TEST(poll(1) == kernel::kPollOut);
}

BOOST_AUTO_TEST_CASE(after_one_end_closes_the_other_reads_what_is_there_and_cannot_write) {
  write(100, 0);
  write(100, 1);
  pair->release(task, 1);
  BOOST_TEST(poll(0) == (kernel::kPollIn | kernel::kPollOut | kernel::kPollHangup));
  BOOST_TEST(read(200) == 100u);
  BOOST_TEST(read(100) == 0u);
  BOOST_TEST(!write(100, 0));
  BOOST_TEST(sock(0).wmem == 1u);  // the message that nobody has read is gone
}

// unix_stream_sendmsg: the peer, the own memory, then under the peer's lock its queue, then its sleepers.
BOOST_AUTO_TEST_CASE(a_send_touches_the_lines_in_the_kernels_order) {
  write(100);
  const auto &own = sock(1), &other = sock(0);
  const Trace seen = only({own.peer(), own.wmem_alloc(), other.lock(), other.flags(), other.queue_lock(),
                           other.receive_queue() + 16, other.data_ready(), other.sk_wq(), other.socket + 72});
  const Address queue = other.queue_lock();
  Trace expected{load(own.peer()), load(own.wmem_alloc()), atomic(AtomicOp::add, own.wmem_alloc())};
  expected.push_back(atomic(AtomicOp::add, other.lock()));  // a ticket
  expected.push_back(load(other.flags()));
  expected.push_back(atomic(AtomicOp::add, queue));
  expected.push_back(store(other.receive_queue() + 16, 1));
  for (const Address lock : {queue, other.lock()}) {
    expected.push_back(load(lock));
    expected.push_back(store(lock, 1));
  }
  expected.push_back(load(other.data_ready()));
  expected.push_back(load(other.sk_wq()));
  expected.push_back(load(other.socket + 72));
  BOOST_TEST(seen == expected);
}

// unix_stream_read_generic: iolock around it all; the state lock only to look; sock_wfree in two steps.
BOOST_AUTO_TEST_CASE(a_receive_gives_the_memory_back_after_the_message_has_left_the_queue) {
  write(100);
  clear();
  read(100);
  const auto &own = sock(0), &sender = sock(1);
  const Trace seen = only({own.iolock(), own.flags(), own.receive_queue() + 16, sender.wmem_alloc(), sender.sk_wq()});
  const Trace expected{atomic(AtomicOp::compare_swap, own.iolock()),
                       load(own.flags()),
                       store(own.receive_queue() + 16, 0),
                       atomic(AtomicOp::add, sender.wmem_alloc()),
                       load(sender.wmem_alloc()),
                       load(sender.sk_wq()),
                       atomic(AtomicOp::add, sender.wmem_alloc()),
                       atomic(AtomicOp::compare_swap, own.iolock())};
  BOOST_TEST(seen == expected);
}

BOOST_AUTO_TEST_CASE(a_receive_from_a_sender_that_is_not_yet_writable_does_not_look_for_sleepers) {
  for (int i = 0; i < 71; ++i) write(100);
  clear();
  read(100);
  BOOST_TEST(only({sock(1).sk_wq()}).size() == 0u);
  clear();
  read(100);
  BOOST_TEST(only({sock(1).sk_wq()}).size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

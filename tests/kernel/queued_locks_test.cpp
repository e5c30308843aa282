// SPDX-License-Identifier: Apache-2.0
#include "kernel/queued_locks.h"

#include "kernel/parisc_bench.h"
#include "kernel/x86_machine.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::QueuedLocks;

namespace {

constexpr Address kLock = 0x9000;

/// A lock word that recording CPUs share.
struct QueuedLockTest {
  FakeMemory memory;
  kernel::Layout layout{{}, kernel::kVirtualMap, 0x80000000, 64 << 20, 4, 1};
  QueuedLocks locks{layout};
  FakeCpu cpu{memory, 0}, other{memory, 1};

  std::uint64_t word() { return memory.peek(kLock, 4); }
  static std::uint64_t tail(unsigned c, unsigned level) { return ((c + 1) << 2 | level) << QueuedLocks::kTailShift; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(queued_locks, QueuedLockTest)

BOOST_AUTO_TEST_CASE(a_free_lock_costs_one_atomic_operation_and_its_release_one_store) {
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  locks.spin_unlock(cpu, kLock);
  BOOST_TEST(word() == 0u);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::compare_swap, kLock), store(kLock, 0)}));
}

BOOST_AUTO_TEST_CASE(the_first_waiter_waits_on_the_lock_word_without_a_node) {
  locks.spin_lock(other, kLock);
  cpu.on_spin([&](FakeCpu&) {
    BOOST_TEST(word() == (QueuedLocks::kLocked | QueuedLocks::kPending));
    locks.spin_unlock(other, kLock);
  });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::compare_swap, kLock), atomic(AtomicOp::bit_or, kLock), load(kLock),
                                   spin(kLock), load(kLock), store(kLock, QueuedLocks::kLocked)}));
}

BOOST_AUTO_TEST_CASE(the_second_waiter_queues_on_a_node_of_its_own_and_takes_the_lock_when_both_have_gone) {
  memory.poke(kLock, QueuedLocks::kLocked | QueuedLocks::kPending, 4);
  const Address node = locks.node(0, 0);
  cpu.on_spin([&](FakeCpu&) {
    BOOST_TEST(word() == (tail(0, 0) | QueuedLocks::kLocked | QueuedLocks::kPending));
    memory.poke(kLock, 0, 2);
  });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::compare_swap, kLock), store(node, 0), store(node + 8, 0),
                                   atomic(AtomicOp::swap, kLock + 2), load(kLock), spin(kLock), load(kLock),
                                   atomic(AtomicOp::compare_swap, kLock)}));
}

BOOST_AUTO_TEST_CASE(who_queues_behind_another_waits_on_its_own_node) {
  memory.poke(kLock, tail(1, 0) | QueuedLocks::kLocked, 4);
  const Address node = locks.node(0, 0), ahead = locks.node(1, 0);
  unsigned spins = 0;
  cpu.on_spin([&](FakeCpu&) {
    if (++spins > 1) return;
    BOOST_TEST(memory.peek(ahead) == node);
    memory.poke(kLock, 0, 1);     // the one before has had the lock
    memory.poke(node + 8, 1, 4);  // and passed on the head of the queue
  });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  BOOST_TEST(spins == 1u);
  BOOST_TEST(cpu.trace(TraceEntry::Kind::spin) == (Trace{spin(node + 8)}));
}

BOOST_AUTO_TEST_CASE(the_head_of_the_queue_tells_the_next_one) {
  memory.poke(kLock, QueuedLocks::kLocked | QueuedLocks::kPending, 4);
  const Address node = locks.node(0, 0), next = locks.node(2, 0);
  cpu.on_spin([&](FakeCpu&) {
    memory.poke(kLock, tail(2, 0), 4);  // CPU 2 has queued; the others are gone
    memory.poke(node, next);
  });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == (tail(2, 0) | QueuedLocks::kLocked));
  BOOST_TEST(memory.peek(next + 8, 4) == 1u);
}

BOOST_AUTO_TEST_CASE(a_pending_bit_that_comes_too_late_is_taken_back) {
  memory.poke(kLock, QueuedLocks::kLocked, 4);
  bool raced = false;
  cpu.on_access(kLock, [&](FakeCpu&) {
    if (std::exchange(raced, true)) return;
    memory.poke(kLock, tail(1, 0) | QueuedLocks::kLocked, 4);  // after the first look another CPU has queued
  });
  cpu.on_spin([&](FakeCpu&) {
    BOOST_TEST((word() & QueuedLocks::kPending) == 0u);
    memory.poke(kLock, 0, 1);
    memory.poke(locks.node(0, 0) + 8, 1, 4);
  });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  BOOST_TEST(cpu.trace()[2] == store(kLock + 1, 0));
}

BOOST_AUTO_TEST_CASE(an_interrupt_handler_that_queues_meanwhile_has_the_next_node) {
  memory.poke(kLock, QueuedLocks::kLocked | QueuedLocks::kPending, 4);
  constexpr Address second = kLock + 64;
  memory.poke(second, QueuedLocks::kLocked | QueuedLocks::kPending, 4);
  unsigned handled = 0;
  InterruptNote handler([&](std::uint32_t bits) {
    cpu.lower(bits);
    cpu.on_spin([&](FakeCpu&) { memory.poke(second, 0, 2); });
    locks.spin_lock(cpu, second);
    locks.spin_unlock(cpu, second);
    ++handled;
    cpu.on_spin([&](FakeCpu&) { memory.poke(kLock, 0, 2); });
  });
  cpu.set_supervisor_handler(&handler);
  cpu.on_spin([&](FakeCpu&) { cpu.raise(cpu::kSupervisorSoftware); });
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(handled == 1u);
  BOOST_TEST(word() == QueuedLocks::kLocked);
  Trace tails;
  for (const TraceEntry& entry : cpu.trace().entries())
    if (entry == store(locks.node(0, 0), 0) || entry == store(locks.node(0, 1), 0)) tails.push_back(entry);
  BOOST_TEST(tails == (Trace{store(locks.node(0, 0), 0), store(locks.node(0, 1), 0)}));
}

BOOST_AUTO_TEST_CASE(nodes_are_free_again_after_use) {
  for (int i = 0; i < 5; ++i) {
    memory.poke(kLock, QueuedLocks::kLocked | QueuedLocks::kPending, 4);
    cpu.clear_trace();
    cpu.on_spin([&](FakeCpu&) { memory.poke(kLock, 0, 2); });
    locks.spin_lock(cpu, kLock);
    locks.spin_unlock(cpu, kLock);
    BOOST_TEST(cpu.trace()[1] == store(locks.node(0, 0), 0));
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// CPUs of a machine with caches, each with a flow of control of its own, and a lock at a physical address.
struct LockMachineTest : X86MachineTest {
  struct Flow {
    cpu::CallNode root;
    cpu::ExecContext context{&root, nullptr, cpu::Privilege::machine};
  };
  std::vector<std::unique_ptr<Flow>> flows;
  std::unique_ptr<kernel::Layout> layout;
  std::unique_ptr<QueuedLocks> locks;

  void build_locks(unsigned count) {
    build_machine(count);
    const kernel::VirtualMap identity{.linear = 0x80000000};
    layout = std::make_unique<kernel::Layout>(kernel::LayoutParams{}, identity, 0x80000000, 64 << 20, count, 1);
    locks = std::make_unique<QueuedLocks>(*layout);
  }
  template <class Body>
  void on(unsigned c, Body body) {
    flows.push_back(std::make_unique<Flow>());
    Flow& flow = *flows.back();
    sc_core::sc_spawn([this, c, body, &flow] {
      cpus[c]->dispatch(flow.context);
      body(*cpus[c]);
    });
  }
};

constexpr Address kShared = 0x90000000, kCounter = 0x90000100;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(queued_locks_machine, LockMachineTest)

BOOST_AUTO_TEST_CASE(a_counter_without_atomic_operations_loses_nothing_on_four_cpus) {
  build_locks(4);
  for (unsigned c = 0; c < 4; ++c)
    on(c, [&, c](cpu::CpuOps& ops) {
      for (int i = 0; i < 200; ++i) {
        locks->spin_lock(ops, kShared);
        const std::uint64_t before = ops.load(kCounter);
        ops.execute(5 + c);
        ops.store(kCounter, before + 1);
        locks->spin_unlock(ops, kShared);
        ops.execute(7 * c);
      }
    });
  run_ms(10);
  BOOST_TEST(context.memory->peek(kCounter) == 800u);
  BOOST_TEST(context.memory->peek(kShared, 4) == 0u);
}

BOOST_AUTO_TEST_CASE(cpus_get_the_lock_in_the_order_of_their_arrival) {
  build_locks(4);
  std::vector<unsigned> order;
  for (const unsigned c : {2u, 0u, 3u, 1u})
    on(c, [&, c](cpu::CpuOps& ops) {
      ops.execute(2000 * ((c + 2) % 4));  // 2, 3, 0, 1
      locks->spin_lock(ops, kShared);
      order.push_back(c);
      ops.execute(20'000);
      locks->spin_unlock(ops, kShared);
    });
  run_ms(10);
  BOOST_TEST(order == (std::vector<unsigned>{2, 3, 0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

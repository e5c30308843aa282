// SPDX-License-Identifier: Apache-2.0
#include "kernel/queued_locks.h"

namespace switchyard::kernel {

using cpu::AtomicOp;
using cpu::CpuOps;

void QueuedLocks::wait_until_clear(CpuOps& cpu, base::Address lock, std::uint64_t bits) {
  cpu.spin_until(
      {lock}, [&cpu, lock, bits] { return (cpu.load(lock, 4) & bits) == 0; }, cpu::Cause::lock_spin);
}

void QueuedLocks::arch_spin_lock(CpuOps& cpu, base::Address lock) {
  const std::uint64_t value = cpu.atomic(AtomicOp::compare_swap, lock, kLocked, 4, 0);
  if (value == 0) return;
  if ((value & ~kLockedMask) != 0) return queue(cpu, lock);
  const std::uint64_t before = cpu.atomic(AtomicOp::bit_or, lock, kPending, 4);
  if ((before & ~kLockedMask) != 0) {
    if ((before & kPending) == 0) cpu.store(lock + 1, 0, 1);
    return queue(cpu, lock);
  }
  if ((before & kLockedMask) != 0) {
    const WaitGraph::Wait wait(waits(), cpu, lock, WaitGraph::Order::fifo);
    wait_until_clear(cpu, lock, kLockedMask);
  }
  cpu.store(lock, kLocked, 2);  // clear_pending_set_locked
}

void QueuedLocks::queue(CpuOps& cpu, base::Address lock) {
  const unsigned level = used_[cpu.id()]++;
  const base::Address mine = node(cpu.id(), level);
  const std::uint64_t tail = (std::uint64_t{cpu.id()} + 1) << 2 | level;
  cpu.store(mine, 0);
  cpu.store(mine + 8, 0, 4);
  const std::uint64_t previous = cpu.atomic(AtomicOp::swap, lock + 2, tail, 2);
  const WaitGraph::Wait wait(waits(), cpu, lock, WaitGraph::Order::fifo);
  if (previous != 0) {
    cpu.store(node(static_cast<unsigned>(previous >> 2) - 1, previous & 3), mine);
    cpu.spin_until(
        {mine + 8}, [&cpu, mine] { return cpu.load(mine + 8, 4) != 0; }, cpu::Cause::lock_spin);
  }
  wait_until_clear(cpu, lock, kLockedMask | kPending);
  const std::uint64_t alone = tail << kTailShift;
  if (cpu.atomic(AtomicOp::compare_swap, lock, kLocked, 4, alone) != alone) {
    cpu.store(lock, kLocked, 1);
    cpu.spin_until(
        {mine}, [&cpu, mine] { return cpu.load(mine) != 0; }, cpu::Cause::lock_spin);
    cpu.store(cpu.load(mine) + 8, 1, 4);
  }
  --used_[cpu.id()];
}

}  // namespace switchyard::kernel

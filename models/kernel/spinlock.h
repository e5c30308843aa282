// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "cpu/logical_cpu.h"
#include "kernel/atomic_ops.h"
#include "kernel/wait_graph.h"

namespace switchyard::kernel {

/// The spin locks of an architecture: words of 4 bytes.
class SpinLocks {
 public:
  virtual ~SpinLocks() = default;
  /// Waits spin on the line and let interrupts in if they are on.
  void spin_lock(cpu::CpuOps& cpu, base::Address lock) {
    arch_spin_lock(cpu, lock);
    waits_.acquired(cpu, lock);
  }
  void spin_unlock(cpu::CpuOps& cpu, base::Address lock) {
    arch_spin_unlock(cpu, lock);
    waits_.released(cpu, lock);
  }
  /// Who holds which lock and who spins for what; other spin loops of the kernel belong there as well.
  WaitGraph& waits() { return waits_; }
  /// The word of a lock that nobody holds.
  virtual std::uint32_t unlocked() const { return 0; }

  /// Makes a free lock where memory is still full of zeros: before the simulation at a physical address, or as code.
  /// Zeros that already mean a free lock are left as they are.
  void spin_lock_init(cpu::DebugMemory& memory, base::Address pa) const {
    if (unlocked() != 0) memory.poke(pa, unlocked(), 4);
  }
  void spin_lock_init(cpu::CpuOps& cpu, base::Address lock) const {
    if (unlocked() != 0) cpu.store(lock, unlocked(), 4);
  }

 private:
  /// A spin loop in it is a WaitGraph::Wait.
  virtual void arch_spin_lock(cpu::CpuOps& cpu, base::Address lock) = 0;
  virtual void arch_spin_unlock(cpu::CpuOps& cpu, base::Address lock) = 0;

  WaitGraph waits_;
};

/// Ticket locks: owner in the low half, next ticket in the high half. Source: Linux v6.7
/// include/asm-generic/spinlock.h, which riscv uses.
class TicketLocks : public SpinLocks {
  void arch_spin_lock(cpu::CpuOps& cpu, base::Address lock) override {
    const auto value = static_cast<std::uint32_t>(cpu.atomic(cpu::AtomicOp::add, lock, 1u << 16, 4));
    const std::uint32_t ticket = value >> 16;
    if (ticket == (value & 0xffff)) return;
    const WaitGraph::Wait wait(waits(), cpu, lock, WaitGraph::Order::fifo);
    cpu.spin_until(
        {lock}, [&cpu, lock, ticket] { return (cpu.load(lock, 4) & 0xffff) == ticket; }, cpu::Cause::lock_spin);
  }
  void arch_spin_unlock(cpu::CpuOps& cpu, base::Address lock) override {
    const std::uint64_t owner = cpu.load(lock, 2);
    cpu.store(lock, (owner + 1) & 0xffff, 2);
  }
};

/// Holds a spin lock while it lives. An exception ends the simulation: the lock then stays as it is.
class SpinGuard {
 public:
  SpinGuard(SpinLocks& locks, cpu::CpuOps& cpu, base::Address lock) : locks_(locks), cpu_(cpu), lock_(lock) {
    locks_.spin_lock(cpu_, lock_);
  }
  ~SpinGuard() noexcept(false) {
    if (std::uncaught_exceptions() == before_) locks_.spin_unlock(cpu_, lock_);
  }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLocks& locks_;
  cpu::CpuOps& cpu_;
  base::Address lock_;
  const int before_ = std::uncaught_exceptions();
};

/// The reader side of a reader-writer semaphore without a writer in the way: one atomic each, as the fast path of
/// Linux v6.7 kernel/locking/rwsem.c. Writers exist only while nobody else uses the object.
inline constexpr std::int64_t kReaderBias = 256;
inline void down_read(AtomicOps& atomics, cpu::CpuOps& cpu, base::Address semaphore) {
  atomics.atomic_add(cpu, semaphore, kReaderBias, 8);
}
inline void up_read(AtomicOps& atomics, cpu::CpuOps& cpu, base::Address semaphore) {
  atomics.atomic_add(cpu, semaphore, -kReaderBias, 8);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "cpu/cpu_ops.h"

namespace switchyard::kernel {

/// A ticket lock, 4 bytes: owner in the low half, next ticket in the high half. Waits spin on the line and let
/// interrupts in if they are on. Source: Linux v6.7 include/asm-generic/spinlock.h, which riscv uses.
inline void spin_lock(cpu::CpuOps& cpu, base::Address lock) {
  const auto value = static_cast<std::uint32_t>(cpu.atomic(cpu::AtomicOp::add, lock, 1u << 16, 4));
  const std::uint32_t ticket = value >> 16;
  if (ticket == (value & 0xffff)) return;
  cpu.spin_until(
      {lock}, [&cpu, lock, ticket] { return (cpu.load(lock, 4) & 0xffff) == ticket; }, cpu::Cause::lock_spin);
}

inline void spin_unlock(cpu::CpuOps& cpu, base::Address lock) {
  const std::uint64_t owner = cpu.load(lock, 2);
  cpu.store(lock, (owner + 1) & 0xffff, 2);
}

/// Holds a ticket lock while it lives. An exception ends the simulation: the lock then stays as it is.
class SpinGuard {
 public:
  SpinGuard(cpu::CpuOps& cpu, base::Address lock) : cpu_(cpu), lock_(lock) { spin_lock(cpu_, lock_); }
  ~SpinGuard() noexcept(false) {
    if (std::uncaught_exceptions() == before_) spin_unlock(cpu_, lock_);
  }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  cpu::CpuOps& cpu_;
  base::Address lock_;
  const int before_ = std::uncaught_exceptions();
};

/// The reader side of a reader-writer semaphore without a writer in the way: one atomic each, as the fast path of
/// Linux v6.7 kernel/locking/rwsem.c. Writers exist only while nobody else uses the object.
inline constexpr std::uint64_t kReaderBias = 256;
inline void down_read(cpu::CpuOps& cpu, base::Address semaphore) {
  cpu.atomic(cpu::AtomicOp::add, semaphore, kReaderBias);
}
inline void up_read(cpu::CpuOps& cpu, base::Address semaphore) {
  cpu.atomic(cpu::AtomicOp::add, semaphore, ~kReaderBias + 1);
}

}  // namespace switchyard::kernel

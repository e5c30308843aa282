// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/spinlock.h"

namespace switchyard::kernel::parisc {

/// Load and clear word, the one atomic instruction of PA-RISC: returns the word and leaves 0.
inline std::uint64_t ldcw(cpu::CpuOps& cpu, base::Address word) { return cpu.atomic(cpu::AtomicOp::swap, word, 0, 4); }

/// arch_spinlock_t: 1 is free, 0 is taken. Test and test-and-set. Source: Linux v4.2
/// arch/parisc/include/asm/spinlock.h.
class LdcwLocks : public SpinLocks {
 public:
  std::uint32_t unlocked() const override { return 1; }
  /// Takes a lock that is held only for instructions that never wait; says whether it was free.
  static bool acquire(cpu::CpuOps& cpu, base::Address lock) {
    if (ldcw(cpu, lock) != 0) return true;
    spin(cpu, lock);
    return false;
  }

 private:
  void arch_spin_lock(cpu::CpuOps& cpu, base::Address lock) override {
    if (ldcw(cpu, lock) != 0) return;
    const WaitGraph::Wait wait(waits(), cpu, lock, WaitGraph::Order::any);
    spin(cpu, lock);
  }
  void arch_spin_unlock(cpu::CpuOps& cpu, base::Address lock) override { cpu.store(lock, 1, 4); }
  static void spin(cpu::CpuOps& cpu, base::Address lock) {
    do {
      cpu.spin_until(
          {lock}, [&] { return cpu.load(lock, 4) != 0; }, cpu::Cause::lock_spin);
    } while (ldcw(cpu, lock) == 0);
  }
};

}  // namespace switchyard::kernel::parisc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel/layout.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

/// Queued spin locks: the first waiter spins on the lock word with its pending bit set, the others each on a node of
/// their own CPU. Source: Linux v4.17 kernel/locking/qspinlock.c, include/asm-generic/qspinlock_types.h. A release is
/// a store of one byte.
class QueuedLocks : public SpinLocks {
 public:
  explicit QueuedLocks(Layout& layout)
      : nodes_(layout.add_per_cpu("mcs_nodes", kNodes * kNodeBytes, 64)), layout_(layout), used_(layout.cpus()) {}

  /// A node of a CPU: one for each level of interrupts that may nest.
  base::Address node(unsigned cpu, unsigned level) const { return layout_.per_cpu(nodes_, cpu) + level * kNodeBytes; }

  static constexpr std::uint64_t kLocked = 1, kLockedMask = 0xff, kPending = 0x100, kTailShift = 16;

 private:
  static constexpr unsigned kNodes = 4;
  static constexpr std::uint64_t kNodeBytes = 16;  ///< next, locked

  void arch_spin_lock(cpu::CpuOps& cpu, base::Address lock) override;
  void arch_spin_unlock(cpu::CpuOps& cpu, base::Address lock) override { cpu.store(lock, 0, 1); }
  void queue(cpu::CpuOps& cpu, base::Address lock);
  static void wait_until_clear(cpu::CpuOps& cpu, base::Address lock, std::uint64_t bits);

  const base::Address nodes_;
  const Layout& layout_;
  std::vector<unsigned> used_;  ///< nodes in use, by CPU
};

}  // namespace switchyard::kernel

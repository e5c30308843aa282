// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/atomic_ops.h"

namespace switchyard::kernel {

/// A reader-writer semaphore whose owners never sleep while they hold it (mmap_sem where memory is not reclaimed). Who
/// has to wait spins: writers do so in the kernel as well while the owner runs (rwsem_optimistic_spin), readers would
/// sleep. Readers that come while a writer waits go behind it. Source: Linux v4.17 kernel/locking/rwsem-xadd.c; the
/// word holds readers times kReader instead of the kernel's negative bias.
class Rwsem {
 public:
  static constexpr std::uint64_t kWriter = 1, kWaiting = 2;
  static constexpr std::int64_t kReader = 256;

  Rwsem(AtomicOps& atomics, base::Address count) : atomics_(atomics), count_(count) {}

  void down_read(cpu::CpuOps& cpu) const {
    while ((atomics_.atomic_add(cpu, count_, kReader, 8) & (kWriter | kWaiting)) != 0) {
      atomics_.atomic_add(cpu, count_, -kReader, 8);
      wait(cpu, kWriter | kWaiting);
    }
  }
  void up_read(cpu::CpuOps& cpu) const { atomics_.atomic_add(cpu, count_, -kReader, 8); }

  void down_write(cpu::CpuOps& cpu) const {
    std::uint64_t seen = atomics_.cmpxchg(cpu, count_, 0, kWriter, 8);
    while (seen != 0) {
      if (seen == kWaiting) {
        if (atomics_.cmpxchg(cpu, count_, kWaiting, kWriter, 8) == kWaiting) return;
      }
      if ((atomics_.fetch_or(cpu, count_, kWaiting, 8) & ~kWaiting) != 0) wait(cpu, ~kWaiting);
      seen = kWaiting;
    }
  }
  void up_write(cpu::CpuOps& cpu) const { atomics_.fetch_and(cpu, count_, ~kWriter, 8); }
  /// The writer goes on as a reader.
  void downgrade_write(cpu::CpuOps& cpu) const {
    atomics_.atomic_add(cpu, count_, kReader - static_cast<std::int64_t>(kWriter), 8);
  }

 private:
  /// Until none of `bits` is set.
  void wait(cpu::CpuOps& cpu, std::uint64_t bits) const {
    const base::Address count = count_;
    cpu.spin_until(
        {count}, [&cpu, count, bits] { return (cpu.load(count) & bits) == 0; }, cpu::Cause::lock_spin);
  }

  AtomicOps& atomics_;
  const base::Address count_;
};

}  // namespace switchyard::kernel

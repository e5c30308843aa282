// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/kernel_services.h"

namespace switchyard::kernel::parisc {

/// A reader-writer semaphore of an architecture without atomic instructions for one: the number of readers, or -1,
/// under a spin lock. Who has to wait spins here, where the kernel sleeps. Source: Linux v4.2 lib/rwsem-spinlock.c.
class Rwsem {
 public:
  static constexpr std::uint64_t kLockOffset = 4;

  Rwsem(SpinLocks& locks, Address semaphore) : locks_(locks), count_(semaphore) {}
  Address lock() const { return count_ + kLockOffset; }

  void down_read(cpu::CpuOps& cpu) {
    down(
        cpu, [](std::int32_t count) { return count >= 0; }, [](std::int32_t count) { return count + 1; });
  }
  void up_read(cpu::CpuOps& cpu) {
    const SpinGuard guard(locks_, cpu, lock());
    write(cpu, read(cpu) - 1);
    locks_.waits().released(cpu, count_);
  }
  void down_write(cpu::CpuOps& cpu) {
    down(
        cpu, [](std::int32_t count) { return count == 0; }, [](std::int32_t) { return -1; });
  }
  void up_write(cpu::CpuOps& cpu) {
    const SpinGuard guard(locks_, cpu, lock());
    write(cpu, 0);
    locks_.waits().released(cpu, count_);
  }

 private:
  template <class Free, class Next>
  void down(cpu::CpuOps& cpu, Free free, Next next) {
    for (;;) {
      {
        const SpinGuard guard(locks_, cpu, lock());
        const std::int32_t count = read(cpu);
        if (free(count)) {
          write(cpu, next(count));
          break;
        }
      }
      const WaitGraph::Wait wait(locks_.waits(), cpu, count_, WaitGraph::Order::any);
      cpu.spin_until(
          {count_}, [&] { return free(read(cpu)); }, cpu::Cause::lock_spin);
    }
    locks_.waits().acquired(cpu, count_);
  }
  std::int32_t read(cpu::CpuOps& cpu) const { return static_cast<std::int32_t>(cpu.load(count_, 4)); }
  void write(cpu::CpuOps& cpu, std::int32_t count) const { cpu.store(count_, static_cast<std::uint32_t>(count), 4); }

  SpinLocks& locks_;
  const Address count_;
};

}  // namespace switchyard::kernel::parisc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "kernel/arch/parisc/ldcw_locks.h"
#include "kernel/costs/parisc_costs.h"
#include "kernel/layout.h"

namespace switchyard::kernel::parisc {

/// `atomic_hash:`. The defaults are those of Linux v4.2 for PA2.0 (arch/parisc/include/asm/atomic.h).
struct AtomicHashParams : base::ParamSet {
  std::uint64_t size = 4;
  base::Bytes divisor{64};
  base::Bytes lock_width{4};
  base::Bytes pad_to{0};

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "size", .text = "ATOMIC_HASH_SIZE: locks, a power of two", .unit = "locks"}, size, {1, 1024});
    v.value({.key = "divisor", .text = "Addresses in a block of this size share a lock (L1_CACHE_BYTES)"}, divisor,
            {1, 4096});
    v.value({.key = "lock_width", .text = "arch_spinlock_t: 4 B or 16 B"}, lock_width, {4, 16});
    v.value({.key = "pad_to", .text = "Distance of the locks where it is more than lock_width"}, pad_to, {0, 4096});
  }
  std::string check() const override {
    if (!std::has_single_bit(size)) return "size must be a power of two, got " + std::to_string(size);
    if (lock_width.value != 4 && lock_width.value != 16)
      return "lock_width must be 4 B or 16 B, got " + std::to_string(lock_width.value) + " B";
    if (pad_to.value % 4 != 0) return "pad_to must be a multiple of 4 B, got " + std::to_string(pad_to.value) + " B";
    return "";
  }
  std::uint64_t spacing() const { return std::max(lock_width.value, pad_to.value); }
};

/// atomic_t under one of the locks of `__atomic_hash`, with interrupts off. Source: Linux v4.2
/// arch/parisc/include/asm/{atomic,bitops}.h, arch/parisc/lib/bitops.c.
class HashedAtomics : public AtomicOps {
 public:
  /// Places the table and frees its locks. `costs` outlives it.
  HashedAtomics(const AtomicHashParams& params, Layout& layout, cpu::FunctionTable& functions, cpu::DebugMemory& memory,
                LdcwLocks& locks, const PariscCosts& costs);
  void add_stats(base::StatGroup& group) override { stats_.emplace(group); }

  std::uint64_t atomic_add(cpu::CpuOps& cpu, Address v, std::int64_t delta, unsigned bytes) override;
  std::uint64_t xchg(cpu::CpuOps& cpu, Address v, std::uint64_t value, unsigned bytes) override;
  std::uint64_t cmpxchg(cpu::CpuOps& cpu, Address v, std::uint64_t expected, std::uint64_t value,
                        unsigned bytes) override;
  std::uint64_t fetch_or(cpu::CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) override;
  std::uint64_t fetch_and(cpu::CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) override;

  /// ATOMIC_HASH.
  Address lock_of(Address v) const {
    return table_ + (v / params_.divisor.value & (params_.size - 1)) * params_.spacing();
  }

 private:
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : ops(group, "atomic_hash_ops", "count", "atomic_t operations under a hashed lock"),
          busy(group, "atomic_hash_busy", "count", "Those that found the lock taken") {}
    base::Counter ops, busy;
  };

  template <class F>
  std::uint64_t update(cpu::CpuOps& cpu, Address v, unsigned bytes, F next);

  const AtomicHashParams params_;
  LdcwLocks& locks_;
  const PariscCosts costs_;
  const cpu::FunctionId function_;
  Address table_;
  std::optional<Stats> stats_;
};

}  // namespace switchyard::kernel::parisc

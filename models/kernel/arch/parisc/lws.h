// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/stats.h"
#include "kernel/costs/parisc_costs.h"
#include "kernel/kernel_services.h"

namespace switchyard::kernel::parisc {

/// `lws:`. The defaults are those of Linux v4.2 (arch/parisc/kernel/syscall.S).
struct LwsParams : base::ParamSet {
  std::uint64_t lock_align_bits = 4;
  base::Bytes lock_start_offset{0};

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "lock_align_bits",
             .text = "LWS_LOCK_ALIGN_BITS: binary logarithm of the distance of the locks in lws_lock_start",
             .unit = "bits"},
            lock_align_bits, {2, 10});
    v.value(
        {.key = "lock_start_offset",
         .text =
             "Where lws_lock_start begins, beyond a boundary of 4 KiB. The kernel aligns it to L1_CACHE_BYTES: 64 B "
             "on PA2.0 and 32 B before it, in later versions 16 B everywhere"},
        lock_start_offset, {0, 4080});
  }
  std::string check() const override {
    if (lock_start_offset.value % 16 == 0) return "";
    return "lock_start_offset must be a multiple of 16 B, got " + std::to_string(lock_start_offset.value) + " B";
  }
};

/// Light-weight system calls: compare and swap of user words on the gateway page, under one of 16 locks. The kernel
/// never waits for a lock: a busy one is -EAGAIN. Source: Linux v4.2 arch/parisc/kernel/syscall.S.
class Lws {
 public:
  static constexpr std::int64_t kEagain = -11;
  struct Result {
    std::int64_t error = 0;      ///< r21: 0 or kEagain
    std::uint64_t previous = 0;  ///< r28: what the word held
  };

  Lws(const LwsParams& params, const KernelServices& services, cpu::DebugMemory& memory, const PariscCosts& costs);

  /// lws_compare_and_swap32, from the gate on. Called in user mode.
  Result compare_and_swap32(cpu::CpuOps& cpu, Address word, std::uint64_t old, std::uint64_t value);

  /// The lock of a user word: bits 4 to 7 of the address choose it.
  Address lock_of(Address word) const { return lock_start_ + ((word >> 4 & (kLocks - 1)) << params_.lock_align_bits); }

 private:
  static constexpr std::uint64_t kLocks = 16;
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : attempts(group, "lws_attempts", "count", "Compare-and-swap calls on the gateway page"),
          busy(group, "lws_busy", "count", "Those that found their lock taken (-EAGAIN)"),
          changed(group, "lws_changed", "count", "Those that found another value than the caller had read") {}
    base::Counter attempts, busy, changed;
  };

  const LwsParams params_;
  const PariscCosts costs_;
  Stats stats_;
  const cpu::FunctionId function_;
  const Address lock_start_, table_;
};

}  // namespace switchyard::kernel::parisc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "kernel/arch/parisc/space_ids.h"
#include "kernel/costs/parisc_costs.h"
#include "kernel/flush_mutation.h"
#include "kernel/page_table.h"
#include "kernel/smp.h"

namespace switchyard::kernel::parisc {

/// What the TLB miss handler holds while it sets the accessed bit.
enum class MissLock : std::uint8_t { none, global };
inline constexpr std::array<std::string_view, 2> kMissLocks{"none", "global"};

/// `tlb:`. The defaults are those of Linux v4.2 for PA2.0.
struct TlbPurgeParams : base::ParamSet {
  base::Bytes flush_threshold = base::mib(2);
  bool split_tlb = false;
  MissLock lock = MissLock::global;

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "flush_threshold",
             .text = "parisc_tlb_flush_threshold: ranges of this size and more flush the whole TLB of every CPU"},
            flush_threshold);
    v.value({.key = "split_tlb", .text = "Purge instruction and data TLB apart (pitlb beside pdtlb)"}, split_tlb);
    v.choice(
        {.key = "lock",
         .text = "What the miss handler of a TLB that software refills takes for user pages: pa_tlb_lock or nothing"},
        lock, kMissLocks);
  }
};

/// Purges of user translations. Hardware broadcasts pdtlb and pitlb to all CPUs; a Merced bus allows one broadcast at a
/// time, so one lock, pa_tlb_lock, is around each. Whole address spaces, and large ranges, go by IPI: every CPU flushes
/// its whole TLB. Source: Linux v4.2 arch/parisc/include/asm/tlbflush.h, arch/parisc/kernel/cache.c.
class TlbPurge {
 public:
  TlbPurge(const TlbPurgeParams& params, const KernelServices& services, cpu::DebugMemory& memory, PageTable& tables,
           Smp& smp, SpaceIds& space_ids, const PariscCosts& costs, FlushMutation mutation = FlushMutation::none);

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va);
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end);
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm);
  void flush_tlb_all(cpu::CpuOps& cpu);

  /// dtlb_miss and itlb_miss of a user address, up to the insertion: spins with ldcw alone
  /// (arch/parisc/kernel/entry.S).
  void tlb_miss(cpu::CpuOps& cpu, const AddressSpace& mm, Address va);

  Address pa_tlb_lock() const { return pa_tlb_lock_; }
  Address sid_lock() const { return sid_lock_; }
  Address dirty_space_ids() const { return sid_lock_ + 4; }
  cpu::FunctionId range_function() const { return range_; }

 private:
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : purges(group, "tlb_purges", "count", "Pages purged from the TLBs of all CPUs by broadcast"),
          flushes(group, "tlb_flush_all", "count", "flush_tlb_all: every CPU flushed its whole TLB"),
          refills(group, "tlb_refills", "count", "User pages that the miss handler looked up") {}
    base::Counter purges, flushes, refills;
  };

  void purge(cpu::CpuOps& cpu, std::uint16_t space, Address va);

  const TlbPurgeParams params_;
  const KernelServices services_;
  const PariscCosts costs_;
  PageTable& tables_;
  Smp& smp_;
  SpaceIds& space_ids_;
  const FlushMutation mutation_;
  Stats stats_;
  const Address pa_tlb_lock_, sid_lock_;
  const cpu::FunctionId page_, range_, mm_, all_, local_, miss_;
};

}  // namespace switchyard::kernel::parisc

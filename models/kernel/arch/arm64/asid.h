// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/address_space.h"
#include "kernel/arch/arm64/asid_params.h"
#include "kernel/arch/arm64/per_cpu.h"
#include "kernel/flush_mutation.h"
#include "kernel/kernel_services.h"

namespace switchyard::kernel::arm64 {

/// The ASID allocator. Sources: Linux v5.8 and v5.9 arch/arm64/mm/context.c. mm->context.id is a generation with an
/// ASID in its low bits, 0 for an mm that never ran. A CPU whose active_asids is not 0, and holds the current
/// generation as the next mm does, switches without the lock. When no ASID is free the next generation starts: every
/// CPU's active_asids becomes 0, what ran stays reserved, and each CPU flushes its TLB at its next slow path. With KPTI
/// the map starts as 0xaa: only even ASIDs are handed out, and the odd ones are those of user mode.
class AsidAllocator {
 public:
  AsidAllocator(const AsidParams& params, const Arm64Costs& costs, const KernelServices& services,
                const PerCpu& per_cpu, FlushMutation mutation = FlushMutation::none);

  /// What boot leaves in memory, before the simulation starts.
  void asids_init(cpu::DebugMemory& memory) const;
  /// Makes sure that `mm` has an ASID of this generation and that this CPU is known to use it. Interrupts are off, and
  /// the CPU used another mm before; cpu_switch_mm() comes next.
  void check_and_switch_context(cpu::CpuOps& cpu, const AddressSpace& mm);

  /// The ASID in an mm's context.id.
  std::uint16_t asid_of(std::uint64_t context) const { return static_cast<std::uint16_t>(context & (asids_ - 1)); }
  const AsidParams& params() const { return params_; }

  Address active_asids(unsigned cpu) const { return services_.layout.per_cpu(per_cpu_asids_, cpu); }
  Address reserved_asids(unsigned cpu) const { return active_asids(cpu) + kReserved; }
  Address asid_bits() const { return bits_; }
  Address asid_generation() const { return bits_ + kGeneration; }
  Address cpu_asid_lock() const { return lock_; }
  Address tlb_flush_pending() const { return lock_ - kLock + kPendingOffset; }
  Address asid_map() const { return map_; }
  Address cur_idx() const { return cur_idx_; }
  Address bp_hardening_data(unsigned cpu) const { return services_.layout.per_cpu(bp_hardening_, cpu); }

  static constexpr std::uint64_t kPendingOffset = 24;  ///< tlb_flush_pending, after the generation and a pointer

 private:
  static constexpr std::uint64_t kReserved = 8;    ///< reserved_asids follows active_asids
  static constexpr std::uint64_t kGeneration = 8;  ///< asid_generation, after asid_bits
  static constexpr std::uint64_t kLock = 4;        ///< cpu_asid_lock after asid_bits, where they share a line

  bool same_generation(cpu::CpuOps& cpu, std::uint64_t context);
  void slow_path(cpu::CpuOps& cpu, const AddressSpace& mm, unsigned own_number);
  std::uint64_t new_context(cpu::CpuOps& cpu, const AddressSpace& mm);
  void flush_context(cpu::CpuOps& cpu);
  bool check_update_reserved_asid(cpu::CpuOps& cpu, std::uint64_t asid, std::uint64_t newasid);
  bool test_and_set_bit(cpu::CpuOps& cpu, std::uint64_t asid);
  /// First free ASID from `from` on, or the number of ASIDs.
  std::uint64_t find_next_zero_bit(cpu::CpuOps& cpu, std::uint64_t from);
  void apply_bp_hardening(cpu::CpuOps& cpu);
  bool before() const { return params_.fast_path == FastPath::before; }

  struct Stats {
    explicit Stats(base::StatGroup& group)
        : new_asids(group, "asid_allocations", "count",
                    "ASIDs given to address spaces that had none of this generation"),
          rollovers(group, "asid_rollovers", "count", "Generations of ASIDs that have ended") {}
    base::Counter new_asids, rollovers;
  };

  const AsidParams params_;
  const Arm64Costs costs_;
  const KernelServices services_;
  const PerCpu& per_cpu_;
  const FlushMutation mutation_;
  const std::uint64_t asids_, unused_word_;
  Stats stats_;
  const Address bits_, lock_, map_, cur_idx_, per_cpu_asids_, bp_hardening_;
  const cpu::FunctionId check_and_switch_context_, new_context_, flush_context_;
};

}  // namespace switchyard::kernel::arm64

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/cpu_ops.h"
#include "kernel/arch/riscv/local_tlb.h"
#include "kernel/flush_mutation.h"
#include "kernel/kernel_services.h"
#include "kernel/mm_switch.h"

namespace switchyard::kernel::riscv {

/// Address-space ids of the hardware.
struct AsidParams : base::ParamSet {
  std::uint64_t bits = 0;
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "bits", .text = "Implemented bits of the ASID field of satp; 0 means none", .unit = "bits"}, bits,
            {0, 16});
  }
};

/// switch_mm and the ASID allocator. Source: Linux v6.7 arch/riscv/mm/context.c. The allocator is used when there are
/// more than twice as many ids as CPUs. With it a CPU's bit in mm_cpumask is set and never cleared, and satp is
/// written without a flush; without it the bit moves from the previous mm to the next one and every switch ends with
/// a full local fence.
class MmContext : public MmSwitch {
 public:
  MmContext(const AsidParams& params, const KernelServices& services, LocalTlb& local,
            cpu::TranslationObserver* observer, FlushMutation mutation);

  bool use_asids() const { return use_asids_; }
  void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) override;

  Address active_context(unsigned cpu) const { return services_.layout.per_cpu(active_, cpu); }
  Address reserved_context(unsigned cpu) const { return services_.layout.per_cpu(reserved_, cpu); }
  Address current_version() const { return version_; }
  Address context_lock() const { return lock_; }
  Address flush_pending() const { return flush_pending_; }
  Address asid_map() const { return map_; }

  /// Ids count from kFirstVersion up, so that the version is in the bits above any ASID.
  static constexpr std::uint64_t kFirstVersion = 1u << 16;
  static bool enough_asids(std::uint64_t bits, unsigned cpus) {
    return bits != 0 && (std::uint64_t{1} << bits) > 2 * std::uint64_t{cpus};
  }

 private:
  void set_mm_noasid(cpu::CpuOps& cpu, const AddressSpace& next);
  void set_mm_asid(cpu::CpuOps& cpu, const AddressSpace& next);
  /// The slow path; returns whether this CPU owes a full flush.
  bool renew_context(cpu::CpuOps& cpu, const AddressSpace& next, std::uint64_t& context);
  std::uint64_t new_context(cpu::CpuOps& cpu, std::uint64_t old_context);
  void flush_context(cpu::CpuOps& cpu);
  bool update_reserved(cpu::CpuOps& cpu, std::uint64_t context, std::uint64_t renewed);
  std::uint64_t version(cpu::CpuOps& cpu);
  bool test_and_set_asid(cpu::CpuOps& cpu, std::uint64_t asid);
  /// First free id from `from` on, or the number of ids.
  std::uint64_t find_free(cpu::CpuOps& cpu, std::uint64_t from);

  const KernelServices services_;
  LocalTlb& local_;
  cpu::TranslationObserver* observer_;
  const FlushMutation mutation_;
  const std::uint64_t asids_;
  const bool use_asids_;
  const Address lock_, version_, flush_pending_, cur_idx_, map_, active_, reserved_;
  const cpu::FunctionId switch_mm_, new_context_;
};

}  // namespace switchyard::kernel::riscv

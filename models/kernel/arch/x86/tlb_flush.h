// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/switch_mm.h"
#include "kernel/smp.h"

namespace switchyard::kernel::x86 {

/// `tlb:`.
struct TlbFlushParams : base::ParamSet {
  std::uint64_t tlb_single_page_flush_ceiling = 33;

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "tlb_single_page_flush_ceiling",
             .text = "Ranges of more pages flush everything of the mm; up to it they are flushed page by page",
             .unit = "pages"},
            tlb_single_page_flush_ceiling, {0, 1e9});
  }
};

/// Flushes of user translations: first the own TLB, then those of the other CPUs in mm_cpumask, by calls. Sources:
/// Linux v4.13, v4.14, v4.17, v4.19 and v5.0 arch/x86/mm/tlb.c. The version is that of the SwitchMm. What a call asks
/// for lies in a line of the caller, which the called CPUs read. Who unmaps reports to the stale-translation check,
/// with range_function() as the one that owes the flush.
class TlbFlusher {
 public:
  static constexpr Address kFlushAll = ~Address{0};  ///< TLB_FLUSH_ALL

  TlbFlusher(const TlbFlushParams& params, const X86Costs& costs, const KernelServices& services, SwitchMm& switch_mm,
             Smp& smp, FlushMutation mutation = FlushMutation::none);

  /// `end` may be kFlushAll. `freed_tables`: page-table pages go with the range, so that from 4.20 on lazy CPUs must
  /// drop them as well. Waits until every CPU is done; interrupts are on.
  void flush_tlb_mm_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end,
                          bool freed_tables = false);
  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) {
    const Address start = va & ~(kPageSize - 1);
    flush_tlb_mm_range(cpu, mm, start, start + kPageSize);
  }
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm) { flush_tlb_mm_range(cpu, mm, 0, kFlushAll, true); }

  /// struct flush_tlb_info of a caller: mm, start, end, new_tlb_gen.
  Address flush_tlb_info(unsigned cpu) const { return services_.layout.per_cpu(info_, cpu); }
  cpu::FunctionId range_function() const { return range_; }

 private:
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : received(group, "tlb_flushes_received", "count", "Calls for a flush that reached a CPU with the mm loaded"),
          to_init_mm(group, "tlb_lazy_to_init_mm", "count", "Lazy CPUs that a flush made switch to init_mm"),
          lazy_skipped(group, "tlb_lazy_skipped", "count", "Lazy CPUs that a flush did not call") {}
    base::Counter received, to_init_mm, lazy_skipped;
  };
  /// What the caller's flush_tlb_info says.
  struct Request {
    const AddressSpace& mm;
    Address info = 0;
    Address start = 0;
    Address end = 0;
    std::uint64_t new_tlb_gen = 0;
    bool freed_tables = false;

    Address mm_field() const { return info; }
    Address start_field() const { return info + 8; }
    Address end_field() const { return info + 16; }
    Address new_tlb_gen_field() const { return info + 24; }
  };

  std::uint64_t inc_mm_tlb_gen(cpu::CpuOps& cpu, const AddressSpace& mm);
  void native_flush_tlb_others(cpu::CpuOps& cpu, const Request& f);
  void flush_tlb_func_remote(cpu::CpuOps& cpu, const Request& f);
  void flush_tlb_func_common(cpu::CpuOps& cpu, const Request& f, bool local);
  void flush_4_13(cpu::CpuOps& cpu, const Request& f, bool local);
  void flush_range(cpu::CpuOps& cpu, const Request& f, unsigned asid, bool local);
  void flush_all(cpu::CpuOps& cpu, bool local);
  void flush_tlb_one_user(cpu::CpuOps& cpu, Address va, unsigned asid);
  void count(const Request& f, bool others);
  /// For the tracepoint.
  static TlbFlushReason reason(bool local);
  static std::int64_t pages(const Request& f);
  bool from(MmVersion version) const { return switch_mm_.params().version >= version; }
  /// Tests only: this part of the flush is left out.
  bool left_out(bool local) const {
    return mutation_ == (local ? FlushMutation::flush_tlb_func_local : FlushMutation::flush_tlb_func_remote);
  }

  const TlbFlushParams params_;
  const X86Costs costs_;
  const KernelServices services_;
  SwitchMm& switch_mm_;
  Smp& smp_;
  const FlushMutation mutation_;
  Stats stats_;
  const Address info_;
  const cpu::FunctionId range_, others_, remote_, common_;
};

}  // namespace switchyard::kernel::x86

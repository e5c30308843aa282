// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/rmap.h"
#include "kernel/shmem.h"

namespace switchyard::kernel {

/// What becomes of reclaimed pages, and how faults bring them back.
struct ReclaimParams : base::ParamSet {
  SwapKind swap = SwapKind::none;
  std::uint64_t swap_pages = 4096;
  bool clear_accessed = true;
  std::uint64_t fault_around = 16;

  void visit(base::ParamVisitor& v) override {
    static constexpr std::string_view kKinds[] = {"none", "zram"};
    v.choice({.key = "swap", .text = "Where dirty pages go; without swap they stay in the page cache"}, swap, kKinds);
    v.value({.key = "swap_pages", .text = "Size of the swap area", .unit = "pages"}, swap_pages, {1, 1 << 20});
    v.value({.key = "clear_accessed",
             .text = "MADV_PAGEOUT clears accessed bits and looks at references (to 6.9), or ignores both"},
            clear_accessed);
    v.value({.key = "fault_around",
             .text = "Pages of the page cache that one read fault maps, a power of two; 1 means none",
             .unit = "pages"},
            fault_around, {1, 512});
  }
  std::string check() const override {
    if ((fault_around & (fault_around - 1)) == 0) return "";
    return "fault_around must be a power of two, got " + std::to_string(fault_around);
  }
};

/// madvise(MADV_PAGEOUT): the walk over the entries and the reclaim of what it finds. Sources: Linux v6.7
/// mm/madvise.c, mm/vmscan.c, mm/mmu_gather.c.
class Reclaim {
 public:
  Reclaim(const ReclaimParams& params, const MmServices& services, Rmap& rmap, Shmem& shmem);

  /// `start` and `end` are page aligned and lie in `vma`.
  void madvise_pageout(cpu::CpuOps& cpu, Thread& current, const Vma& vma, Address start, Address end);

 private:
  /// The range whose entries changed and are flushed at the end (struct mmu_gather).
  struct Gather {
    Address start = ~Address{0};
    Address end = 0;
    void add(Address va) {
      start = va < start ? va : start;
      end = va + kPageSize > end ? va + kPageSize : end;
    }
  };
  enum class Fate : std::uint8_t { keep, activate, free };

  void madvise_cold_or_pageout_pte_range(cpu::CpuOps& cpu, Thread& current, const Vma& vma, Address start, Address end,
                                         Gather& gather);
  void isolate(cpu::CpuOps& cpu, Address va, Address entry, Address isolated, Gather& gather);
  void reclaim_pages(cpu::CpuOps& cpu, Thread& current, Address isolated);
  void shrink_folio_list(cpu::CpuOps& cpu, Thread& current, Address isolated);
  Fate shrink_folio(cpu::CpuOps& cpu, Thread& current, Folio folio);
  bool pageout(cpu::CpuOps& cpu, Thread& current, PageCache& cache, Folio folio);
  void tlb_finish_mmu(cpu::CpuOps& cpu, const AddressSpace& mm, const Gather& gather);

  const ReclaimParams params_;
  const MmServices services_;
  Rmap& rmap_;
  Shmem& shmem_;
  const cpu::FunctionId madvise_, walk_, pte_range_, reclaim_, shrink_, pageout_, finish_;
};

}  // namespace switchyard::kernel

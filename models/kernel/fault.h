// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/anon_fault.h"
#include "kernel/reclaim.h"

namespace switchyard::kernel {

/// Page faults of user code on shared and private anonymous memory. Sources: Linux v6.7 arch/riscv/mm/fault.c,
/// mm/memory.c, mm/filemap.c, mm/shmem.c. A fault runs under the area's own lock (per-VMA locks).
class PageFault {
 public:
  PageFault(const ReclaimParams& params, const MmServices& services, Rmap& rmap, Shmem& shmem);

  /// Makes `va` accessible; throws ConfigError when the program has no memory there.
  void do_page_fault(cpu::CpuOps& cpu, Thread& current, AddressSpace& mm, Address va, cpu::Access access);

 private:
  struct Fault {
    Thread& current;
    AddressSpace& mm;
    Vma& vma;
    Address va;
    Address entry;
    bool write;
  };

  Vma& lock_vma(cpu::CpuOps& cpu, AddressSpace& mm, Address va);
  void handle_pte_fault(cpu::CpuOps& cpu, Fault& fault);
  void do_read_fault(cpu::CpuOps& cpu, Fault& fault);
  void do_shared_fault(cpu::CpuOps& cpu, Fault& fault);
  void set_access_flags(cpu::CpuOps& cpu, const Fault& fault);
  /// Maps what the page cache has around the address; true when that includes the address itself.
  bool filemap_map_pages(cpu::CpuOps& cpu, const Fault& fault);
  /// The next folio from `va` on that is there, up to date and free, referenced and locked; `va` moves to it. Address
  /// 0 when there is none before `end`. `area` is where the mapping starts.
  Folio next_uptodate_folio(cpu::CpuOps& cpu, const PageCache& cache, Address area, Address& va, Address end);
  void finish_fault(cpu::CpuOps& cpu, const Fault& fault, Folio folio);
  void set_pte_range(cpu::CpuOps& cpu, Folio folio, Address va, Address entry, bool write);

  const ReclaimParams params_;
  const MmServices services_;
  Rmap& rmap_;
  Shmem& shmem_;
  const cpu::FunctionId page_fault_, handle_mm_, read_, shared_;
  AnonFault anon_;
  const cpu::FunctionId around_, next_, finish_, set_pte_, dirty_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/mm_services.h"
#include "kernel/user_mm.h"

namespace switchyard::kernel {

/// struct mmu_gather: what is unmapped, and the pages and page tables that are freed after the flush. The first pages
/// are noted on the kernel stack, more of them in pages of their own. Source: Linux v4.17 and v5.8 mm/mmu_gather.c,
/// include/asm-generic/tlb.h. All that it keeps on the host is of fixed size.
class MmuGather {
 public:
  /// Of an address space that ends, or of `start` to `end` of one.
  MmuGather(const MmServices& services, UserMm& arch, const Thread& current, const AddressSpace& mm);
  MmuGather(const MmServices& services, UserMm& arch, const Thread& current, const AddressSpace& mm, Address start,
            Address end);

  void begin(cpu::CpuOps& cpu);

  /// An entry for `va` was cleared (__tlb_adjust_range).
  void add(cpu::CpuOps& cpu, Address va, cpu::FunctionId owner);
  /// A page to be freed. False: flush_mmu() has to come before the next one.
  bool remove_page(cpu::CpuOps& cpu, Folio folio);
  /// A page table that covered `va`.
  bool remove_table(cpu::CpuOps& cpu, Address va, Folio table);
  /// Flushes, then frees what has been gathered (tlb_flush_mmu).
  void flush_mmu(cpu::CpuOps& cpu);
  /// The same at the end, with the pages that it used itself.
  void finish(cpu::CpuOps& cpu);

 private:
  static constexpr unsigned kBundle = 8;         ///< MMU_GATHER_BUNDLE
  static constexpr unsigned kBatch = 510;        ///< words of a page behind next, nr and max
  static constexpr unsigned kMostBatches = 19;   ///< MAX_GATHER_BATCH_COUNT
  static constexpr std::uint64_t kFrame = 2112;  ///< depth of the bundle on the stack
  static constexpr std::uint64_t kWords = 16;    ///< offset of the words in a batch

  Address words(Address batch) const { return batch == 0 ? bundle_ : batch + kWords; }
  bool next_batch(cpu::CpuOps& cpu);
  Address following(cpu::CpuOps& cpu, Address batch) const { return batch == 0 ? first_ : cpu.load(batch); }

  const MmServices& services_;
  UserMm& arch_;
  const AddressSpace& mm_;
  const Address start_, end_;
  UserMm::Unmapped unmapped_;
  const Address bundle_;
  Address first_ = 0;    ///< the first page of words; 0 for none
  Address current_ = 0;  ///< where the next word goes; 0: the bundle
  unsigned used_ = 0;    ///< words in it
  unsigned batches_ = 0;
};

}  // namespace switchyard::kernel

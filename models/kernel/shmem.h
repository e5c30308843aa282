// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "kernel/mm_services.h"
#include "kernel/swap.h"

namespace switchyard::kernel {

/// The page cache of shared anonymous memory. Source: Linux v6.7 mm/shmem.c, mm/filemap.c.
class Shmem {
 public:
  Shmem(const MmServices& services, Swap& swap);

  /// An inode of `pages` pages, all of them holes.
  std::unique_ptr<PageCache> make(const std::string& name, std::uint64_t pages);
  /// The cache that a struct page's `mapping` names.
  PageCache& cache_at(Address inode) const { return *caches_.at(inode); }
  /// What the slot holds: a struct page, a swap entry (bit 0 set) or 0.
  std::uint64_t load_slot(cpu::CpuOps& cpu, const PageCache& cache, std::uint64_t index) const;

  /// The folio at `index`, locked and referenced; swapped in or made if need be.
  Folio shmem_get_folio(cpu::CpuOps& cpu, Thread& current, PageCache& cache, std::uint64_t index);
  /// Moves a clean-marked folio to swap. False: there is none, the folio is dirty again and stays.
  bool shmem_writepage(cpu::CpuOps& cpu, PageCache& cache, Folio folio);
  /// Drops a written folio from the swap cache; it has no user afterwards.
  void remove_mapping(cpu::CpuOps& cpu, Folio folio);

 private:
  /// Each returns a folio of address 0 when another CPU was faster.
  Folio find_lock(cpu::CpuOps& cpu, const PageCache& cache, Folio folio);
  Folio add_new(cpu::CpuOps& cpu, PageCache& cache, std::uint64_t index);
  Folio shmem_swapin_folio(cpu::CpuOps& cpu, Thread& current, PageCache& cache, std::uint64_t index,
                           std::uint64_t entry);
  /// A locked folio that is no folio of the cache yet.
  Folio new_folio(cpu::CpuOps& cpu, const PageCache& cache, std::uint64_t index);
  /// Replaces `expected` in the slot by `value`; false when it holds something else.
  bool replace(cpu::CpuOps& cpu, PageCache& cache, std::uint64_t index, std::uint64_t expected, std::uint64_t value);

  const MmServices services_;
  Swap& swap_;
  std::map<Address, PageCache*> caches_;
  unsigned made_ = 0;
  const cpu::FunctionId get_, add_, swapin_, writepage_, remove_;
};

}  // namespace switchyard::kernel

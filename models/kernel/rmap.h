// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/mm_services.h"

namespace switchyard::kernel {

/// Reverse mapping and the flushes that unmapping owes. Source: Linux v6.7 mm/rmap.c, mm/pgtable-generic.c.
class Rmap {
 public:
  explicit Rmap(const MmServices& services);

  /// Number of entries of the folio that were young; makes them old.
  unsigned folio_referenced(cpu::CpuOps& cpu, const PageCache& cache, Folio folio);
  /// Removes every entry that maps the folio. Flushes each, or adds it to the batch of `current`.
  void try_to_unmap(cpu::CpuOps& cpu, Thread& current, const PageCache& cache, Folio folio);
  /// Does the flush that the batch of `current` owes, if any.
  void try_to_unmap_flush(cpu::CpuOps& cpu, Thread& current);
  /// The same before a page goes to I/O: only if a dirty, thus probably writable, entry is in the batch.
  void try_to_unmap_flush_dirty(cpu::CpuOps& cpu, Thread& current);
  /// Called under the page-table lock before entries are worked on: flushes if a batch may still be open.
  void flush_tlb_batched_pending(cpu::CpuOps& cpu, const AddressSpace& mm);
  /// A new mapping of a page-cache folio.
  void folio_add_file_rmap(cpu::CpuOps& cpu, Folio folio);

  static constexpr std::uint64_t kPendingMask = 0x7fff;
  static constexpr std::uint64_t kPendingLarge = kPendingMask / 2;
  static constexpr unsigned kFlushedShift = 16;

 private:
  template <class F>
  void walk(cpu::CpuOps& cpu, const PageCache& cache, Folio folio, F visit);
  void try_to_unmap_one(cpu::CpuOps& cpu, Thread& current, const Vma& vma, Address va, Address entry, Folio folio);
  std::uint64_t ptep_clear_flush(cpu::CpuOps& cpu, const AddressSpace& mm, Address va, Address entry);
  void set_tlb_ubc_flush_pending(cpu::CpuOps& cpu, Thread& current, const AddressSpace& mm, bool writable);
  void do_flush(cpu::CpuOps& cpu, Thread& current, FlushMutation skipped);
  void unmapped(cpu::CpuOps& cpu, const AddressSpace& mm, Address va, cpu::FunctionId owner) const;

  const MmServices services_;
  const cpu::FunctionId referenced_, unmap_, unmap_one_, clear_flush_, pending_, flush_, flush_dirty_, batched_pending_;
};

}  // namespace switchyard::kernel

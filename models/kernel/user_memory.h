// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "kernel/anon_fault.h"
#include "kernel/costs/process_costs.h"
#include "kernel/mmu_gather.h"
#include "kernel/rwsem.h"
#include "kernel/slab_cache.h"

namespace switchyard::kernel {

/// The private memory of processes: areas, demand faults, unmapping, copies by fork, and the end of an address space.
/// Sources: Linux v4.17 and v5.8 mm/{mmap,memory,madvise}.c, kernel/fork.c (dup_mmap, mmput). All of it runs under
/// mmap_sem. Neighbouring areas are not merged. An area lies at the lowest address that is free (the kernel: the
/// highest).
class UserMemory {
 public:
  UserMemory(const ProcessCosts& costs, const MmServices& services, UserMm& arch, PageTable& tables);

  /// Makes `va` accessible; throws ConfigError when the program has no memory there.
  void do_page_fault(cpu::CpuOps& cpu, AddressSpace& mm, Address va, cpu::Access access);
  /// Maps `bytes`, whole pages, between `from` and `to`; returns where.
  Address mmap(cpu::CpuOps& cpu, AddressSpace& mm, Address from, Address to, std::uint64_t bytes);
  /// Unmap and forget the whole pages from `start` to `end`; areas are divided where they begin or end inside.
  void munmap(cpu::CpuOps& cpu, const Thread& current, AddressSpace& mm, Address start, Address end);
  /// madvise(MADV_DONTNEED).
  void madvise_dontneed(cpu::CpuOps& cpu, const Thread& current, AddressSpace& mm, Address start, Address end);

  /// An empty address space with one user, whose mm_struct begins as a copy of that of `like`.
  AddressSpace& mm_alloc(cpu::CpuOps& cpu, const AddressSpace& like, const std::string& name);
  /// Copies the areas of `from`, and the entries of those with pages of its own: both sides may only read them.
  void dup_mmap(cpu::CpuOps& cpu, AddressSpace& from, AddressSpace& to);
  /// An area of a page of code.
  void map_text(cpu::CpuOps& cpu, AddressSpace& mm, Address va, Address page);
  /// One user less; the last one gives all pages and tables back but the root.
  void mmput(cpu::CpuOps& cpu, const Thread& current, AddressSpace& mm);
  /// mm_count is 0: root and mm_struct go back.
  void mmdrop(cpu::CpuOps& cpu, AddressSpace& mm);

  Rwsem mmap_sem(const AddressSpace& mm) const { return {services_.atomics, mm.fields.mmap_lock()}; }
  MemoryNode& node() { return services_.node; }

 private:
  // user_memory.cpp
  Vma& find_vma(cpu::CpuOps& cpu, const AddressSpace& mm, Address va);
  void handle_pte_fault(cpu::CpuOps& cpu, const Vma& vma, const AnonFault::Fault& fault);
  void map_file_page(cpu::CpuOps& cpu, const Vma& vma, const AnonFault::Fault& fault);
  Vma& insert_vma(cpu::CpuOps& cpu, AddressSpace& mm, Address start, Address end, MapKind kind);
  void split_vma(cpu::CpuOps& cpu, AddressSpace& mm, Address at);
  void copy_vma(cpu::CpuOps& cpu, const Vma& from, AddressSpace& to);
  void copy_page_range(cpu::CpuOps& cpu, const Vma& vma, const AddressSpace& from, const AddressSpace& to);
  void copy_one_pte(cpu::CpuOps& cpu, const AddressSpace& from, Address va, Address source, Address target);

  // user_memory_unmap.cpp
  void detach(cpu::CpuOps& cpu, AddressSpace& mm, Address start, Address end);
  void unmap_detached(cpu::CpuOps& cpu, MmuGather& gather, AddressSpace& mm);
  void exit_mmap(cpu::CpuOps& cpu, const Thread& current, AddressSpace& mm);
  void zap_range(cpu::CpuOps& cpu, MmuGather& gather, const Vma& vma, Address start, Address end);
  /// One page-table page of it; returns the address to go on at.
  Address zap_pte_range(cpu::CpuOps& cpu, MmuGather& gather, const Vma& vma, Address start, Address end);
  bool zap_pte(cpu::CpuOps& cpu, MmuGather& gather, Address va, Address entry, std::int64_t& pages);
  void free_pgtables(cpu::CpuOps& cpu, MmuGather& gather, const AddressSpace& mm, const Vma& vma, unsigned level);
  void remove_detached(cpu::CpuOps& cpu, AddressSpace& mm);

  const ProcessCosts costs_;
  const MmServices services_;
  UserMm& arch_;
  PageTable& tables_;
  AnonFault anon_;
  SlabCache vmas_, mms_;
  std::vector<std::unique_ptr<AddressSpace>> spaces_;
  std::vector<AddressSpace*> free_spaces_;
  const cpu::FunctionId fault_, handle_mm_, file_, mmap_, munmap_, dontneed_, zap_, pgtables_, dup_mmap_, copy_range_,
      exit_mmap_, mmdrop_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/address_space.h"
#include "kernel/folio.h"
#include "kernel/kernel_services.h"
#include "kernel/rest_costs.h"

namespace switchyard::kernel {

/// The memory node's shared objects: page lists, LRU lists, statistics. Sources: Linux v6.7 mm/{swap,vmscan,
/// page_alloc,vmstat,memcontrol}.c. Statistics are per-CPU words; lists are real.
class MemoryNode {
 public:
  static constexpr unsigned kBatch = 15;  ///< PAGEVEC_SIZE

  MemoryNode(const KernelServices& services, const RestCosts& rest);

  /// A page with a reference and no flags, from the CPU's own free list.
  Folio alloc_folio(cpu::CpuOps& cpu);
  void free_unref_page(cpu::CpuOps& cpu, Folio folio);
  void clear_page(cpu::CpuOps& cpu, Folio folio);
  void copy_page(cpu::CpuOps& cpu, Folio to, Folio from);
  /// put_page: frees the folio with its last reference.
  void put_page(cpu::CpuOps& cpu, Folio folio);
  /// put_page of the `count` folios whose struct pages the words from `words` on name: those that are freed leave the
  /// LRU lists under one lock. The words are overwritten.
  void release_pages(cpu::CpuOps& cpu, Address words, unsigned count);
  /// The kernel's address of the page's contents.
  Address contents(Folio folio) const { return services_.layout.linear(services_.layout.page_of(folio.page)); }
  Folio folio_of(Address pa) const { return {services_.layout.page_struct(pa)}; }

  /// Takes the folio off its LRU list if it is on one; then it carries one more reference.
  bool folio_isolate_lru(cpu::CpuOps& cpu, Folio folio);
  /// Queues the folio for an LRU list; a full batch moves to the lists under the lock.
  void folio_add_lru(cpu::CpuOps& cpu, Folio folio);
  /// Gives an isolated folio back.
  void folio_putback_lru(cpu::CpuOps& cpu, Folio folio);
  void lru_add_drain(cpu::CpuOps& cpu);

  void mod_lruvec_state(cpu::CpuOps& cpu);
  void count_vm_event(cpu::CpuOps& cpu);
  /// Adds to a member of mm->rss_stat: the counter's head is read, the CPU's own word written.
  void add_mm_counter(cpu::CpuOps& cpu, const AddressSpace& mm, RssMember member, std::int64_t pages);

  Address lru_lock() const { return lruvec_ + 80; }

 private:
  Address lru_list(bool active) const { return lruvec_ + (active ? 16 : 0); }
  void drain_batch(cpu::CpuOps& cpu);
  void bump(cpu::CpuOps& cpu, Address word, std::uint64_t amount = 1);
  Address own(cpu::CpuOps& cpu, Address cpu0) const { return services_.layout.per_cpu(cpu0, cpu.id()); }

  const KernelServices services_;
  const RestCosts& rest_;
  const Address lruvec_, zone_stat_, memcg_stat_, events_, pageset_, batch_, rss_;
  const cpu::FunctionId isolate_, add_, drain_, putback_, alloc_, free_, clear_, copy_, release_;
};

}  // namespace switchyard::kernel

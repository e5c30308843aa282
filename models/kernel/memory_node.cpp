// SPDX-License-Identifier: Apache-2.0
#include "kernel/memory_node.h"

#include <utility>

#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

MemoryNode::MemoryNode(const KernelServices& services, const RestCosts& rest)
    : services_(services),
      rest_(rest),
      lruvec_(services.layout.add_slab("lruvec", 192, 64)),
      zone_stat_(services.layout.add_per_cpu("boot_nodestats", 64, 64)),
      memcg_stat_(services.layout.add_per_cpu("memcg_vmstats_percpu", 128, 64)),
      events_(services.layout.add_per_cpu("vm_event_states", 64, 64)),
      pageset_(services.layout.add_per_cpu("boot_pageset", 64, 64)),
      batch_(services.layout.add_per_cpu("cpu_fbatches.lru_add", 128, 64)),
      rss_(services.layout.add_per_cpu("mm.rss_stat", 16, 8)),
      isolate_(services.functions.add("folio_isolate_lru", Domain::kernel)),
      add_(services.functions.add("folio_add_lru", Domain::kernel)),
      drain_(services.functions.add("folio_batch_move_lru", Domain::kernel)),
      putback_(services.functions.add("folio_putback_lru", Domain::kernel)),
      alloc_(services.functions.add("get_page_from_freelist", Domain::kernel)),
      free_(services.functions.add("free_unref_page", Domain::kernel)),
      clear_(services.functions.add("clear_page", Domain::kernel)),
      copy_(services.functions.add("copy_page", Domain::kernel)),
      release_(services.functions.add("release_pages", Domain::kernel)) {}

void MemoryNode::bump(CpuOps& cpu, Address word, std::uint64_t amount) {
  cpu.store(word, cpu.load(word, 4) + amount, 4);
}

Folio MemoryNode::alloc_folio(CpuOps& cpu) {
  const auto scope = cpu.function(alloc_);
  cpu.execute(services_.costs.call);
  bump(cpu, own(cpu, pageset_));
  const Folio folio = folio_of(services_.layout.pages().allocate());
  cpu.store(folio.flags(), 0);
  cpu.store(folio.private_data(), 0);
  cpu.store(folio.mapcount(), 0, 4);
  cpu.store(folio.refcount(), 1, 4);
  return folio;
}

void MemoryNode::free_unref_page(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(free_);
  cpu.execute(services_.costs.call);
  cpu.store(folio.flags(), 0);
  cpu.store(folio.mapping(), 0);
  bump(cpu, own(cpu, pageset_));
  services_.layout.pages().free(services_.layout.page_of(folio.page));
}

void MemoryNode::clear_page(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(clear_);
  const Address start = contents(folio);
  for (Address at = start; at < start + kPageSize; at += 64) {
    cpu.store_zeros(at, 64);
    cpu.execute(services_.costs.per_line);
  }
}

void MemoryNode::copy_page(CpuOps& cpu, Folio to, Folio from) {
  const auto scope = cpu.function(copy_);
  const Address source = contents(from), target = contents(to);
  for (std::uint64_t offset = 0; offset < kPageSize; offset += 64) {
    cpu.copy(target + offset, source + offset, 64);
    cpu.execute(services_.costs.per_line);
  }
}

void MemoryNode::put_page(CpuOps& cpu, Folio folio) {
  if (folio.put(services_.atomics, cpu) != 0) return;
  if ((cpu.load(folio.flags()) & Folio::kLru) != 0) {
    const SpinGuard guard(services_.locks, cpu, lru_lock());
    list::remove(cpu, folio.lru());
    mod_lruvec_state(cpu);
  }
  free_unref_page(cpu, folio);
}

void MemoryNode::release_pages(CpuOps& cpu, Address words, unsigned count) {
  const auto scope = cpu.function(release_);
  bool locked = false;
  for (unsigned i = 0; i < count; ++i) {
    const Folio folio{cpu.load(words + 8 * i)};
    cpu.execute(services_.costs.call);
    if (folio.put(services_.atomics, cpu) != 0) {
      cpu.store(words + 8 * i, 0);
      continue;
    }
    if ((cpu.load(folio.flags()) & Folio::kLru) == 0) continue;
    if (!std::exchange(locked, true)) services_.locks.spin_lock(cpu, lru_lock());
    list::remove(cpu, folio.lru());
    mod_lruvec_state(cpu);
  }
  if (locked) services_.locks.spin_unlock(cpu, lru_lock());
  for (unsigned i = 0; i < count; ++i)
    if (const std::uint64_t page = cpu.load(words + 8 * i); page != 0) free_unref_page(cpu, Folio{page});
}

bool MemoryNode::folio_isolate_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(isolate_);
  cpu.execute(services_.costs.call);
  if (!folio.test_and_clear(services_.atomics, cpu, Folio::kLru)) return false;
  rest_.spend(cpu, PageStep::isolate);
  folio.get(services_.atomics, cpu);
  const SpinGuard guard(services_.locks, cpu, lru_lock());
  list::remove(cpu, folio.lru());
  mod_lruvec_state(cpu);
  return true;
}

void MemoryNode::folio_add_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(add_);
  cpu.execute(services_.costs.call);
  folio.get(services_.atomics, cpu);
  const Address batch = own(cpu, batch_);
  const std::uint64_t count = cpu.load(batch, 1);
  cpu.store(batch + 8 + 8 * count, folio.page);
  cpu.store(batch, count + 1, 1);
  if (count + 1 == kBatch) drain_batch(cpu);
}

void MemoryNode::folio_putback_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(putback_);
  folio_add_lru(cpu, folio);
  folio.put(services_.atomics, cpu);
}

void MemoryNode::lru_add_drain(CpuOps& cpu) {
  if (cpu.load(own(cpu, batch_), 1) != 0) drain_batch(cpu);
}

void MemoryNode::drain_batch(CpuOps& cpu) {
  const auto scope = cpu.function(drain_);
  cpu.execute(services_.costs.call);
  const Address batch = own(cpu, batch_);
  const std::uint64_t count = cpu.load(batch, 1);
  {
    const SpinGuard guard(services_.locks, cpu, lru_lock());
    for (std::uint64_t i = 0; i < count; ++i) {
      const Folio folio{cpu.load(batch + 8 + 8 * i)};
      const bool active = (services_.atomics.fetch_or(cpu, folio.flags(), Folio::kLru) & Folio::kActive) != 0;
      list::add(cpu, folio.lru(), lru_list(active));
      mod_lruvec_state(cpu);
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) put_page(cpu, Folio{cpu.load(batch + 8 + 8 * i)});
  cpu.store(batch, 0, 1);
}

void MemoryNode::mod_lruvec_state(CpuOps& cpu) {
  bump(cpu, own(cpu, zone_stat_));
  bump(cpu, own(cpu, memcg_stat_));
}

void MemoryNode::count_vm_event(CpuOps& cpu) { bump(cpu, own(cpu, events_)); }

void MemoryNode::add_mm_counter(CpuOps& cpu, const AddressSpace& mm, RssMember member, std::int64_t pages) {
  cpu.load(mm.fields.rss_stat(member));
  bump(cpu, own(cpu, rss_) + 4 * member, static_cast<std::uint64_t>(pages));
}

}  // namespace switchyard::kernel

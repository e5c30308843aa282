// SPDX-License-Identifier: Apache-2.0
#include "kernel/memory_node.h"

#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

MemoryNode::MemoryNode(Layout& layout, cpu::FunctionTable& functions, const RiscvCosts& costs, const RestCosts& rest)
    : layout_(layout),
      costs_(costs),
      rest_(rest),
      lruvec_(layout.add_slab("lruvec", 192, 64)),
      zone_stat_(layout.add_per_cpu("boot_nodestats", 64, 64)),
      memcg_stat_(layout.add_per_cpu("memcg_vmstats_percpu", 128, 64)),
      events_(layout.add_per_cpu("vm_event_states", 64, 64)),
      pageset_(layout.add_per_cpu("boot_pageset", 64, 64)),
      batch_(layout.add_per_cpu("cpu_fbatches.lru_add", 128, 64)),
      rss_(layout.add_per_cpu("mm.rss_stat", 16, 8)),
      isolate_(functions.add("folio_isolate_lru", Domain::kernel)),
      add_(functions.add("folio_add_lru", Domain::kernel)),
      drain_(functions.add("folio_batch_move_lru", Domain::kernel)),
      putback_(functions.add("folio_putback_lru", Domain::kernel)),
      alloc_(functions.add("get_page_from_freelist", Domain::kernel)),
      free_(functions.add("free_unref_page", Domain::kernel)),
      clear_(functions.add("clear_page", Domain::kernel)) {}

void MemoryNode::bump(CpuOps& cpu, Address word, std::uint64_t amount) {
  cpu.store(word, cpu.load(word, 4) + amount, 4);
}

Folio MemoryNode::alloc_folio(CpuOps& cpu) {
  const auto scope = cpu.function(alloc_);
  cpu.execute(costs_.call);
  bump(cpu, own(cpu, pageset_));
  const Folio folio = folio_of(layout_.pages().allocate());
  cpu.store(folio.flags(), 0);
  cpu.store(folio.private_data(), 0);
  cpu.store(folio.mapcount(), 0, 4);
  cpu.store(folio.refcount(), 1, 4);
  return folio;
}

void MemoryNode::free_unref_page(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(free_);
  cpu.execute(costs_.call);
  cpu.store(folio.flags(), 0);
  cpu.store(folio.mapping(), 0);
  bump(cpu, own(cpu, pageset_));
  layout_.pages().free(layout_.page_of(folio.page));
}

void MemoryNode::clear_page(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(clear_);
  const Address start = contents(folio);
  for (Address at = start; at < start + kPageSize; at += 64) {
    cpu.store(at, 0);
    cpu.execute(costs_.per_line);
  }
}

bool MemoryNode::folio_isolate_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(isolate_);
  cpu.execute(costs_.call);
  if (!folio.test_and_clear(cpu, Folio::kLru)) return false;
  rest_.spend(cpu, PageStep::isolate);
  folio.get(cpu);
  const SpinGuard guard(cpu, lru_lock());
  list::remove(cpu, folio.lru());
  mod_lruvec_state(cpu);
  return true;
}

void MemoryNode::folio_add_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(add_);
  cpu.execute(costs_.call);
  folio.get(cpu);
  const Address batch = own(cpu, batch_);
  const std::uint64_t count = cpu.load(batch, 1);
  cpu.store(batch + 8 + 8 * count, folio.page);
  cpu.store(batch, count + 1, 1);
  if (count + 1 == kBatch) drain_batch(cpu);
}

void MemoryNode::folio_putback_lru(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(putback_);
  folio_add_lru(cpu, folio);
  folio.put(cpu);
}

void MemoryNode::lru_add_drain(CpuOps& cpu) {
  if (cpu.load(own(cpu, batch_), 1) != 0) drain_batch(cpu);
}

void MemoryNode::drain_batch(CpuOps& cpu) {
  const auto scope = cpu.function(drain_);
  cpu.execute(costs_.call);
  const Address batch = own(cpu, batch_);
  const std::uint64_t count = cpu.load(batch, 1);
  {
    const SpinGuard guard(cpu, lru_lock());
    for (std::uint64_t i = 0; i < count; ++i) {
      const Folio folio{cpu.load(batch + 8 + 8 * i)};
      const bool active = (cpu.atomic(cpu::AtomicOp::bit_or, folio.flags(), Folio::kLru) & Folio::kActive) != 0;
      list::add(cpu, folio.lru(), lru_list(active));
      mod_lruvec_state(cpu);
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) Folio{cpu.load(batch + 8 + 8 * i)}.put(cpu);
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

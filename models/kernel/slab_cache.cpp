// SPDX-License-Identifier: Apache-2.0
#include "kernel/slab_cache.h"

namespace switchyard::kernel {

using cpu::CpuOps;

SlabCache::SlabCache(const KernelServices& services, const SlabCosts& costs, const Kind& kind)
    : services_(services),
      costs_(costs),
      kind_(kind),
      cpu_slab_(services.layout.add_per_cpu(kind.name + ".kmem_cache_cpu", 32, 32)),
      node_(services.layout.add_slab(kind.name + ".kmem_cache_node", 64, 64)),
      cpus_(services.layout.cpus()),
      allocate_(services.functions.add("kmem_cache_alloc", cpu::Domain::kernel)),
      free_(services.functions.add("kmem_cache_free", cpu::Domain::kernel)) {}

// The fast path swaps freelist and tid of this CPU with cmpxchg16b without a lock prefix.
Address SlabCache::allocate(CpuOps& cpu) {
  const auto scope = cpu.function(allocate_);
  cpu.execute(costs_.allocate);
  CpuSlab& own = cpus_[cpu.id()];
  cpu.load(cpu_slab(cpu));
  if (own.free.empty()) refill(cpu, own);
  const Address object = own.free.back();
  own.free.pop_back();
  cpu.load(object);  // the pointer to the next one
  cpu.store(cpu_slab(cpu), own.free.empty() ? 0 : own.free.back());
  return object;
}

// ___slab_alloc: what others have freed in the own slab, then a slab of this CPU's list, of the node's, a new one.
void SlabCache::refill(CpuOps& cpu, CpuSlab& own) {
  const bool interrupts = cpu.set_interrupts(false);
  cpu.execute(costs_.refill);
  while (own.free.empty()) {
    if (own.slab == nullptr) own.slab = &take_partial(cpu, own);
    own.slab->frozen = true;
    services_.atomics.xchg(cpu, freelist(*own.slab), 0);
    own.free.swap(own.slab->free);
    if (!own.free.empty()) break;
    own.slab->frozen = false;  // full: no list has it until somebody frees one of its objects
    own.slab = nullptr;
  }
  cpu.store(cpu_slab(cpu) + 16, own.slab->page);
  cpu.set_interrupts(interrupts);
}

SlabCache::Slab& SlabCache::take_partial(CpuOps& cpu, CpuSlab& own) {
  cpu.load(cpu_slab(cpu) + 24);
  if (!own.partial.empty()) {
    Slab& slab = *own.partial.back();
    own.partial.pop_back();
    cpu.store(cpu_slab(cpu) + 24, own.partial.empty() ? 0 : own.partial.back()->page);
    return slab;
  }
  {
    const SpinGuard guard(services_.locks, cpu, node_);
    cpu.load(node_ + 16);
    if (!node_partial_.empty()) {
      Slab& slab = *node_partial_.back();
      node_partial_.pop_back();
      cpu.store(node_ + 16, 0);
      return slab;
    }
  }
  return new_slab(cpu);
}

SlabCache::Slab& SlabCache::new_slab(CpuOps& cpu) {
  cpu.execute(costs_.new_slab);
  const std::uint64_t pages = std::uint64_t{1} << kind_.order;
  Layout& layout = services_.layout;
  const Address memory = layout.pages().allocate_run(pages);
  slabs_.push_back(std::make_unique<Slab>());
  Slab& slab = *slabs_.back();
  slab.page = layout.page_struct(memory);
  for (std::uint64_t page = 0; page < pages; ++page) slab_of_page_[layout.linear(memory) / kPageSize + page] = &slab;
  const std::uint64_t objects = pages * kPageSize / kind_.object_bytes;
  for (std::uint64_t i = objects; i-- != 0;) {
    slab.free.push_back(layout.linear(memory) + i * kind_.object_bytes);
    cpu.store(slab.free.back(), 0);
  }
  return slab;
}

void SlabCache::free(CpuOps& cpu, Address object) {
  const auto scope = cpu.function(free_);
  cpu.execute(costs_.free);
  Slab& slab = *slab_of_page_.at(object / kPageSize);
  CpuSlab& own = cpus_[cpu.id()];
  cpu.load(slab.page);  // virt_to_head_page, its flags and cache
  cpu.load(cpu_slab(cpu) + 16);
  cpu.store(object, 0);
  if (&slab == own.slab) {
    cpu.store(cpu_slab(cpu), object);
    own.free.push_back(object);
    return;
  }
  cpu.execute(costs_.free_elsewhere);
  services_.atomics.xchg(cpu, freelist(slab), object);
  const bool was_full = slab.free.empty();
  slab.free.push_back(object);
  if (was_full && !slab.frozen) put_cpu_partial(cpu, own, slab);
}

void SlabCache::put_cpu_partial(CpuOps& cpu, CpuSlab& own, Slab& slab) {
  slab.frozen = true;
  own.partial.push_back(&slab);
  cpu.store(cpu_slab(cpu) + 24, slab.page);
  if (own.partial.size() <= kind_.partial_objects) return;
  const SpinGuard guard(services_.locks, cpu, node_);
  for (Slab* other : own.partial) {
    services_.atomics.cmpxchg(cpu, freelist(*other), 0, 0);
    other->frozen = false;
    node_partial_.push_back(other);
  }
  cpu.store(node_ + 16, slab.page);
  own.partial.clear();
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/shmem.h"

#include "base/errors.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

Shmem::Shmem(const MmServices& services, Swap& swap)
    : services_(services),
      swap_(swap),
      get_(services.functions.add("shmem_get_folio_gfp", Domain::kernel)),
      add_(services.functions.add("shmem_alloc_and_add_folio", Domain::kernel)),
      swapin_(services.functions.add("shmem_swapin_folio", Domain::kernel)),
      writepage_(services.functions.add("shmem_writepage", Domain::kernel)),
      remove_(services.functions.add("__remove_mapping", Domain::kernel)) {}

std::unique_ptr<PageCache> Shmem::make(const std::string& name, std::uint64_t pages) {
  auto cache = std::make_unique<PageCache>();
  const std::string prefix = name + ".shmem" + std::to_string(made_++);
  cache->inode = services_.layout.add_slab(prefix + ".inode", PageCache::kBytes, 64);
  cache->pages = pages;
  const std::uint64_t leaves = (pages + PageCache::kNodeSlots - 1) / PageCache::kNodeSlots;
  std::uint64_t level = leaves;
  while (level > 1) {
    level = (level + PageCache::kNodeSlots - 1) / PageCache::kNodeSlots;
    cache->inner.push_back(services_.layout.add_slab(prefix + ".xa_node", PageCache::kNodeBytes, 64));
  }
  for (std::uint64_t i = 0; i < leaves; ++i)
    cache->leaves.push_back(services_.layout.add_slab(prefix + ".xa_node", PageCache::kNodeBytes, 64));
  caches_[cache->inode] = cache.get();
  return cache;
}

// One node per upper level stands for the path from the root.
std::uint64_t Shmem::load_slot(CpuOps& cpu, const PageCache& cache, std::uint64_t index) const {
  cpu.load(cache.i_pages_head());
  std::uint64_t child = index / PageCache::kNodeSlots;
  for (const Address node : cache.inner) {
    cpu.load(node + PageCache::kSlotsOffset + 8 * (child % PageCache::kNodeSlots));
    child /= PageCache::kNodeSlots;
  }
  return cpu.load(cache.slot(index));
}

bool Shmem::replace(CpuOps& cpu, PageCache& cache, std::uint64_t index, std::uint64_t expected, std::uint64_t value) {
  const SpinGuard guard(services_.locks, cpu, cache.i_pages_lock());
  if (load_slot(cpu, cache, index) != expected) return false;
  cpu.store(cache.slot(index), value);
  cpu.store(cache.nrpages(), cpu.load(cache.nrpages()) + (value & 1 ? ~std::uint64_t{0} : 1));
  return true;
}

Folio Shmem::shmem_get_folio(CpuOps& cpu, Thread& current, PageCache& cache, std::uint64_t index) {
  const auto scope = cpu.function(get_);
  cpu.execute(services_.costs.call);
  Folio folio;
  while (folio.page == 0) {
    const std::uint64_t value = load_slot(cpu, cache, index);
    if (value == 0)
      folio = add_new(cpu, cache, index);
    else if ((value & 1) != 0)
      folio = shmem_swapin_folio(cpu, current, cache, index, value);
    else
      folio = find_lock(cpu, cache, {value});
  }
  return folio;
}

Folio Shmem::find_lock(CpuOps& cpu, const PageCache& cache, Folio folio) {
  if (!folio.try_get(services_.atomics, cpu)) return {};
  while (folio.test_and_set(services_.atomics, cpu, Folio::kLocked))
    cpu.spin_until(
        {folio.flags()}, [&] { return !folio.test(cpu, Folio::kLocked); }, cpu::Cause::lock_spin);
  if (cpu.load(folio.mapping()) == cache.inode) return folio;
  folio.test_and_clear(services_.atomics, cpu, Folio::kLocked);
  folio.put(services_.atomics, cpu);
  return {};
}

Folio Shmem::new_folio(CpuOps& cpu, const PageCache& cache, std::uint64_t index) {
  const Folio folio = services_.node.alloc_folio(cpu);
  cpu.store(folio.flags(), Folio::kLocked | Folio::kSwapBacked);
  cpu.store(folio.mapping(), cache.inode);
  cpu.store(folio.index(), index);
  return folio;
}

Folio Shmem::add_new(CpuOps& cpu, PageCache& cache, std::uint64_t index) {
  const auto scope = cpu.function(add_);
  cpu.execute(services_.costs.call);
  const Folio folio = new_folio(cpu, cache, index);
  if (!replace(cpu, cache, index, 0, folio.page)) {
    services_.node.free_unref_page(cpu, folio);
    return {};
  }
  folio.get(services_.atomics, cpu);
  services_.node.mod_lruvec_state(cpu);
  services_.node.folio_add_lru(cpu, folio);
  { const SpinGuard guard(services_.locks, cpu, cache.info_lock()); }
  services_.node.clear_page(cpu, folio);
  folio.test_and_set(services_.atomics, cpu, Folio::kUptodate);
  return folio;
}

Folio Shmem::shmem_swapin_folio(CpuOps& cpu, Thread& current, PageCache& cache, std::uint64_t index,
                                std::uint64_t entry) {
  const auto scope = cpu.function(swapin_);
  cpu.execute(services_.costs.call);
  services_.frame(cpu, current, 1024);
  services_.node.count_vm_event(cpu);
  const Folio folio = new_folio(cpu, cache, index);
  swap_.read_page(cpu, entry, services_.node.contents(folio));
  if (!replace(cpu, cache, index, entry, folio.page)) {
    services_.node.free_unref_page(cpu, folio);
    return {};
  }
  folio.get(services_.atomics, cpu);
  swap_.add_to_swap_cache(cpu, entry, folio);
  services_.node.folio_add_lru(cpu, folio);
  { const SpinGuard guard(services_.locks, cpu, cache.info_lock()); }
  swap_.delete_from_swap_cache(cpu, entry);
  folio.test_and_set(services_.atomics, cpu, Folio::kUptodate | Folio::kDirty);
  swap_.swap_free(cpu, entry);
  return folio;
}

bool Shmem::shmem_writepage(CpuOps& cpu, PageCache& cache, Folio folio) {
  const auto scope = cpu.function(writepage_);
  cpu.execute(services_.costs.call);
  cpu.load(cache.info_lock() + 8);
  if (!swap_.available(cpu)) {
    folio.test_and_set(services_.atomics, cpu, Folio::kDirty);
    return false;
  }
  const std::uint64_t entry = swap_.folio_alloc_swap(cpu);
  swap_.add_to_swap_cache(cpu, entry, folio);
  { const SpinGuard guard(services_.locks, cpu, cache.info_lock()); }
  const bool moved = replace(cpu, cache, cpu.load(folio.index()), folio.page, entry);
  SWITCHYARD_ASSERT(moved, "the folio is locked, so its slot cannot change");
  cpu.store(folio.mapping(), 0);
  folio.put(services_.atomics, cpu);
  services_.node.mod_lruvec_state(cpu);
  swap_.write_page(cpu, entry, services_.node.contents(folio));
  services_.node.count_vm_event(cpu);
  return true;
}

void Shmem::remove_mapping(CpuOps& cpu, Folio folio) {
  const auto scope = cpu.function(remove_);
  cpu.execute(services_.costs.call);
  services_.atomics.cmpxchg(cpu, folio.refcount(), 1, 0, 4);
  swap_.delete_from_swap_cache(cpu, cpu.load(folio.private_data()));
  cpu.store(folio.private_data(), 0);
}

}  // namespace switchyard::kernel

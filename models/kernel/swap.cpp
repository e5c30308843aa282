// SPDX-License-Identifier: Apache-2.0
#include "kernel/swap.h"

#include "base/errors.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

Swap::Swap(SwapKind kind, std::uint64_t slots, const KernelServices& services)
    : services_(services),
      kind_(kind),
      slots_(kind == SwapKind::none ? 1 : slots),
      total_swap_pages_(services.layout.add_data("total_swap_pages", 8, 8)),
      map_(services.layout.add_slab("swap_map", slots_, 64)),
      cache_(services.layout.add_slab("swapper_space", 64 + 8 * slots_, 64)),
      table_(services.layout.add_slab("zram.table", 16 * slots_, 64)),
      alloc_(services.functions.add("folio_alloc_swap", Domain::kernel)),
      write_(services.functions.add("swap_writepage", Domain::kernel)),
      read_(services.functions.add("swap_readpage", Domain::kernel)) {}

bool Swap::available(CpuOps& cpu) const {
  cpu.load(total_swap_pages_);
  return kind_ != SwapKind::none;
}

std::uint64_t Swap::folio_alloc_swap(CpuOps& cpu) {
  const auto scope = cpu.function(alloc_);
  cpu.execute(services_.costs.call);
  if (freed_.empty() && used_ == slots_)
    throw base::ConfigError("kernel.reclaim.swap_pages", "all " + std::to_string(slots_) + " swap pages are in use");
  std::uint64_t slot = used_;
  if (freed_.empty()) {
    ++used_;
  } else {
    slot = freed_.back();
    freed_.pop_back();
  }
  cpu.store(map_ + slot, 1, 1);
  return slot << 1 | 1;
}

void Swap::swap_free(CpuOps& cpu, std::uint64_t entry) {
  cpu.load(map_ + slot_of(entry), 1);
  cpu.store(map_ + slot_of(entry), 0, 1);
  cpu.store(disk_slot(entry), 0);
  freed_.push_back(slot_of(entry));
}

void Swap::add_to_swap_cache(CpuOps& cpu, std::uint64_t entry, Folio folio) {
  const SpinGuard guard(services_.locks, cpu, cache_lock());
  cpu.store(cache_slot(entry), folio.page);
  cpu.store(folio.private_data(), entry);
}

void Swap::delete_from_swap_cache(CpuOps& cpu, std::uint64_t entry) {
  const SpinGuard guard(services_.locks, cpu, cache_lock());
  cpu.store(cache_slot(entry), 0);
}

void Swap::write_page(CpuOps& cpu, std::uint64_t entry, Address contents) {
  const auto scope = cpu.function(write_);
  cpu.execute(services_.costs.call);
  for (Address at = contents; at < contents + kPageSize; at += 64) {
    cpu.load(at);
    cpu.execute(services_.costs.per_line);
  }
  cpu.load(disk_slot(entry) + 8);
  cpu.store(disk_slot(entry), 1);
}

void Swap::read_page(CpuOps& cpu, std::uint64_t entry, Address contents) {
  const auto scope = cpu.function(read_);
  cpu.execute(services_.costs.call);
  const std::uint64_t word = cpu.load(disk_slot(entry));
  for (Address at = contents; at < contents + kPageSize; at += 64) {
    cpu.store(at, word);
    cpu.execute(services_.costs.per_line);
  }
}

}  // namespace switchyard::kernel

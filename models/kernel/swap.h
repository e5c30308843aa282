// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel/memory_node.h"

namespace switchyard::kernel {

enum class SwapKind : std::uint8_t { none, zram };

/// A swap area on a compressed memory disk whose pages all hold one repeated word, as after memset: nothing is
/// compressed, a page costs one pass over its lines. Sources: Linux v6.7 mm/{swapfile,swap_state,page_io}.c,
/// drivers/block/zram/zram_drv.c.
class Swap {
 public:
  Swap(SwapKind kind, std::uint64_t slots, const KernelServices& services);

  /// Reads the number of swap pages, as the kernel does; false without swap.
  bool available(cpu::CpuOps& cpu) const;
  /// A free slot as an entry with bit 0 set.
  std::uint64_t folio_alloc_swap(cpu::CpuOps& cpu);
  void swap_free(cpu::CpuOps& cpu, std::uint64_t entry);
  /// The swap cache: an entry's folio enters or leaves.
  void add_to_swap_cache(cpu::CpuOps& cpu, std::uint64_t entry, Folio folio);
  void delete_from_swap_cache(cpu::CpuOps& cpu, std::uint64_t entry);
  void write_page(cpu::CpuOps& cpu, std::uint64_t entry, Address contents);
  void read_page(cpu::CpuOps& cpu, std::uint64_t entry, Address contents);

 private:
  static std::uint64_t slot_of(std::uint64_t entry) { return entry >> 1; }
  Address cache_lock() const { return cache_; }
  Address cache_slot(std::uint64_t entry) const { return cache_ + 64 + 8 * slot_of(entry); }
  Address disk_slot(std::uint64_t entry) const { return table_ + 16 * slot_of(entry); }

  const KernelServices services_;
  const SwapKind kind_;
  const std::uint64_t slots_;
  const Address total_swap_pages_;
  const Address map_, cache_, table_;
  std::vector<std::uint64_t> freed_;
  std::uint64_t used_ = 0;
  const cpu::FunctionId alloc_, write_, read_;
};

}  // namespace switchyard::kernel

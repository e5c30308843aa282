// SPDX-License-Identifier: Apache-2.0
#include "kernel/page_table.h"

#include "base/errors.h"

namespace switchyard::kernel {

Address PageTable::new_table(bool boot) {
  return boot ? layout_.pages().boot_memory(kPageSize, kPageSize) : layout_.pages().allocate();
}

void PageTable::map(Address root, Address va, Address pa, unsigned level, std::uint64_t bits, bool boot) {
  Address table = root;
  for (unsigned at = kLevels - 1; at > level; --at) {
    const Address slot = table + 8 * table_index(va, at);
    const std::uint64_t entry = memory_.peek(slot);
    if (pte_present(entry)) {
      SWITCHYARD_ASSERT(!pte_leaf(entry), "regions do not overlap");
      table = pte_address(entry);
      continue;
    }
    table = new_table(boot);
    memory_.poke(slot, make_pte(table, kPteValid));
  }
  memory_.poke(table + 8 * table_index(va, level), make_pte(pa, bits));
}

Address PageTable::build_kernel() {
  kernel_root_ = new_table(true);
  for (const auto& region : layout_.mappings()) {
    const auto level = static_cast<unsigned>(region.page);
    const std::uint64_t bits = region.executable ? kKernelText : kKernelData;
    for (std::uint64_t offset = 0; offset < region.size; offset += level_bytes(level))
      map(kernel_root_, region.va + offset, region.pa + offset, level, bits, true);
  }
  return kernel_root_;
}

Address PageTable::build_user() {
  const Address root = new_table(false);
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    const std::uint64_t entry = i < kEntries / 2 ? 0 : memory_.peek(kernel_root_ + 8 * i);
    memory_.poke(root + 8 * i, entry);
  }
  return root;
}

void PageTable::map_user(Address root, Address va, Address pa, std::uint64_t bits) {
  map(root, va, pa, 0, bits, false);
}

Address PageTable::physical(Address root, Address va) const {
  Address table = root;
  for (unsigned level = kLevels - 1;; --level) {
    const std::uint64_t entry = memory_.peek(table + 8 * table_index(va, level));
    if (!pte_present(entry)) return 0;
    table = pte_address(entry);
    if (level == 0) return table | (va & (kPageSize - 1));
  }
}

Address PageTable::find_slot(cpu::CpuOps& cpu, const AddressSpace& mm, Address va, unsigned level) const {
  Address table = layout_.from_linear(cpu.load(mm.fields.pgd()));
  for (unsigned above = kLevels - 1; above > level; --above) {
    const std::uint64_t entry = cpu.load(layout_.linear(table) + 8 * table_index(va, above));
    if (!pte_present(entry)) return 0;
    table = pte_address(entry);
  }
  return layout_.linear(table) + 8 * table_index(va, level);
}

Address PageTable::find_entry(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) const {
  return find_slot(cpu, mm, va, 0);
}

Address PageTable::new_table(cpu::CpuOps& cpu) {
  if (node_ != nullptr) {
    const Folio folio = node_->alloc_folio(cpu);
    node_->clear_page(cpu, folio);
    return layout_.page_of(folio.page);
  }
  const Address table = new_table(false);
  for (std::uint64_t offset = 0; offset < kPageSize; offset += 8) cpu.store(layout_.linear(table) + offset, 0);
  return table;
}

void PageTable::free_table(cpu::CpuOps& cpu, Address table) {
  if (node_ != nullptr)
    node_->free_unref_page(cpu, node_->folio_of(table));
  else
    layout_.pages().free(table);
}

// Both halves of every address space are in one table here, also where hardware has a register for each.
Address PageTable::pgd_alloc(cpu::CpuOps& cpu) {
  const Address root = new_table(cpu);
  constexpr std::uint64_t kHalf = kPageSize / 2;
  for (std::uint64_t offset = kHalf; offset < kPageSize; offset += 64)
    cpu.copy(layout_.linear(root) + offset, layout_.linear(kernel_root_) + offset, 64);
  return root;
}

Address PageTable::add_table(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address slot) {
  const Address table = new_table(cpu);
  const SpinGuard guard(locks, cpu, mm.fields.page_table_lock());
  if (const std::uint64_t entry = cpu.load(slot); pte_present(entry)) {
    free_table(cpu, table);
    return pte_address(entry);
  }
  cpu.store(slot, make_pte(table, kPteValid));
  return table;
}

Address PageTable::make_entry(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address va) {
  Address table = layout_.from_linear(cpu.load(mm.fields.pgd()));
  for (unsigned level = kLevels - 1; level > 0; --level) {
    const Address slot = layout_.linear(table) + 8 * table_index(va, level);
    const std::uint64_t entry = cpu.load(slot);
    table = pte_present(entry) ? pte_address(entry) : add_table(cpu, locks, mm, slot);
  }
  return layout_.linear(table) + 8 * table_index(va, 0);
}

}  // namespace switchyard::kernel

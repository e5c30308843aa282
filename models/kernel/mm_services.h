// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch_mm.h"
#include "kernel/flush_mutation.h"
#include "kernel/memory_node.h"
#include "kernel/rest_costs.h"

namespace switchyard::kernel {

/// What the parts of memory management share.
struct MmServices : KernelServices {
  const RestCosts& rest;
  ArchMm& arch;
  MemoryNode& node;
  cpu::TranslationObserver* observer = nullptr;
  FlushMutation mutation = FlushMutation::none;

  /// The lock of the page-table page that holds `entry`.
  Address page_table_lock(Address entry) const { return node.folio_of(arch.table_of(entry)).page_table_lock(); }
  /// A stack frame of `current`: one spill, one reload.
  void frame(cpu::CpuOps& cpu, const Thread& current, std::uint64_t depth) const {
    cpu.store(current.frame(depth), 0);
    cpu.load(current.frame(depth));
  }
};

}  // namespace switchyard::kernel

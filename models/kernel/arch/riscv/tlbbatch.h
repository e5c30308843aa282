// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/riscv/tlbflush.h"

namespace switchyard::kernel::riscv {

/// The architecture's part of deferred flushing. Sources: 54d7431af73e ("riscv: Add support for
/// BATCHED_UNMAP_TLB_FLUSH"), Linux v6.8 arch/riscv/mm/tlbflush.c; the mask is cleared after the flush as in v6.12.
class TlbBatch {
 public:
  TlbBatch(TlbFlusher& flusher, cpu::FunctionTable& functions, const RiscvCosts& costs, unsigned cpus,
           FlushMutation mutation);

  /// Always worth it, whatever the mask.
  bool should_defer() const { return true; }
  /// Adds the CPUs that used the mm to the task's batch.
  void add_pending(cpu::CpuOps& cpu, const Thread& current, const AddressSpace& mm);
  /// One full flush without id on the CPUs of the batch.
  void flush(cpu::CpuOps& cpu, const Thread& current);
  void flush_batched_pending(cpu::CpuOps& cpu, const AddressSpace& mm);

 private:
  TlbFlusher& flusher_;
  const RiscvCosts& costs_;
  const unsigned cpus_;
  const FlushMutation mutation_;
  const cpu::FunctionId add_pending_, batched_pending_;
};

}  // namespace switchyard::kernel::riscv

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/riscv/tlbbatch.h"

namespace switchyard::kernel::riscv {

using cpu::CpuOps;
using cpu::Domain;

TlbBatch::TlbBatch(TlbFlusher& flusher, cpu::FunctionTable& functions, const RiscvCosts& costs, unsigned cpus,
                   FlushMutation mutation)
    : flusher_(flusher),
      costs_(costs),
      cpus_(cpus),
      mutation_(mutation),
      add_pending_(functions.add("arch_tlbbatch_add_pending", Domain::kernel)),
      batched_pending_(functions.add("arch_flush_tlb_batched_pending", Domain::kernel)) {}

void TlbBatch::add_pending(CpuOps& cpu, const Thread& current, const AddressSpace& mm) {
  const auto scope = cpu.function(add_pending_);
  cpu.execute(costs_.call);
  if (mutation_ == FlushMutation::arch_tlbbatch_add_pending) return;
  for (unsigned word = 0; word < (cpus_ + 63) / 64; ++word) {
    const Address mine = current.batch_cpumask() + 8 * word;
    const std::uint64_t pending = cpu.load(mine);
    cpu.store(mine, pending | cpu.load(mm.fields.cpumask() + 8 * word));
  }
}

void TlbBatch::flush(CpuOps& cpu, const Thread& current) {
  flusher_.flush_tlb_batch(cpu, current.batch_cpumask());
  for (unsigned word = 0; word < (cpus_ + 63) / 64; ++word) cpu.store(current.batch_cpumask() + 8 * word, 0);
}

void TlbBatch::flush_batched_pending(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(batched_pending_);
  flusher_.flush_tlb_mm(cpu, mm);
}

}  // namespace switchyard::kernel::riscv

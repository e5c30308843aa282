// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/riscv/tlbflush.h"

namespace switchyard::kernel::riscv {

using cpu::CpuOps;
using cpu::Domain;

TlbFlusher::TlbFlusher(LocalTlb& local, RemoteFence& remote, cpu::FunctionTable& functions, const RiscvCosts& costs,
                       KernelStats& stats, unsigned cpus, bool use_asids, FlushMutation mutation)
    : local_(local),
      remote_(remote),
      costs_(costs),
      stats_(stats),
      cpus_(cpus),
      use_asids_(use_asids),
      mutation_(mutation),
      page_(functions.add("flush_tlb_page", Domain::kernel)),
      range_(functions.add("flush_tlb_range", Domain::kernel)),
      mm_(functions.add("flush_tlb_mm", Domain::kernel)),
      batch_(functions.add("arch_tlbbatch_flush", Domain::kernel)),
      all_(functions.add("flush_tlb_all", Domain::kernel)),
      inner_(functions.add("__flush_tlb_range", Domain::kernel)) {}

void TlbFlusher::flush(CpuOps& cpu, Address mask, const AddressSpace* mm, FlushRange range,
                       base::Counter& remote_calls) {
  const auto scope = cpu.function(inner_);
  cpu.execute(costs_.flush_tlb);
  base::CpuMask targets = load_mask(cpu, mask, cpus_);
  if (targets.empty()) return;
  if (mm != nullptr && use_asids_) range.asid = static_cast<std::uint16_t>(cpu.load(mm->fields.context_id()));
  if (&remote_calls == &stats_.remote_flush_page && mutation_ == FlushMutation::flush_tlb_page_remote) {
    targets = {};
    targets.set(cpu.id());
  }
  base::CpuMask self;
  self.set(cpu.id());
  if (targets == self) {
    ++stats_.local_only_flushes;
    local_.range(cpu, range.start, range.size, range.stride, range.asid);
    return;
  }
  ++remote_calls;
  remote_.flush(cpu, targets, range);
}

void TlbFlusher::flush_tlb_page(CpuOps& cpu, const AddressSpace& mm, Address va) {
  const auto scope = cpu.function(page_);
  if (mutation_ == FlushMutation::flush_tlb_page) return;
  flush(cpu, mm.fields.cpumask(), &mm, {va & ~(kPageSize - 1), kPageSize, kPageSize, {}}, stats_.remote_flush_page);
}

void TlbFlusher::flush_tlb_range(CpuOps& cpu, const AddressSpace& mm, Address start, Address end) {
  const auto scope = cpu.function(range_);
  flush(cpu, mm.fields.cpumask(), &mm, {start, end - start, kPageSize, {}}, stats_.remote_flush_range);
}

void TlbFlusher::flush_tlb_mm(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(mm_);
  flush(cpu, mm.fields.cpumask(), &mm, {}, stats_.remote_flush_mm);
}

void TlbFlusher::flush_tlb_batch(CpuOps& cpu, Address mask) {
  const auto scope = cpu.function(batch_);
  flush(cpu, mask, nullptr, {}, stats_.remote_flush_batch);
}

void TlbFlusher::flush_tlb_all(CpuOps& cpu) {
  const auto scope = cpu.function(all_);
  cpu.execute(costs_.call);
  base::CpuMask everyone;
  for (unsigned c = 0; c < cpus_; ++c) everyone.set(c);
  if (cpus_ < 2) return local_.all(cpu, {});
  remote_.flush(cpu, everyone, {});
}

}  // namespace switchyard::kernel::riscv

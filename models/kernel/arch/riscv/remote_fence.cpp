// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/riscv/remote_fence.h"

namespace switchyard::kernel::riscv {

SbiFence::SbiFence(interrupt::Sbi& sbi, Layout& layout, cpu::FunctionTable& functions, const RiscvCosts& costs)
    : sbi_(sbi),
      costs_(costs),
      hart_ids_(layout.add_data("__cpuid_to_hartid_map", 8 * std::uint64_t{layout.cpus()}, 64)),
      rfence_(functions.add("__sbi_rfence_v02", cpu::Domain::kernel)),
      call_(functions.add("__sbi_rfence_v02_call", cpu::Domain::kernel)) {}

void SbiFence::flush(cpu::CpuOps& cpu, const base::CpuMask& mask, const FlushRange& range) {
  const auto scope = cpu.function(rfence_);
  cpu.execute(costs_.sbi_rfence);
  mask.for_each([&](unsigned target) {
    cpu.execute(costs_.sbi_rfence_per_cpu);
    cpu.load(hart_id(target));
  });
  const auto call = cpu.function(call_);
  sbi_.remote_sfence_vma(cpu, mask, {range.start, range.size, range.asid});
}

IpiFence::IpiFence(Smp& smp, LocalTlb& local, cpu::FunctionTable& functions)
    : smp_(smp), local_(local), flush_(functions.add("__ipi_flush_tlb_range_asid", cpu::Domain::kernel)) {}

void IpiFence::flush(cpu::CpuOps& cpu, const base::CpuMask& mask, const FlushRange& range) {
  smp_.on_each_cpu_mask(cpu, mask, [this, &range](cpu::CpuOps& target) {
    const auto scope = target.function(flush_);
    local_.range(target, range.start, range.size, range.stride, range.asid);
  });
}

}  // namespace switchyard::kernel::riscv

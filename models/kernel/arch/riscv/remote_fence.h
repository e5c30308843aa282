// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "interrupt/sbi.h"
#include "kernel/arch/riscv/local_tlb.h"
#include "kernel/costs/riscv_costs.h"
#include "kernel/smp.h"

namespace switchyard::kernel::riscv {

/// What to invalidate. A size of kWholeSpace means every address.
struct FlushRange {
  static constexpr std::uint64_t kWholeSpace = interrupt::FenceRange::kWholeSpace;
  Address start = 0;
  std::uint64_t size = kWholeSpace;
  std::uint64_t stride = kPageSize;
  Asid asid;
};

/// Invalidates on every CPU of a mask that has other members than this CPU; returns when it is done everywhere.
class RemoteFence {
 public:
  virtual ~RemoteFence() = default;
  virtual void flush(cpu::CpuOps& cpu, const base::CpuMask& mask, const FlushRange& range) = 0;
};

/// One firmware call; the mask includes the caller. Each CPU number is translated to a hart id on the way. Source:
/// Linux v6.7 arch/riscv/kernel/{sbi,smp}.c. One call for all harts, as for machines of up to 64.
class SbiFence : public RemoteFence {
 public:
  SbiFence(interrupt::Sbi& sbi, Layout& layout, cpu::FunctionTable& functions, const RiscvCosts& costs);
  void flush(cpu::CpuOps& cpu, const base::CpuMask& mask, const FlushRange& range) override;
  Address hart_id(unsigned cpu) const { return hart_ids_ + 8 * cpu; }

 private:
  interrupt::Sbi& sbi_;
  const RiscvCosts& costs_;
  const Address hart_ids_;
  const cpu::FunctionId rfence_, call_;
};

/// A cross call; each CPU fences for itself. Source: Linux v6.7 arch/riscv/mm/tlbflush.c.
class IpiFence : public RemoteFence {
 public:
  IpiFence(Smp& smp, LocalTlb& local, cpu::FunctionTable& functions);
  void flush(cpu::CpuOps& cpu, const base::CpuMask& mask, const FlushRange& range) override;

 private:
  Smp& smp_;
  LocalTlb& local_;
  const cpu::FunctionId flush_;
};

}  // namespace switchyard::kernel::riscv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/riscv/sbi_devices.h"
#include "kernel/fault.h"
#include "kernel/linux.h"
#include "kernel/linux_riscv_params.h"

namespace switchyard::kernel::riscv {

/// Linux 6.7 on riscv: Sv39 page tables, ASIDs, TLB flushes by firmware or IPI, reclaim and page faults.
class LinuxRiscv : public Linux {
 public:
  using Params = LinuxRiscvParams;
  LinuxRiscv(const KernelContext& context, const Params& params, FlushMutation mutation = FlushMutation::none);

  Address mmap(Task& task, std::uint64_t size, MapKind kind) override;
  void madvise_pageout(Task& task, Address va, std::uint64_t size) override;

 private:
  Address make_page_table(bool user) override { return user ? tables_.build_user() : tables_.build_kernel(); }
  void map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) override;
  void handle_page_fault(cpu::CpuOps& cpu, Task& task, Address va, cpu::Access access) override;

  const Params params_;
  SbiTimer sbi_timer_;
  SbiIpiSender sbi_ipi_;
  const RestCosts rest_;
  LocalTlb local_tlb_;
  Smp& smp_;
  MmContext mm_context_;
  std::unique_ptr<RemoteFence> remote_fence_;
  TlbFlusher flusher_;
  TlbBatch batch_;
  PageTable tables_;
  RiscvMm riscv_mm_;
  MemoryNode node_;
  const MmServices mm_;
  Swap swap_;
  Rmap rmap_;
  Shmem shmem_;
  Reclaim reclaim_;
  PageFault fault_;
};

}  // namespace switchyard::kernel::riscv

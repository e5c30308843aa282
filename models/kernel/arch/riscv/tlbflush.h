// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/address_space.h"
#include "kernel/arch/riscv/remote_fence.h"
#include "kernel/cpumask.h"
#include "kernel/flush_mutation.h"

namespace switchyard::kernel::riscv {

/// Which CPUs to flush and how. Source: Linux v6.7 arch/riscv/mm/tlbflush.c: an empty mask needs nothing, a mask of
/// this CPU alone a local fence, any other mask the remote means. The id is read only when ASIDs are in use.
class TlbFlusher {
 public:
  TlbFlusher(LocalTlb& local, RemoteFence& remote, cpu::FunctionTable& functions, const RiscvCosts& costs,
             KernelStats& stats, unsigned cpus, bool use_asids, FlushMutation mutation);

  void flush_tlb_page(cpu::CpuOps& cpu, const AddressSpace& mm, Address va);
  void flush_tlb_range(cpu::CpuOps& cpu, const AddressSpace& mm, Address start, Address end);
  void flush_tlb_mm(cpu::CpuOps& cpu, const AddressSpace& mm);
  /// Everything of every id on the CPUs of the mask at `mask`: the end of a batch.
  void flush_tlb_batch(cpu::CpuOps& cpu, Address mask);
  /// Everything on every CPU.
  void flush_tlb_all(cpu::CpuOps& cpu);

 private:
  void flush(cpu::CpuOps& cpu, Address mask, const AddressSpace* mm, FlushRange range, base::Counter& remote_calls);

  LocalTlb& local_;
  RemoteFence& remote_;
  const RiscvCosts& costs_;
  KernelStats& stats_;
  const unsigned cpus_;
  const bool use_asids_;
  const FlushMutation mutation_;
  const cpu::FunctionId page_, range_, mm_, batch_, all_, inner_;
};

}  // namespace switchyard::kernel::riscv

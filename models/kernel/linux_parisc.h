// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/parisc/anon_memory.h"
#include "kernel/linux.h"
#include "kernel/linux_parisc_params.h"
#include "kernel/page_table.h"

namespace switchyard::kernel::parisc {

/// Linux 4.2 on 64-bit PA-RISC: atomics of user code through the gateway page, atomic_t through hashed locks.
///
/// Page tables have the format that the simulated MMU walks; a PA-RISC CPU refills its TLB in software, which the
/// parameters of the CPU's page walk stand for. Run-queue and task locks are words at any alignment. Pages of private
/// anonymous memory come at the first access.
class LinuxParisc : public Linux {
 public:
  using Params = LinuxPariscParams;
  /// `mutation` is for tests of the stale-translation check.
  LinuxParisc(const KernelContext& context, const Params& params, FlushMutation mutation = FlushMutation::none);

  using Linux::spawn_process;
  Task& spawn_process(const std::string& name, Body body, const std::vector<UserData>& data,
                      const std::vector<unsigned>& allowed) override;
  /// Private anonymous memory only.
  Address mmap(Task& task, std::uint64_t size, MapKind kind) override;
  void munmap(Task& task, Address va, std::uint64_t size) override;

  /// __sync_fetch_and_add_4: tries until the gateway's compare and swap succeeds (libgcc config/pa/linux-atomic.c).
  std::uint64_t atomic_add(Task& task, Address va, std::int64_t delta, unsigned bytes) override;

 private:
  Address make_page_table(bool user) override { return user ? tables_.build_user() : tables_.build_kernel(); }
  void map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) override;
  void handle_page_fault(cpu::CpuOps& cpu, Task& task, Address va, cpu::Access access) override;
  void handle_tlb_miss(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override { purge_.tlb_miss(cpu, mm, va); }

  const Params params_;
  PageTable tables_;
  Lws lws_;
  SpaceIds space_ids_;
  Smp& smp_;
  TlbPurge purge_;
  AnonMemory anon_;
  const cpu::FunctionId fetch_and_add_, munmap_;
};

}  // namespace switchyard::kernel::parisc

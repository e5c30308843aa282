// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/arm64/context_switch.h"
#include "kernel/linux.h"
#include "kernel/linux_arm64_params.h"
#include "kernel/page_table.h"

namespace switchyard::kernel::arm64 {

/// Linux 5.8 and 5.9 on arm64: the ASID allocator, per-CPU addressing, queued spin locks, idle by WFI, an SGI for each
/// wake-up of an idle CPU, channels. Page tables have the three levels that the simulated MMU walks. Code and
/// static data of a process that starts with the machine are there from the start; other memory comes at its first
/// access.
class LinuxArm64 : public Linux {
 public:
  using Params = LinuxArm64Params;
  LinuxArm64(const KernelContext& context, const Params& params, FlushMutation mutation = FlushMutation::none);
  ~LinuxArm64() override;

  const AsidAllocator& asids() const { return asids_; }
  const PerCpu& per_cpu() const { return per_cpu_; }

  /// The page tables, the flushes and the memory of processes.
  UserMemory* user_memory() override;
  const ProcessCosts& process_costs() const override { return params_.process; }
  Address user_page(const AddressSpace& mm, Address va) const override { return tables_.physical(mm.root, va); }

 private:
  /// What only processes need whose memory changes.
  struct Memory;

  Address make_page_table(bool user) override { return user ? tables_.build_user() : tables_.build_kernel(); }
  void map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) override;
  MmFields place_mm(const std::string& name, bool user) override;
  const IpcCosts* ipc_costs() const override { return &params_.ipc; }
  void enter_from_user(cpu::CpuOps& cpu) override { context_switch_.tramp_entry(cpu); }
  void return_to_user(cpu::CpuOps& cpu) override { context_switch_.tramp_exit(cpu); }

  const Params params_;
  PerCpu per_cpu_;
  AsidAllocator asids_;
  ContextSwitch context_switch_;
  PageTable tables_;
  Smp& smp_;
  const FlushMutation mutation_;
  std::unique_ptr<Memory> memory_;  ///< made at its first use: it places objects and names functions
};

}  // namespace switchyard::kernel::arm64

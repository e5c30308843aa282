// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/switch_mm.h"
#include "kernel/linux.h"
#include "kernel/linux_x86_params.h"
#include "kernel/page_table.h"

namespace switchyard::kernel::x86 {

/// Linux 4.13 to 5.7 on x86-64: address spaces with and without PCIDs, queued spin locks, channels.
/// Page tables have the three levels that the simulated MMU walks. Code and static data of a process that starts with
/// the machine are there from the start; other memory comes at its first access.
class LinuxX86 : public Linux {
 public:
  using Params = LinuxX86Params;
  /// `mutation` is for tests of the stale-translation check.
  LinuxX86(const KernelContext& context, const Params& params, FlushMutation mutation = FlushMutation::none);
  ~LinuxX86() override;

  /// The page tables, the flushes and the memory of processes.
  UserMemory* user_memory() override;
  const ProcessCosts& process_costs() const override { return params_.process; }
  Address user_page(const AddressSpace& mm, Address va) const override { return tables_.physical(mm.root, va); }

 protected:
  SwitchMm& switch_mm() { return switch_mm_; }
  Smp& smp() { return smp_; }

 private:
  /// What only processes need whose memory changes.
  struct Memory;

  Address make_page_table(bool user) override { return user ? tables_.build_user() : tables_.build_kernel(); }
  void map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) override;
  MmFields place_mm(const std::string& name, bool user) override;
  const IpcCosts* ipc_costs() const override { return &params_.ipc; }
  void init_new_context(const AddressSpace& mm, bool user) override;
  void setup_cpu(cpu::CpuOps& cpu, const AddressSpace& init_mm) override;
  void enter_from_user(cpu::CpuOps& cpu) override;
  void return_to_user(cpu::CpuOps& cpu) override;

  const Params params_;
  SwitchMm switch_mm_;
  PageTable tables_;
  Smp& smp_;
  const FlushMutation mutation_;
  std::unique_ptr<Memory> memory_;  ///< made at its first use: it places objects and names functions
};

}  // namespace switchyard::kernel::x86

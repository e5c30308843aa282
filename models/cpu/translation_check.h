// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cpu/logical_cpu.h"

namespace switchyard::cpu {

/// Finds translations that outlive the flush which software relies on: they are marked in every TLB, and a CPU that
/// uses a marked one reports itself (base::CheckError).
class TranslationCheck : public TranslationObserver {
 public:
  TranslationCheck(std::vector<LogicalCpu*> cpus, FunctionTable& functions)
      : cpus_(std::move(cpus)), switch_mm_(functions.add("switch_mm", Domain::kernel)) {}

  void unmapped(Address root, Address va, FunctionId owner) override { pending_[root].push_back({va >> 12, owner}); }
  void flush_relied_on(Address root) override;
  void switched(CpuOps& cpu, Address root) override;

 private:
  std::vector<LogicalCpu*> cpus_;
  FunctionId switch_mm_;
  std::map<Address, std::vector<std::pair<std::uint64_t, FunctionId>>> pending_;  // by root: page, owner of the flush
};

}  // namespace switchyard::cpu

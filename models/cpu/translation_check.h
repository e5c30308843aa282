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
      : cpus_(std::move(cpus)), functions_(functions) {}

  void unmapped(const ExecContext& by, Address root, Address va, FunctionId owner) override;
  void flush_relied_on(const ExecContext* by, Address root) override;
  void switched(CpuOps& cpu, Address root) override;

 private:
  struct Unflushed {
    const ExecContext* by;
    std::uint64_t page;
    FunctionId owner;
    std::uint64_t debt;
  };

  std::vector<LogicalCpu*> cpus_;
  // Functions of the kernel are looked up when they are needed: it decides where their text lies when it adds them.
  FunctionTable& functions_;
  std::map<Address, std::vector<Unflushed>> pending_;  // by root
  std::uint64_t debts_ = 0;
};

}  // namespace switchyard::cpu

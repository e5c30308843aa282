// SPDX-License-Identifier: Apache-2.0
#include "cpu/translation_check.h"

namespace switchyard::cpu {

void TranslationCheck::unmapped(const ExecContext& by, Address root, Address va, FunctionId owner) {
  const std::uint64_t debt = ++debts_;
  pending_[root].push_back({&by, va >> 12, owner, debt});
  for (LogicalCpu* cpu : cpus_) cpu->mark_owed(root, va >> 12, debt);
}

// Who relies on what others have unmapped owes their flushes, which may still be deferred.
void TranslationCheck::flush_relied_on(const ExecContext* by, Address root) {
  const auto found = pending_.find(root);
  if (found == pending_.end()) return;
  std::erase_if(found->second, [&](const Unflushed& entry) {
    if (by != nullptr && entry.by != by) return false;
    const FunctionId owner = by != nullptr ? entry.owner : functions_.add("flush_tlb_batched_pending", Domain::kernel);
    for (LogicalCpu* cpu : cpus_) cpu->mark_stale(entry.page, owner, entry.debt);
    return true;
  });
}

void TranslationCheck::switched(CpuOps& cpu, Address) {
  cpus_[cpu.id()]->mark_foreign(functions_.add("switch_mm", Domain::kernel));
}

}  // namespace switchyard::cpu

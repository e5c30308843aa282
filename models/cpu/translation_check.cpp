// SPDX-License-Identifier: Apache-2.0
#include "cpu/translation_check.h"

namespace switchyard::cpu {

void TranslationCheck::flush_relied_on(Address root) {
  const auto found = pending_.find(root);
  if (found == pending_.end()) return;
  for (const auto& [page, owner] : found->second)
    for (LogicalCpu* cpu : cpus_) cpu->mark_stale(root, page, owner);
  pending_.erase(found);
}

void TranslationCheck::switched(CpuOps& cpu, Address) { cpus_[cpu.id()]->mark_foreign(switch_mm_); }

}  // namespace switchyard::cpu

// SPDX-License-Identifier: Apache-2.0
#include "cpu/translation_check.h"

namespace switchyard::cpu {

void TranslationCheck::flush_relied_on(const ExecContext* by, Address root) {
  const auto found = pending_.find(root);
  if (found == pending_.end()) return;
  std::erase_if(found->second, [&](const Unflushed& entry) {
    if (by != nullptr && entry.by != by) return false;
    for (LogicalCpu* cpu : cpus_) cpu->mark_stale(root, entry.page, entry.owner);
    return true;
  });
}

void TranslationCheck::switched(CpuOps& cpu, Address) { cpus_[cpu.id()]->mark_foreign(switch_mm_); }

}  // namespace switchyard::cpu

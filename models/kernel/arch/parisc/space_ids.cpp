// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/space_ids.h"

#include "base/errors.h"

namespace switchyard::kernel::parisc {

std::uint16_t SpaceIds::space_of(const AddressSpace& mm) {
  const auto [found, is_new] = ids_.try_emplace(&mm, static_cast<std::uint16_t>(ids_.size() + 1));
  if (is_new && ids_.size() > 0xffff) throw base::ConfigError(mm.name, "there are more address spaces than space ids");
  return found->second;
}

void SpaceIds::switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) {
  if (&prev == &next) return;
  const auto scope = cpu.function(function_);
  cpu.execute(costs_.call);
  cpu.load(next.fields.pgd());
  cpu.load(next.fields.context_id());
  cpu.write_translation_base(next.root, space_of(next));  // cr25 and sr3
  if (observer_ != nullptr) observer_->switched(cpu, next.root);
}

}  // namespace switchyard::kernel::parisc

// SPDX-License-Identifier: Apache-2.0
#include "cpu/register.h"

#include "cpu/cpu.h"

namespace switchyard::cpu {

void register_models(sim::ModelRegistry& registry) {
  registry.add<Cpu>("cpu", "Logical CPU with a private two-level TLB and a hardware page walk");
}

}  // namespace switchyard::cpu

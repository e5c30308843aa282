// SPDX-License-Identifier: Apache-2.0
#include "platforms/registries.h"

#include "cpu/register.h"
#include "interrupt/register.h"
#include "kernel/register.h"
#include "memory/register.h"
#include "workloads/workload.h"

namespace switchyard::platforms {

Registries::Registries() {
  cpu::register_models(models);
  memory::register_models(models);
  interrupt::register_models(models);
  interrupt::register_firmware(firmware);
  kernel::register_kernels(kernels);
  workloads::register_actions(actions);
}

}  // namespace switchyard::platforms

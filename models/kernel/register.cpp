// SPDX-License-Identifier: Apache-2.0
#include "kernel/register.h"

#include "kernel/linux_riscv.h"

namespace switchyard::kernel {

void register_kernels(KernelRegistry& registry) {
  registry.add<riscv::LinuxRiscv>("linux-riscv", "Linux 6.7 on 64-bit RISC-V with Sv39 page tables");
}

}  // namespace switchyard::kernel

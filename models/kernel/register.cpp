// SPDX-License-Identifier: Apache-2.0
#include "kernel/register.h"

#include "kernel/linux_parisc.h"
#include "kernel/linux_riscv.h"

namespace switchyard::kernel {

void register_kernels(KernelRegistry& registry) {
  registry.add<parisc::LinuxParisc>("linux-parisc", "Linux 4.2 on 64-bit PA-RISC");
  registry.add<riscv::LinuxRiscv>("linux-riscv", "Linux 6.7 on 64-bit RISC-V with Sv39 page tables");
}

}  // namespace switchyard::kernel

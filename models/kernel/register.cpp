// SPDX-License-Identifier: Apache-2.0
#include "kernel/register.h"

#include "kernel/linux_arm64.h"
#include "kernel/linux_parisc.h"
#include "kernel/linux_riscv.h"
#include "kernel/linux_x86.h"

namespace switchyard::kernel {

void register_kernels(KernelRegistry& registry) {
  registry.add<arm64::LinuxArm64>("linux-arm64", "Linux 5.8 and 5.9 on arm64");
  registry.add<parisc::LinuxParisc>("linux-parisc", "Linux 4.2 on 64-bit PA-RISC");
  registry.add<riscv::LinuxRiscv>("linux-riscv", "Linux 6.7 on 64-bit RISC-V with Sv39 page tables");
  registry.add<x86::LinuxX86>("linux-x86", "Linux 4.13 to 5.7 on x86-64");
}

}  // namespace switchyard::kernel

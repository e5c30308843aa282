// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/kernel.h"

namespace switchyard::kernel {

void register_kernels(KernelRegistry& registry);

}  // namespace switchyard::kernel

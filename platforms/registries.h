// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/firmware.h"
#include "kernel/kernel.h"
#include "sim/model_registry.h"
#include "workloads/action.h"

namespace switchyard::platforms {

/// Everything that a configuration can name. Outlives what is made from it.
struct Registries {
  sim::ModelRegistry models;
  interrupt::FirmwareRegistry firmware;
  kernel::KernelRegistry kernels;
  workloads::ActionRegistry actions;

  Registries();  ///< with all shipped types
  Registries(const Registries&) = delete;
  Registries& operator=(const Registries&) = delete;
};

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/firmware.h"
#include "sim/model_registry.h"

namespace switchyard::interrupt {

/// Interrupt devices: clint, sswi, pa-external, x2apic, gic-sgi.
void register_models(sim::ModelRegistry& registry);
/// Machine-mode firmware: opensbi, none.
void register_firmware(FirmwareRegistry& registry);

}  // namespace switchyard::interrupt

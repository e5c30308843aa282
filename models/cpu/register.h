// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/model_registry.h"

namespace switchyard::cpu {

void register_models(sim::ModelRegistry& registry);

}  // namespace switchyard::cpu

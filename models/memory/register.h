// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/model_registry.h"

namespace switchyard::memory {

void register_models(sim::ModelRegistry& registry);

}  // namespace switchyard::memory

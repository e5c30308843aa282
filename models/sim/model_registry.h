// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/registry.h"
#include "switchyard/module.h"

namespace switchyard::sim {

/// Hardware model types that `modules: {name: {type: ...}}` can name; built with their SystemC name.
using ModelRegistry = base::Registry<Module, const sc_core::sc_module_name&>;

}  // namespace switchyard::sim

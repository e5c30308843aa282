// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/params.h"
#include "sc_main/experiment_simulator.h"

namespace switchyard::cli {

/// Every single value of `params`, defaults included, with the path that `--set` takes. `params` is only visited.
std::vector<ParameterValue> list_parameter_values(base::ParamSet& params);

}  // namespace switchyard::cli

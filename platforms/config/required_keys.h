// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/params.h"

namespace switchyard::platforms {

/// Whether a group cannot be written without stating something: then its defaults are no usable values.
bool has_required_keys(base::ParamSet& params);

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// The table of one comparison with everything below it.
std::string compare_text(const Comparison& comparison);

/// One table of several comparisons, and how many rows came to which verdict.
std::string validate_text(const std::vector<const Comparison*>& comparisons);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// Where the cycles of an iteration went with the baseline and with each other variant: a few sentences per case, the
/// largest differences by cause and by function.
std::string explain_text(const Comparison& comparison);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/compare.h"
#include "sc_main/compare_sweep.h"

namespace switchyard::cli {

/// A table for each `over`: a line for each metric and variant, a column for each value, as many of them side by side
/// as fit a line of 120 characters.
std::string sweep_tables(const Comparison& comparison);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// For every case and variant that is not the baseline: how its times and the figures that the experiment lists under
/// `explain` differ, which causes make up the difference, and which functions. Nothing is named that does not differ by
/// more than the confidence interval. Of the values of `over` only the reference is explained, where there is one.
std::string explain_text(const Comparison& comparison);

}  // namespace switchyard::cli

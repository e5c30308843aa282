// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// `compare --json`. Changes, their errors, and gap and tolerance of a judged change are shares of one (-0.34 for
/// -34 %); values, their errors, and gap and tolerance of a judged value are in `unit`. What is not known is null.
nlohmann::ordered_json compare_json(const Comparison& comparison);

}  // namespace switchyard::cli

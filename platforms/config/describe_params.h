// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/params.h"

namespace switchyard::platforms {

/// How a description is written: for a terminal, or for the generated reference pages.
enum class DescribeFormat : std::uint8_t { text, markdown };

/// The reference of all parameters of `params`: key, type, default, range and meaning.
std::string describe_params(base::ParamSet& params, DescribeFormat format);

}  // namespace switchyard::platforms

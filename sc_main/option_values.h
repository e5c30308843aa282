// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace switchyard::cli {

// Checks for CLI::Validator: empty when the text is right, else what would be.

/// Seconds that a clock can hold: CLI::PositiveNumber lets nan and inf pass.
std::string check_time_limit(const std::string& text);

/// A size such as `2 GiB`.
std::string check_size(const std::string& text);

}  // namespace switchyard::cli

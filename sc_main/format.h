// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace switchyard::cli {

/// `value` with that many decimals; 0 for what is not a finite number.
std::string fixed(double value, int decimals);

/// Like fixed(), with commas between thousands.
std::string with_commas(double value, int decimals);
std::string with_commas(std::uint64_t value);

/// `value` as fixed() prints it: what JSON files hold, so that the last bits do not depend on the compiler.
double rounded(double value, int decimals);

/// `text` without line breaks, for places that have one line.
std::string one_line(std::string text);

/// `part` of `whole` in percent, `0.00` of nothing.
std::string percent(double part, double whole, int decimals = 2);

}  // namespace switchyard::cli

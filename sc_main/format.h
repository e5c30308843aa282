// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

/// Text with every line of more than `width` characters broken at spaces. What follows a break is indented by `hang`
/// more than its line; a word longer than a line stays whole.
std::string wrapped(const std::string& text, std::size_t width = 120, std::size_t hang = 2);

/// Characters of UTF-8 text on a terminal (none of ours is wide).
std::size_t shown_width(std::string_view text);

/// `part` of `whole` in percent, `0.00` of nothing.
std::string percent(double part, double whole, int decimals = 2);

}  // namespace switchyard::cli

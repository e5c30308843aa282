// SPDX-License-Identifier: Apache-2.0
#include "sc_main/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace switchyard::cli {
namespace {

std::string grouped(std::string text) {
  std::size_t at = text.find('.');
  if (at == std::string::npos) at = text.size();
  const std::size_t first = text.front() == '-' ? 1 : 0;
  while (at > first + 3) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace

std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", std::isfinite(value) ? value : 0.0, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string with_commas(double value, int decimals) { return grouped(fixed(value, decimals)); }
std::string with_commas(std::uint64_t value) { return grouped(std::to_string(value)); }

double rounded(double value, int decimals) { return std::strtod(fixed(value, decimals).c_str(), nullptr); }

std::string one_line(std::string text) {
  text.erase(text.find_last_not_of("\r\n") + 1);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string percent(double part, double whole, int decimals) {
  return fixed(whole > 0 ? 100 * part / whole : 0, decimals);
}

}  // namespace switchyard::cli

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

/// One line of wrapped().
std::string wrapped_line(const std::string& line, std::size_t width, std::size_t hang) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string text = line.substr(0, indent);
  std::size_t used = indent, at = indent;
  bool has_word = false;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, end - at);
    const std::size_t wide = shown_width(word);
    if (has_word && used + 1 + wide > width) {
      text += "\n" + std::string(indent + hang, ' ');
      used = indent + hang;
    } else if (has_word) {
      text += " ";
      ++used;
    }
    text += word;
    used += wide;
    has_word = true;
    at = end + 1;
  }
  return text;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t hang) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    result += shown_width(line) <= width ? line : wrapped_line(line, width, hang);
    if (end < text.size()) result += "\n";
    at = end + 1;
  }
  return result;
}

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

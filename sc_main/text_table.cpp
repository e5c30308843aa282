// SPDX-License-Identifier: Apache-2.0
#include "sc_main/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sc_main/format.h"

namespace switchyard::cli {

std::string number(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e9 || size < 1e-3) return fmt::format("{:.3e}", value);
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string with_error(const std::string& value, const std::string& error, const std::string& unit) {
  return value + (error.empty() ? "" : " ± " + error) + (unit.empty() ? "" : " " + unit);
}

std::string percent_of(double share) { return fmt::format("{:+.1f}", 100 * share); }

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const Row& row : rows_) {
    if (row.spans) continue;
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], shown_width(row.cells[i]));
  }
  std::string text;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line += row.cells[i];
      if (!row.spans) line += std::string(widths[i] - shown_width(row.cells[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace switchyard::cli

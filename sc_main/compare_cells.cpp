// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_cells.h"

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

std::string shown_unit(const CompareRow& row) { return row.unit == "count" ? "" : row.unit; }

std::string value_cell(const CompareRow& row) {
  if (!row.value) return "-";
  const std::string error = row.has_interval && row.value->ci95 > 0 ? fmt::format("{:.2g}", row.value->ci95) : "";
  return with_error(number(row.value->mean), error, shown_unit(row)) + (row.value_is_calibrated ? " *" : "");
}

std::string change_cell(const CompareRow& row) {
  if (!row.change) return "";
  const std::string error =
      row.change_has_interval && row.change->ci95 >= 0.0005 ? fmt::format("{:.1f}", 100 * row.change->ci95) : "";
  return with_error(percent_of(row.change->mean), error, "%");
}

bool includes_zero(const CompareRow& row) {
  return row.change && row.change_has_interval && row.change->ci95 > 0 &&
         std::abs(row.change->mean) <= row.change->ci95;
}

std::string published_value(const CompareRow& row) {
  if (!row.figure || !row.figure->value) return "";
  const std::string error = row.figure->value_error ? fmt::format("{:.2g}", *row.figure->value_error) : "";
  return with_error(fmt::format("{:g}", *row.figure->value), error, shown_unit(row));
}

std::string published_change(const CompareRow& row) {
  if (!row.figure || !row.figure->change) return "";
  const Figure& figure = *row.figure;
  if (figure.expects_no_effect && *figure.change == 0) return "no effect";
  const std::string error = figure.change_error ? fmt::format("{:g}", 100 * *figure.change_error) : "";
  return with_error(percent_of(*figure.change), error, "%");
}

std::string published_cell(const CompareRow& row) {
  const std::string value = published_value(row), change = published_change(row);
  return value.empty() || change.empty() ? value + change : value + ", " + change;
}

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

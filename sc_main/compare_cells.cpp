// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_cells.h"

#include <fmt/format.h>

#include <cmath>

namespace switchyard::cli {

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

}  // namespace switchyard::cli

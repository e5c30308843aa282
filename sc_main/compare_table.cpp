// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sc_main/compare_notes.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

/// Four digits that matter, without an exponent for everyday numbers.
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

/// Counts need no word.
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

std::string published_cell(const CompareRow& row) {
  if (!row.figure) return "";
  const Figure& figure = *row.figure;
  std::string value, change;
  if (figure.value) {
    const std::string error = figure.value_error ? fmt::format("{:.2g}", *figure.value_error) : "";
    value = with_error(fmt::format("{:g}", *figure.value), error, shown_unit(row));
  }
  if (figure.change) {
    const std::string error = figure.change_error ? fmt::format("{:g}", 100 * *figure.change_error) : "";
    change = figure.expects_no_effect && *figure.change == 0 ? "no effect"
                                                             : with_error(percent_of(*figure.change), error, "%");
  }
  return value.empty() || change.empty() ? value + change : value + ", " + change;
}

/// Names the number that was judged: a row may show a fitted value beside the predicted change that counts.
std::string verdict_cell(const CompareRow& row) {
  if (!row.error.empty()) return "failed: " + one_line(row.error);
  const Judgement& judgement = row.judgement;
  std::string text(verdict_name(judgement.verdict));
  if (!judgement.tolerance) return text;
  const bool is_change = judgement.is_change;
  const std::string_view judged = is_change ? "change" : "value";
  const std::string unit = is_change || row.unit == "%" ? "points" : shown_unit(row);
  const std::string suffix = unit.empty() ? "" : " " + unit;
  const double scale = is_change ? 100 : 1;
  const std::string allowed = fmt::format("±{:.3g}", scale * *judgement.tolerance);
  const bool is_miss = judgement.verdict == Verdict::misses || judgement.verdict == Verdict::not_explained;
  if (!judgement.gap) return fmt::format("{}: no {} to judge", text, judged);
  if (!is_miss) return fmt::format("{}: {} within {}{}", text, judged, allowed, suffix);
  const double gap = scale * *judgement.gap;
  return fmt::format("{}: {} off by {:+.3g}{} (allowed {})", text, judged, gap, suffix, allowed);
}

std::string kind_cell(const CompareRow& row) {
  return row.judgement.verdict == Verdict::no_reference ? "" : std::string(kind_name(row.judgement.kind));
}

std::vector<std::string> heading() {
  return {"case", "variant", "metric", "simulated", "change", "published", "kind", "verdict"};
}

void add_rows(TextTable& table, const Comparison& comparison) {
  std::size_t previous = comparison.experiment().params.cases.size();
  for (const CompareRow& row : comparison.rows()) {
    const CaseParams& one = comparison.experiment().params.cases[row.case_index];
    const std::string name = row.case_index == previous ? "" : one.name + (one.what_if ? " (what if)" : "");
    previous = row.case_index;
    table.add({name, comparison.variant_name(row.variant_index), row.metric, value_cell(row), change_cell(row),
               published_cell(row), kind_cell(row), verdict_cell(row)});
  }
}

std::string section(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

std::string tally(const std::vector<const Comparison*>& comparisons) {
  std::array<std::size_t, 5> counts{};  // [Verdict]
  std::size_t failed = 0;
  for (const Comparison* comparison : comparisons)
    for (const CompareRow& row : comparison->rows())
      ++(row.error.empty() ? counts[static_cast<std::size_t>(row.judgement.verdict)] : failed);
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], verdict_name(static_cast<Verdict>(i)));
  if (failed != 0) text += fmt::format("{}{} failed", text.empty() ? "" : ", ", failed);
  return text;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
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

std::string compare_text(const Comparison& comparison) {
  const ExperimentParams& params = comparison.experiment().params;
  TextTable table(heading());
  add_rows(table, comparison);
  std::string text = params.name + (params.title.empty() ? "" : ": " + params.title) + "\n\n" + table.text();
  text +=
      section("Calibrated (values marked * went into the fit; all else is predicted)", calibration_notes(comparison));
  text += section("Notes", compare_notes(comparison));
  text += section("Length of the runs", scale_notes(comparison));
  text += section("Values behind it", origin_notes(comparison));
  text += section("Sources", params.source);
  return text + fmt::format("\n{}; configuration {}\n", tally({&comparison}), comparison.config_hash());
}

std::string validate_text(const std::vector<const Comparison*>& comparisons) {
  TextTable table(heading());
  for (const Comparison* comparison : comparisons) {
    table.add_line("");
    table.add_line(comparison->experiment().params.name);
    add_rows(table, *comparison);
  }
  std::string text = table.text();
  for (const Comparison* comparison : comparisons) {
    const std::string& name = comparison->experiment().params.name;
    text += section(name + ": calibrated (values marked *)", calibration_notes(*comparison));
    text += section(name + ": notes", compare_notes(*comparison));
  }
  return text + "\n" + tally(comparisons) + "\n";
}

}  // namespace switchyard::cli

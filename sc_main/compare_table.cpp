// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sc_main/compare_cells.h"
#include "sc_main/compare_notes.h"
#include "sc_main/compare_sweep_table.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

/// Names the number that was judged: a row may show a fitted value beside the predicted change that counts.
std::string judgement_text(const CompareRow& row) {
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
  if (judgement.is_bound && judgement.verdict == Verdict::not_explained)
    return fmt::format("{}: no effect predicted, {:+.3g} points (allowed {})", text, 100 * *judgement.gap, allowed);
  if (judgement.is_bound)
    return fmt::format("{}: an effect of {:+.3g} points predicted (allowed {})", text, 100 * *judgement.gap, allowed);
  if (!is_miss) return fmt::format("{}: {} within {}{}", text, judged, allowed, suffix);
  const double gap = scale * *judgement.gap;
  return fmt::format("{}: {} off by {:+.3g}{} (allowed {})", text, judged, gap, suffix, allowed);
}

std::string verdict_cell(const CompareRow& row) {
  if (!row.error.empty()) return "failed: " + one_line(row.error);
  return judgement_text(row) + (includes_zero(row) ? "; change not distinguishable from zero" : "");
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
    if (comparison.experiment().sweep(row.case_index)) continue;  // in a table of its own
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
  for (const std::string& line : lines) text += wrapped("  " + one_line(line)) + "\n";
  return text;
}

/// Other values of a parameter than its reference are no claims about the machine.
bool is_counted(const Comparison& comparison, const CompareRow& row) {
  const Sweep* sweep = comparison.experiment().sweep(row.case_index);
  return !sweep || sweep->over.reference.empty() || sweep->value(row.case_index) == sweep->over.reference;
}

std::string tally(const std::vector<const Comparison*>& comparisons) {
  std::array<std::size_t, 5> counts{};  // [Verdict]
  std::size_t failed = 0;
  for (const Comparison* comparison : comparisons)
    for (const CompareRow& row : comparison->rows())
      if (is_counted(*comparison, row))
        ++(row.error.empty() ? counts[static_cast<std::size_t>(row.judgement.verdict)] : failed);
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], verdict_name(static_cast<Verdict>(i)));
  if (failed != 0) text += fmt::format("{}{} failed", text.empty() ? "" : ", ", failed);
  return text;
}

}  // namespace

std::string compare_text(const Comparison& comparison) {
  const ExperimentParams& params = comparison.experiment().params;
  TextTable table(heading());
  add_rows(table, comparison);
  std::string text = params.name + (params.title.empty() ? "" : ": " + params.title) + "\n";
  if (table.size() > 1) text += "\n" + table.text();
  text += sweep_tables(comparison);
  text += section("Sensitivity", sensitivity_notes(comparison));
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
    if (const std::string tables = sweep_tables(*comparison); !tables.empty()) text += "\n" + name + "\n" + tables;
    text += section(name + ": sensitivity", sensitivity_notes(*comparison));
    text += section(name + ": calibrated (values marked *)", calibration_notes(*comparison));
    text += section(name + ": notes", compare_notes(*comparison));
  }
  return text + "\n" + tally(comparisons) + "\n";
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sc_main/compare_cells.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

constexpr std::size_t kWidth = 120;
constexpr std::size_t kGap = 2;    // between columns
constexpr std::size_t kFixed = 3;  // columns before those of the values

using Cells = std::vector<std::string>;

/// ` =` for a published number that holds, and so on; see kLegend.
std::string mark(const CompareRow& row, bool is_change) {
  for (const Judgement& number : row.numbers) {
    if (number.is_change != is_change) continue;
    if (number.verdict == Verdict::misses) return " !";
    if (number.verdict == Verdict::not_explained) return " ?";
    return number.kind == FigureKind::predicted ? " =" : " *";
  }
  return "";
}
constexpr std::string_view kLegend =
    "= agrees with what was published, ! misses it, ? not explained, * fitted, ~ not distinguishable from zero";

/// The lines of one sweep.
class SweepLines {
 public:
  SweepLines(const Comparison& comparison, const Sweep& sweep) : comparison_(comparison), sweep_(sweep) {
    Cells heading{"metric", "variant", "published"};
    for (const std::string& value : sweep.over.values)
      heading.push_back(value + (value == sweep.over.reference ? " (ref)" : ""));
    lines_.push_back(std::move(heading));
    for (const std::string& metric : metrics())
      for (const std::size_t v : comparison.experiment().case_variants[sweep.first_case]) add(metric, v);
  }
  const std::vector<Cells>& lines() const { return lines_; }

 private:
  /// Figures of single values may bring metrics of their own.
  std::vector<std::string> metrics() const {
    std::vector<std::string> names;
    for (std::size_t c = sweep_.first_case; c < sweep_.first_case + sweep_.size(); ++c)
      for (const std::string& name : comparison_.experiment().metrics(c))
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
  }

  /// The value of the baseline; of others the change, and the value where it was published or there is no change.
  void add(const std::string& metric, std::size_t variant) {
    std::vector<const CompareRow*> rows;
    bool has_change = false, has_value = variant == comparison_.experiment().baseline;
    for (std::size_t c = sweep_.first_case; c < sweep_.first_case + sweep_.size(); ++c) {
      const CompareRow* row = comparison_.row(c, variant, metric);
      rows.push_back(row);
      has_change |= row && row->change;
      has_value |= row && row->figure && row->figure->value;
    }
    if (has_value || !has_change) add_line(metric, variant, rows, false);
    if (has_change) add_line(metric, variant, rows, true);
  }

  void add_line(const std::string& metric, std::size_t variant, const std::vector<const CompareRow*>& rows,
                bool is_change) {
    Cells line{metric, comparison_.variant_name(variant), ""};
    for (const CompareRow* row : rows) {
      if (row && line[2].empty()) line[2] = is_change ? published_change(*row) : published_value(*row);
      line.push_back(row ? cell(*row, is_change) : "-");
    }
    lines_.push_back(std::move(line));
  }

  static std::string cell(const CompareRow& row, bool is_change) {
    if (!row.error.empty()) return "failed";
    std::string text = is_change ? change_cell(row) : value_cell(row);
    if (text.empty()) return "-";
    if (is_change && includes_zero(row)) text += " ~";
    return text.ends_with(" *") ? text.substr(0, text.size() - 2) + mark(row, is_change) : text + mark(row, is_change);
  }

  const Comparison& comparison_;
  const Sweep& sweep_;
  std::vector<Cells> lines_;
};

/// Columns `first` to `last` beside the fixed ones.
std::string block_text(const std::vector<Cells>& lines, std::size_t first, std::size_t last) {
  const auto part = [&](const Cells& line) {
    Cells cells(line.begin(), line.begin() + kFixed);
    cells.insert(cells.end(), line.begin() + static_cast<std::ptrdiff_t>(first),
                 line.begin() + static_cast<std::ptrdiff_t>(last));
    return cells;
  };
  TextTable table(part(lines.front()));
  for (std::size_t i = 1; i < lines.size(); ++i) table.add(part(lines[i]));
  return table.text();
}

std::string table_text(const std::vector<Cells>& lines) {
  const std::size_t columns = lines.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], shown_width(line[i]) + kGap);
  const std::size_t fixed = widths[0] + widths[1] + widths[2];
  std::string text;
  for (std::size_t first = kFixed; first < columns;) {
    std::size_t last = first, used = fixed;
    while (last < columns && (last == first || used + widths[last] <= kWidth + kGap)) used += widths[last++];
    text += (text.empty() ? "" : "\n") + block_text(lines, first, last);
    first = last;
  }
  return text;
}

std::string heading(const CaseParams& one, const Sweep& sweep) {
  const std::string title = one.title.empty() ? "" : ": " + one.title;
  const std::string path = sweep.over.title.empty() ? "" : fmt::format(" ({})", sweep.parameter());
  return fmt::format("{}{}, over {}{}{}", sweep.name, title, sweep.title(), path, one.what_if ? ", what if" : "");
}

}  // namespace

std::string sweep_tables(const Comparison& comparison) {
  std::string text;
  for (const Sweep& sweep : comparison.experiment().sweeps)
    text += fmt::format("\n{}\n{}", heading(comparison.experiment().params.cases[sweep.first_case], sweep),
                        table_text(SweepLines(comparison, sweep).lines()));
  return text.empty() ? "" : text + fmt::format("\n{}\n", kLegend);
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config/text.h"
#include "sc_main/compare_cells.h"

namespace switchyard::cli {
namespace {

std::string run_name(const Comparison& comparison, const CompareRun& run) {
  return comparison.case_name(run.case_index) + "/" + comparison.variant_name(run.variant_index);
}

/// Adds `text`, said of `subject`, to a list where the same text of several subjects is one line.
class GroupedLines {
 public:
  void add(const std::string& subject, const std::string& text) {
    const auto known =
        std::find_if(lines_.begin(), lines_.end(), [&](const auto& line) { return line.second == text; });
    if (known == lines_.end()) {
      lines_.push_back({{subject}, text});
    } else {
      if (known->first.back() != subject) known->first.push_back(subject);
    }
  }
  /// `all` names the subjects when one text is said of all of them.
  std::vector<std::string> lines(const std::string& all = "") const {
    std::vector<std::string> result;
    if (!all.empty() && lines_.size() == 1) return {fmt::format("{}: {}", all, lines_.front().second)};
    for (const auto& [subjects, text] : lines_)
      result.push_back(fmt::format("{}: {}", platforms::join(subjects), text));
    return result;
  }

 private:
  std::vector<std::pair<std::vector<std::string>, std::string>> lines_;
};

/// The number that was judged.
std::string predicted_text(const CompareRow& row) {
  const std::string change = change_cell(row);
  return row.judgement.is_change && !change.empty() ? change : value_cell(row);
}

double predicted(const CompareRow& row) {
  if (row.judgement.is_change && row.change) return row.change->mean;
  return row.value ? row.value->mean : 0;
}

/// Rows of one figure that are not explained: one, or one for each value of `over`.
class UnexplainedFigure {
 public:
  explicit UnexplainedFigure(const CompareRow& row) : rows_{&row} {}
  bool takes(const CompareRow& row) const {
    const CompareRow& first = *rows_.front();
    return first.figure->subject == row.figure->subject && first.variant_index == row.variant_index &&
           first.metric == row.metric && published_cell(first) == published_cell(row);
  }
  void add(const CompareRow& row) { rows_.push_back(&row); }

  std::string subject(const Comparison& comparison) const {
    const CompareRow& first = *rows_.front();
    const std::string rest = "/" + comparison.variant_name(first.variant_index) + " " + first.metric;
    const Sweep* sweep = comparison.experiment().sweep(first.case_index);
    if (!sweep || rows_.size() == 1) return comparison.case_name(first.case_index) + rest;
    std::vector<std::string> values;
    for (const CompareRow* row : rows_) values.push_back(sweep->value(row->case_index));
    return sweep->name + rest + (rows_.size() == sweep->size() ? "" : " at " + platforms::join(values));
  }

  /// `published +61.0 %, predicted -0.2 % to +0.3 %`
  std::string numbers() const {
    const auto [least, most] =
        std::minmax_element(rows_.begin(), rows_.end(),
                            [](const CompareRow* a, const CompareRow* b) { return predicted(*a) < predicted(*b); });
    const std::string low = predicted_text(**least), high = predicted_text(**most);
    return fmt::format("published {}, predicted {}{}", published_cell(*rows_.front()), low,
                       low == high ? "" : " to " + high);
  }

 private:
  std::vector<const CompareRow*> rows_;
};

/// Figures that are not explained for the same reason.
class UnexplainedGroup {
 public:
  explicit UnexplainedGroup(std::string reason) : reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }
  void add(const CompareRow& row) {
    const auto known =
        std::find_if(figures_.begin(), figures_.end(), [&](const UnexplainedFigure& one) { return one.takes(row); });
    if (known == figures_.end())
      figures_.emplace_back(row);
    else
      known->add(row);
  }

  std::string text(const Comparison& comparison) const {
    if (figures_.size() == 1)
      return fmt::format("{}: not explained: {} ({})", figures_.front().subject(comparison), reason_,
                         figures_.front().numbers());
    std::vector<std::string> texts;
    for (const UnexplainedFigure& one : figures_)
      texts.push_back(fmt::format("{} ({})", one.subject(comparison), one.numbers()));
    return fmt::format("{}: not explained: {}", platforms::join(texts), reason_);
  }

 private:
  std::string reason_;
  std::vector<UnexplainedFigure> figures_;
};

std::vector<UnexplainedGroup> unexplained(const Comparison& comparison) {
  std::vector<UnexplainedGroup> groups;
  for (const CompareRow& row : comparison.rows()) {
    if (!row.figure || row.judgement.verdict != Verdict::not_explained) continue;
    const std::string& reason = row.figure->unexplained;
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const UnexplainedGroup& one) { return one.reason() == reason; });
    (known == groups.end() ? groups.emplace_back(reason) : *known).add(row);
  }
  return groups;
}

}  // namespace

std::vector<std::string> compare_notes(const Comparison& comparison) {
  GroupedLines notes;
  const ExperimentParams& params = comparison.experiment().params;
  for (const CompareRun& run : comparison.runs())
    if (const std::string failure = run.result->failure(); !failure.empty())
      notes.add(run_name(comparison, run), "the run failed: " + failure);
  for (std::size_t c = 0; c < params.cases.size(); ++c) {
    const Sweep* sweep = comparison.experiment().sweep(c);
    if (const CaseParams& one = params.cases[c]; !one.note.empty()) notes.add(sweep ? sweep->name : one.name, one.note);
  }
  for (const CompareRow& row : comparison.rows()) {
    const std::string subject = fmt::format("{}/{} {}", comparison.case_name(row.case_index),
                                            comparison.variant_name(row.variant_index), row.metric);
    const RunResult* run = comparison.run(row.case_index, row.variant_index);
    if (!row.error.empty() && run->failure().empty()) notes.add(subject, row.error);
    if (!row.figure) continue;
    if (!row.figure->note.empty())
      notes.add(fmt::format("{}/{} {}", row.figure->subject, comparison.variant_name(row.variant_index), row.metric),
                row.figure->note);
  }
  std::vector<std::string> lines = notes.lines();
  for (const UnexplainedGroup& group : unexplained(comparison)) lines.push_back(group.text(comparison));
  return lines;
}

std::vector<std::string> calibration_notes(const Comparison& comparison) {
  const Experiment& experiment = comparison.experiment();
  std::vector<std::string> result;
  for (std::size_t i = 0; i < comparison.calibrations().size(); ++i) {
    const Calibration& entry = experiment.calibrations[i];
    std::vector<std::string> others;
    for (const std::size_t c : entry.cases)
      if (c != entry.target_case) others.push_back(comparison.case_name(c));
    std::string line = calibration_text(experiment, i, comparison.calibrations()[i]);
    if (!others.empty()) line += "; taken over by " + platforms::join(others);
    if (!entry.note.empty()) line += "; " + entry.note;
    result.push_back(line);
  }
  return result;
}

std::vector<std::string> origin_notes(const Comparison& comparison) {
  GroupedLines lines;
  std::size_t previous = comparison.runs().size();
  for (const CompareRun& run : comparison.runs()) {
    if (run.case_index == previous || !run.result->error.empty()) continue;
    previous = run.case_index;
    const OriginCounts& from = run.result->origins;
    lines.add(comparison.case_name(run.case_index),
              fmt::format("{} values assumed, {} calibrated, {} documented, {} measured", from.assumed, from.calibrated,
                          from.documented, from.measured));
  }
  return lines.lines("all cases");
}

}  // namespace switchyard::cli

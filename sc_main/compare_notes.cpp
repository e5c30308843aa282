// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config/text.h"

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
      known->first.push_back(subject);
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

std::string scale_text(const platforms::RunOutcome& outcome) {
  if (!outcome.has_loop) return "the whole run, nothing scaled";
  const platforms::LoopRecord& loop = outcome.loop;
  const std::string kept = loop.converged || loop.iterations + loop.warm_up >= loop.count
                               ? ""
                               : "; stopped before the confidence interval was reached";
  return fmt::format("{} iterations simulated after {} of warm-up, scaled to {}{}", loop.iterations, loop.warm_up,
                     loop.count, kept);
}

}  // namespace

std::vector<std::string> compare_notes(const Comparison& comparison) {
  GroupedLines notes;
  const ExperimentParams& params = comparison.experiment().params;
  for (const CompareRun& run : comparison.runs())
    if (const std::string failure = run.result->failure(); !failure.empty())
      notes.add(run_name(comparison, run), "the run failed: " + failure);
  for (const CaseParams& one : params.cases)
    if (!one.note.empty()) notes.add(one.name, one.note);
  for (const CompareRow& row : comparison.rows()) {
    const std::string subject = fmt::format("{}/{} {}", comparison.case_name(row.case_index),
                                            comparison.variant_name(row.variant_index), row.metric);
    const RunResult* run = comparison.run(row.case_index, row.variant_index);
    if (!row.error.empty() && run->failure().empty()) notes.add(subject, row.error);
    if (!row.figure) continue;
    if (!row.figure->note.empty()) notes.add(subject, row.figure->note);
    if (row.judgement.verdict == Verdict::not_explained)
      notes.add(subject, "not explained: " + row.figure->unexplained);
  }
  return notes.lines();
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

std::vector<std::string> scale_notes(const Comparison& comparison) {
  GroupedLines lines;
  for (const CompareRun& run : comparison.runs())
    if (run.result->error.empty()) lines.add(run_name(comparison, run), scale_text(run.result->outcome));
  return lines.lines("all runs");
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

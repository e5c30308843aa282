// SPDX-License-Identifier: Apache-2.0
#include "sc_main/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace switchyard::cli {
namespace {

Verdict verdict_of(const Figure& figure, bool is_near, bool is_no_effect) {
  if (is_near) return is_no_effect ? Verdict::no_effect : Verdict::holds;
  return figure.unexplained.empty() ? Verdict::misses : Verdict::not_explained;
}

Judgement judge_number(const Figure& figure, Judgement start, std::optional<double> found, double published,
                       bool is_no_effect) {
  if (!found) {
    start.verdict = Verdict::misses;
    return start;
  }
  start.gap = *found - published;
  start.verdict = verdict_of(figure, std::abs(*start.gap) <= *start.tolerance, is_no_effect);
  return start;
}

/// A measured change that the mechanism must not give: no effect predicted leaves it unexplained, an effect is a miss
/// even where it is the measured one.
Judgement judge_bound(Judgement start, std::optional<double> found) {
  start.is_bound = true;
  start.gap = found;
  start.verdict = found && std::abs(*found) <= *start.tolerance ? Verdict::not_explained : Verdict::misses;
  return start;
}

std::optional<Judgement> judge_value(const Figure& figure, const Finding& finding) {
  if (!figure.value) return std::nullopt;
  Judgement start;
  start.kind = figure.is_target ? FigureKind::calibrated : FigureKind::predicted;
  start.tolerance = figure.value_tolerance;
  if (figure.is_target)
    start.tolerance = std::abs(*figure.value) * std::max(kCalibratedTolerance, figure.fit_tolerance);
  if (!start.tolerance) return std::nullopt;  // shown beside the change that is judged
  return judge_number(figure, start, finding.value, *figure.value, false);
}

std::optional<Judgement> judge_change(const Figure& figure, const Finding& finding) {
  if (!figure.change || !figure.change_tolerance) return std::nullopt;
  Judgement start;
  start.is_change = true;
  start.kind = figure.is_target && finding.baseline_is_calibrated ? FigureKind::calibrated : FigureKind::predicted;
  start.tolerance = figure.change_tolerance;
  if (figure.expects_no_effect && !figure.unexplained.empty()) return judge_bound(start, finding.change);
  return judge_number(figure, start, finding.change, *figure.change, figure.expects_no_effect);
}

bool is_miss(const Judgement& judgement) {
  return judgement.verdict == Verdict::misses || judgement.verdict == Verdict::not_explained;
}

/// Small is important.
int rank(const Judgement& judgement) {
  return (is_miss(judgement) ? 0 : 2) + (judgement.kind == FigureKind::predicted ? 0 : 1);
}

}  // namespace

std::string_view kind_name(FigureKind kind) { return kind == FigureKind::calibrated ? "calibrated" : "predicted"; }

std::string_view verdict_name(Verdict verdict) {
  static constexpr std::array<std::string_view, 5> kNames{"holds", "misses", "no-effect", "not-explained",
                                                          "no-reference"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<Judgement> judge_numbers(const Figure& figure, const Finding& finding) {
  std::vector<Judgement> all;
  for (const auto& one : {judge_change(figure, finding), judge_value(figure, finding)})
    if (one) all.push_back(*one);
  return all;
}

Judgement judge(const Figure& figure, const Finding& finding) {
  const std::vector<Judgement> all = judge_numbers(figure, finding);
  if (all.empty()) return {};
  return *std::min_element(all.begin(), all.end(),
                           [](const Judgement& a, const Judgement& b) { return rank(a) < rank(b); });
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platforms/config/text.h"
#include "sc_main/compare_cells.h"
#include "sc_main/experiment_check.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

using platforms::Estimate;

/// A variant at one value and at the reference.
struct Pair {
  const CompareRow* here = nullptr;
  const CompareRow* reference = nullptr;
  Relation relation() const { return relation_of(*here->change, *reference->change); }
};

std::size_t reference_case(const Sweep& sweep) {
  for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c)
    if (sweep.value(c) == sweep.over.reference) return c;
  return sweep.first_case;
}

/// All variants with a change of the first metric at both values.
std::vector<Pair> pairs(const Comparison& comparison, const Sweep& sweep, std::size_t case_index) {
  std::vector<Pair> result;
  const std::string metric = comparison.experiment().metrics(case_index).front();
  for (const std::size_t v : comparison.experiment().case_variants[case_index]) {
    const Pair one{comparison.row(case_index, v, metric), comparison.row(reference_case(sweep), v, metric)};
    if (one.here && one.reference && one.here->change && one.reference->change) result.push_back(one);
  }
  return result;
}

/// `kernel.params.costs.entry = 20 (out-of-range): sys 40.2 s, published 35.75 s`
std::vector<std::string> missed_targets(const Comparison& comparison, std::size_t case_index) {
  std::vector<std::string> texts;
  const std::vector<Calibration>& entries = comparison.experiment().calibrations;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CalibrationResult& result = comparison.calibrations()[i];
    if (entries[i].target_case != case_index || calibration_status(result) == "fitted") continue;
    const std::string unit = unit_of_metric(entries[i].metric), suffix = unit.empty() ? "" : " " + unit;
    texts.push_back(fmt::format("{} = {} ({}): {} {:.4g}{}, published {:.4g}{}", entries[i].parameter, result.value,
                                calibration_status(result), entries[i].metric, result.measured, suffix,
                                entries[i].target, suffix));
  }
  return texts;
}

std::string pair_text(const Comparison& comparison, const Pair& pair) {
  return fmt::format("{} {} against {} ({})", comparison.variant_name(pair.here->variant_index),
                     change_cell(*pair.here), change_cell(*pair.reference), relation_name(pair.relation()));
}

std::string value_note(const Comparison& comparison, const Sweep& sweep, std::size_t case_index) {
  std::vector<std::string> texts;
  for (const Pair& one : pairs(comparison, sweep, case_index))
    if (one.relation() != Relation::no_effect) texts.push_back(pair_text(comparison, one));
  const std::vector<std::string> missed = missed_targets(comparison, case_index);
  std::string text = fmt::format("{}: {} at {} against {}: {}", sweep.name,
                                 comparison.experiment().metrics(case_index).front(), sweep.value(case_index),
                                 sweep.over.reference, texts.empty() ? "no effect at either" : platforms::join(texts));
  if (!missed.empty())
    text += "; its baseline is not what was measured, and its changes are those of another machine: " +
            platforms::join(missed);
  return text;
}

bool is_zero(const Estimate& change) { return std::abs(change.mean) <= change.ci95; }

}  // namespace

std::string_view relation_name(Relation relation) {
  static constexpr std::array<std::string_view, 6> kNames{
      "no effect", "not distinguishable", "no effect here", "weaker", "stronger", "opposite"};
  return kNames[static_cast<std::size_t>(relation)];
}

Relation relation_of(const Estimate& here, const Estimate& reference) {
  if (is_zero(here) && is_zero(reference)) return Relation::no_effect;
  const double interval = std::hypot(here.ci95, reference.ci95);
  if (std::abs(here.mean - reference.mean) <= interval) return Relation::not_distinguishable;
  if (is_zero(here)) return Relation::none_here;
  if (!is_zero(reference) && here.mean * reference.mean < 0) return Relation::opposite;
  return std::abs(here.mean) < std::abs(reference.mean) ? Relation::weaker : Relation::stronger;
}

std::vector<std::string> reference_notes(const Comparison& comparison, const Sweep& sweep) {
  std::vector<std::string> lines;
  if (sweep.over.reference.empty()) return lines;
  for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c)
    if (sweep.value(c) != sweep.over.reference) lines.push_back(value_note(comparison, sweep, c));
  return lines;
}

nlohmann::ordered_json reference_json(const Comparison& comparison, const Sweep& sweep) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (sweep.over.reference.empty()) return list;
  for (std::size_t c = sweep.first_case; c < sweep.first_case + sweep.size(); ++c) {
    if (sweep.value(c) == sweep.over.reference) continue;
    for (const Pair& one : pairs(comparison, sweep, c))
      list.push_back({{"value", sweep.value(c)},
                      {"variant", comparison.variant_name(one.here->variant_index)},
                      {"metric", one.here->metric},
                      {"change", rounded(one.here->change->mean, 9)},
                      {"change_ci95", rounded(one.here->change->ci95, 9)},
                      {"reference_change", rounded(one.reference->change->mean, 9)},
                      {"reference_change_ci95", rounded(one.reference->change->ci95, 9)},
                      {"relation", relation_name(one.relation())},
                      {"baseline_is_fitted", missed_targets(comparison, c).empty()}});
  }
  return list;
}

}  // namespace switchyard::cli

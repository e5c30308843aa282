// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "base/errors.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/param_reader.h"
#include "platforms/config/text.h"
#include "sc_main/experiment_check.h"
#include "sc_main/experiment_runs.h"

namespace switchyard::cli {
namespace {

using platforms::Diagnostics;

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <class T>
std::size_t index_of(const std::vector<T>& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  return static_cast<std::size_t>(found - items.begin());
}

/// Turns a checked figure into base terms.
Figure make_figure(const ExpandedExperiment& expanded, const ExperimentText& text, std::size_t index) {
  const ExperimentParams& params = expanded.params;
  const PublishedParams& from = params.published[index];
  const auto has = [&](std::string_view key) { return text.has("published", expanded.published_origin[index], key); };
  Figure figure;
  figure.case_index = index_of(params.cases, from.case_name);
  figure.variant_index = index_of(params.variants, from.variant);
  figure.metric = from.metric;
  figure.expects_no_effect = from.expect == Expect::no_effect;
  figure.unexplained = from.unexplained;
  figure.note = from.note;
  figure.ref = from.ref;
  const double size = std::abs(from.value);
  if (has("value")) figure.value = from.value;
  if (has("error")) figure.value_error = from.error;
  if (has("error_percent")) figure.value_error = size * from.error_percent / 100;
  if (has("tolerance")) figure.value_tolerance = from.tolerance;
  if (has("tolerance_percent")) figure.value_tolerance = size * from.tolerance_percent / 100;
  if (has("change_percent") || figure.expects_no_effect) figure.change = from.change_percent / 100;
  if (has("error_points")) figure.change_error = from.error_points / 100;
  figure.change_tolerance = figure.change_error;
  if (has("tolerance_points")) figure.change_tolerance = from.tolerance_points / 100;
  if (!figure.value_tolerance && !figure.change) figure.value_tolerance = figure.value_error;
  return figure;
}

Calibration make_calibration(const Experiment& experiment, const CalibratedParams& from) {
  const ExperimentParams& params = experiment.params;
  Calibration result;
  result.parameter = from.parameter;
  result.min = from.min;
  result.max = from.max;
  for (const std::string& name : from.cases) result.cases.push_back(index_of(params.cases, name));
  result.target_case = index_of(params.cases, from.against.case_name);
  result.target_variant = index_of(params.variants, from.against.variant);
  result.metric = from.against.metric;
  const Figure* figure = experiment.figure(result.target_case, result.target_variant, result.metric);
  SWITCHYARD_ASSERT(figure && figure->value, "the check found the value");
  result.target = *figure->value;
  result.ref = figure->ref;
  result.note = from.note;
  return result;
}

void resolve_variants(Experiment& experiment) {
  const ExperimentParams& params = experiment.params;
  for (std::size_t v = 0; v < params.variants.size(); ++v)
    if (params.variants[v].baseline) experiment.baseline = v;
  for (const CaseParams& one : params.cases) {
    std::vector<std::size_t>& variants = experiment.case_variants.emplace_back();
    for (std::size_t v = 0; v < params.variants.size(); ++v)
      if (one.variants.empty() || index_of(one.variants, params.variants[v].name) < one.variants.size())
        variants.push_back(v);
  }
}

void resolve(Experiment& experiment, const ExpandedExperiment& expanded, const ExperimentText& text) {
  const ExperimentParams file = std::exchange(experiment.params, expanded.params);
  experiment.sweeps = expanded.sweeps;
  resolve_variants(experiment);
  for (std::size_t i = 0; i < expanded.params.published.size(); ++i) {
    experiment.figures.push_back(make_figure(expanded, text, i));
    experiment.figures.back().subject = file.published[expanded.published_origin[i]].case_name;
    experiment.figures.back().fit_tolerance = file.fit_tolerance.value;
  }
  for (const CalibratedParams& entry : expanded.params.calibrated)
    experiment.calibrations.push_back(make_calibration(experiment, entry));
  for (Figure& figure : experiment.figures)
    for (const Calibration& entry : experiment.calibrations)
      figure.is_target |= entry.target_case == figure.case_index && entry.target_variant == figure.variant_index &&
                          entry.metric == figure.metric;
}

/// A value that no calibration reaches is a prediction, which needs a tolerance.
void check_tolerances(const Experiment& experiment, const ExpandedExperiment& expanded, const ExperimentText& text,
                      Diagnostics& diagnostics) {
  std::set<std::size_t> said;  // entries of the file
  for (std::size_t i = 0; i < experiment.figures.size(); ++i) {
    const Figure& figure = experiment.figures[i];
    if (!figure.value || figure.change || figure.is_target || figure.value_tolerance) continue;
    if (!said.insert(expanded.published_origin[i]).second) continue;
    const Spot spot = text.spot("published", expanded.published_origin[i]);
    diagnostics.error(spot.place, spot.path,
                      "say how near a predicted value must come: tolerance_percent (or error_percent, ...)");
  }
}

std::string in_directory_of(const std::string& experiment, const std::string& file) {
  return (std::filesystem::path(experiment).parent_path() / file).lexically_normal().generic_string();
}

}  // namespace

bool Calibration::applies_to(std::size_t case_index) const {
  return std::find(cases.begin(), cases.end(), case_index) != cases.end();
}

std::string Calibration::override_text(std::uint64_t value, const std::string& target_text) const {
  return fmt::format("{}={{value: {}{}, from: calibrated, ref: {}}}", parameter, value,
                     kind == ParameterValue::Kind::cycles ? " cycles" : "", platforms::quoted(target_text));
}

RunRequest Experiment::request(std::size_t case_index, std::size_t variant_index) const {
  const CaseParams& one = params.cases[case_index];
  const VariantParams& variant = params.variants[variant_index];
  RunRequest result{one.name + "/" + variant.name, {}, one.set, one.seeds};
  for (const auto* files : {&one.files, &variant.files})
    for (const std::string& name : *files) result.files.push_back(in_directory_of(file, name));
  result.sets.insert(result.sets.end(), variant.set.begin(), variant.set.end());
  if (const Sweep* over = sweep(case_index))  // last, so that a table over a parameter never lies
    for (std::string& set : over->overrides(case_index)) result.sets.push_back(std::move(set));
  return result;
}

const Sweep* Experiment::sweep(std::size_t case_index) const {
  for (const Sweep& one : sweeps)
    if (one.has(case_index)) return &one;
  return nullptr;
}

const Figure* Experiment::figure(std::size_t case_index, std::size_t variant_index, const std::string& metric) const {
  for (const Figure& one : figures)
    if (one.case_index == case_index && one.variant_index == variant_index && one.metric == metric) return &one;
  return nullptr;
}

std::vector<std::string> Experiment::metrics(std::size_t case_index) const {
  std::vector<std::string> names = params.metrics;
  const std::vector<std::string>& own = params.cases[case_index].metrics;
  names.insert(names.end(), own.begin(), own.end());
  for (const Figure& one : figures)
    if (one.case_index == case_index) names.push_back(one.metric);
  std::vector<std::string> result;
  for (std::string& name : names)
    if (index_of(result, name) == result.size()) result.push_back(std::move(name));
  return result;
}

bool is_experiment_file(const std::string& path) {
  try {
    Diagnostics diagnostics;
    return platforms::load_config({path}, {}, diagnostics).root.find("experiment") != nullptr;
  } catch (const base::ConfigError&) {
    return false;
  }
}

Experiment load_experiment(const std::string& path, const Simulator& simulator) {
  Diagnostics diagnostics;
  platforms::Provenance provenance;
  Experiment experiment;
  experiment.file = path;
  const platforms::ConfigTree tree = platforms::load_config({path}, {}, diagnostics);
  platforms::read_params(tree, experiment.params, diagnostics, provenance);
  const ExperimentText text(tree);
  const ExpandedExperiment expanded = expand(experiment.params);
  ExperimentCheck(experiment.params, text, diagnostics).run();
  ExpandedCheck(expanded, text, diagnostics).run();
  diagnostics.throw_if_any();  // without names that fit there are no runs to look at
  resolve(experiment, expanded, text);
  check_tolerances(experiment, expanded, text, diagnostics);
  const std::vector<std::string> foreign = check_runs(experiment, {simulator, expanded, text, diagnostics});
  std::vector<std::string> messages = diagnostics.messages();
  messages.insert(messages.end(), foreign.begin(), foreign.end());
  if (!messages.empty()) throw base::ConfigError(platforms::join(messages, "\n"));
  return experiment;
}

}  // namespace switchyard::cli

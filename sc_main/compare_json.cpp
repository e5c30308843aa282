// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_json.h"

#include <optional>

#include "sc_main/compare_notes.h"
#include "sc_main/compare_sweep.h"
#include "sc_main/experiment_check.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) { return value ? Json(rounded(*value, 9)) : Json(nullptr); }

Json mean_of(const std::optional<platforms::Estimate>& e) { return e ? number(e->mean) : Json(nullptr); }
Json ci_of(const std::optional<platforms::Estimate>& e, bool has_interval) {
  return e && has_interval ? number(e->ci95) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row_json(const Comparison& comparison, const CompareRow& row) {
  const Judgement& judgement = row.judgement;
  const bool is_judged = judgement.verdict != Verdict::no_reference;
  const Figure none, &figure = row.figure ? *row.figure : none;
  Json json;
  json["case"] = comparison.case_name(row.case_index);
  json["variant"] = comparison.variant_name(row.variant_index);
  json["metric"] = row.metric;
  json["unit"] = row.unit;
  json["value"] = mean_of(row.value);
  json["ci95"] = ci_of(row.value, row.has_interval);
  json["baseline"] = number(row.baseline);
  json["change"] = mean_of(row.change);
  json["change_ci95"] = ci_of(row.change, row.change_has_interval);
  json["published"] = number(figure.value);
  json["published_error"] = number(figure.value_error);
  json["published_change"] = number(figure.change);
  json["published_change_error"] = number(figure.change_error);
  json["kind"] = kind_name(judgement.kind);
  json["verdict"] = verdict_name(judgement.verdict);
  json["judged"] = is_judged ? Json(judgement.is_change ? "change" : "value") : Json(nullptr);
  json["tolerance"] = number(judgement.tolerance);
  json["gap"] = number(judgement.gap);
  json["value_kind"] = kind_name(row.value_is_calibrated ? FigureKind::calibrated : FigureKind::predicted);
  json["what_if"] = comparison.experiment().params.cases[row.case_index].what_if;
  const Sweep* sweep = comparison.experiment().sweep(row.case_index);
  json["over"] =
      sweep ? Json{{"parameter", sweep->parameter()}, {"value", sweep->value(row.case_index)}} : Json(nullptr);
  json["error"] = text_or_null(row.error);
  json["ref"] = text_or_null(figure.ref);
  return json;
}

Json calibration_json(const Comparison& comparison, std::size_t index) {
  const Experiment& experiment = comparison.experiment();
  const Calibration& entry = experiment.calibrations[index];
  const CalibrationResult& result = comparison.calibrations()[index];
  Json json;
  json["parameter"] = entry.parameter;
  json["unit"] = entry.kind == ParameterValue::Kind::cycles ? "cycles" : "";
  json["value"] = result.value;
  json["start"] = entry.start;
  json["min"] = entry.min;
  json["max"] = entry.max;
  json["needed"] = number(result.needed);
  json["cases"] = Json::array();
  for (const std::size_t c : entry.cases) json["cases"].push_back(comparison.case_name(c));
  json["against"] = {{"case", comparison.case_name(entry.target_case)},
                     {"variant", comparison.variant_name(entry.target_variant)},
                     {"metric", entry.metric},
                     {"published", number(entry.target)},
                     {"ref", entry.ref}};
  const bool is_measured = result.error.empty();
  json["measured"] = is_measured ? number(result.measured) : Json(nullptr);
  json["residual"] = is_measured && entry.target != 0 ? number(result.measured / entry.target - 1) : Json(nullptr);
  json["status"] = calibration_status(result);
  json["runs"] = result.runs;
  json["text"] = calibration_text(experiment, index, result);
  return json;
}

Json run_json(const Comparison& comparison, const CompareRun& run) {
  const RunResult& result = *run.result;
  Json json;
  json["case"] = comparison.case_name(run.case_index);
  json["variant"] = comparison.variant_name(run.variant_index);
  json["config_hash"] = text_or_null(result.hash);
  json["error"] = text_or_null(result.failure());
  json["iterations"] = result.outcome.loop.iterations;
  json["warm_up"] = result.outcome.loop.warm_up;
  json["count"] = result.outcome.loop.count;
  json["converged"] = result.outcome.loop.converged;
  json["values_from"] = {{"measured", result.origins.measured},
                         {"documented", result.origins.documented},
                         {"calibrated", result.origins.calibrated},
                         {"assumed", result.origins.assumed}};
  return json;
}

}  // namespace

Json compare_json(const Comparison& comparison) {
  const ExperimentParams& params = comparison.experiment().params;
  Json json;
  json["experiment"] = params.name;
  json["version"] = SWITCHYARD_VERSION;
  json["config_hash"] = comparison.config_hash();
  json["title"] = params.title;
  json["source"] = params.source;
  json["rows"] = Json::array();
  for (const CompareRow& row : comparison.rows()) json["rows"].push_back(row_json(comparison, row));
  json["sensitivity"] = sensitivity_json(comparison);
  json["calibration"] = Json::array();
  for (std::size_t i = 0; i < comparison.calibrations().size(); ++i)
    json["calibration"].push_back(calibration_json(comparison, i));
  json["runs"] = Json::array();
  for (const CompareRun& run : comparison.runs()) json["runs"].push_back(run_json(comparison, run));
  json["notes"] = compare_notes(comparison);
  return json;
}

}  // namespace switchyard::cli

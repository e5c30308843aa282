// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/errors.h"
#include "sc_main/format.h"
#include "sc_main/sweep/axis_effect.h"
#include "sc_main/sweep/run_folder.h"
#include "sc_main/sweep/sweep_command.h"
#include "sc_main/text_table.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

/// One metric of both sides.
struct DiffRow {
  std::string metric, unit;
  std::optional<platforms::Estimate> a, b;
  std::optional<Difference> difference;

  std::optional<double> share() const {
    if (!difference || !a || a->mean == 0) return std::nullopt;
    return difference->mean / std::abs(a->mean);
  }
};

/// `DIR:POINT` of a sweep, or the folder of a run.
TablePoint side_of(const std::string& name) {
  if (is_run_folder(name)) return read_run_folder(name);
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos && is_store(name.substr(0, colon)))
    return read_sweep_table(name.substr(0, colon)).point(name.substr(colon + 1));
  if (is_store(name)) throw base::ConfigError(name, "this is a sweep; name a point, such as " + name + ":1");
  throw base::ConfigError(name, "neither the folder of a run nor a point of a sweep (DIR:NUMBER or DIR:NAME)");
}

std::vector<std::string> metrics_of(const TablePoint& a, const TablePoint& b) {
  std::vector<std::string> names;
  for (const TablePoint* point : {&a, &b})
    for (const StoredRun& run : point->runs)
      for (const MetricValue& value : run.values)
        if (std::find(names.begin(), names.end(), value.metric) == names.end()) names.push_back(value.metric);
  return names;
}

std::string unit_of(const TablePoint& point, const std::string& metric) {
  for (const StoredRun& run : point.runs)
    if (const MetricValue* value = run.find(metric)) return value->unit == "count" ? "" : value->unit;
  return "";
}

std::vector<DiffRow> compare(const TablePoint& a, const TablePoint& b) {
  std::vector<DiffRow> rows;
  for (const std::string& metric : metrics_of(a, b)) {
    const std::string unit = unit_of(a, metric);
    rows.push_back({metric, unit.empty() ? unit_of(b, metric) : unit, a.estimate(metric), b.estimate(metric),
                    point_difference(a, b, metric)});
  }
  return rows;
}

std::string estimate_cell(const std::optional<platforms::Estimate>& estimate, const std::string& unit) {
  if (!estimate) return "-";
  return with_error(number(estimate->mean), estimate->ci95 > 0 ? fmt::format("{:.2g}", estimate->ci95) : "", unit);
}

std::string change_cell(const DiffRow& row) {
  if (!row.difference) return "-";
  const auto share = row.share();
  if (!share) return with_error(number(row.difference->mean), "", row.unit);
  const double ci95 = row.difference->ci95.value_or(0) / std::abs(row.a->mean);
  return with_error(fmt::format("{:+.2f}", 100 * *share), ci95 > 0 ? fmt::format("{:.2g}", 100 * ci95) : "", "%");
}

std::string verdict_cell(const DiffRow& row) {
  if (!row.difference) return "one side has no result";
  if (!row.difference->p_value) return row.difference->mean == 0 ? "the same" : "differs (one run each, no interval)";
  const std::string p =
      *row.difference->p_value < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", *row.difference->p_value);
  return fmt::format("{} ({}, {})", row.difference->is_significant() ? "differs" : "no difference found", p,
                     row.difference->is_paired ? "paired seeds" : "not paired");
}

Json row_json(const DiffRow& row) {
  const auto estimate = [](const std::optional<platforms::Estimate>& e) {
    return e ? Json{{"mean", e->mean}, {"ci95", e->ci95 > 0 ? Json(e->ci95) : Json(nullptr)}} : Json(nullptr);
  };
  Json json{{"metric", row.metric},
            {"unit", row.unit},
            {"a", estimate(row.a)},
            {"b", estimate(row.b)},
            {"difference", nullptr}};
  if (!row.difference) return json;
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  json["difference"] = {{"mean", row.difference->mean},           {"share", optional(row.share())},
                        {"ci95", optional(row.difference->ci95)}, {"p_value", optional(row.difference->p_value)},
                        {"paired", row.difference->is_paired},    {"significant", row.difference->is_significant()}};
  return json;
}

void diff(const std::string& first, const std::string& second, Context& context) {
  const TablePoint a = side_of(first), b = side_of(second);
  const std::vector<DiffRow> rows = compare(a, b);
  if (context.json) {
    Json document{{"a", a.name}, {"b", b.name}, {"metrics", Json::array()}};
    for (const DiffRow& row : rows) document["metrics"].push_back(row_json(row));
    return context.print_json(document);
  }
  context.print(fmt::format("a: {}\nb: {}\n\n", a.name, b.name));
  TextTable table({"metric", "a", "b", "change", ""});
  std::size_t same = 0;
  for (const DiffRow& row : rows) {
    const bool is_same_count = row.difference && !row.difference->p_value && row.difference->mean == 0;
    if (is_same_count && row.metric.starts_with("stat.")) {
      ++same;
      continue;
    }
    table.add({row.metric, estimate_cell(row.a, row.unit), estimate_cell(row.b, row.unit), change_cell(row),
               verdict_cell(row)});
  }
  context.print(table.text());
  if (same > 0) context.print(fmt::format("{} statistics are the same\n", same));
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  const auto sides = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App& command = *app.add_subcommand("diff", "Compare two runs, or two points of sweeps");
  command.add_option("A", sides->first, "Folder of a run, or DIR:POINT of a sweep, by number or name")->required();
  command.add_option("B", sides->second, "The same")->required();
  add_json_flag(command, context);
  command.callback([sides, &context] { diff(sides->first, sides->second, context); });
}

}  // namespace switchyard::cli

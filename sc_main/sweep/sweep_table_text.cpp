// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platforms/config/value_text.h"
#include "sc_main/format.h"
#include "sc_main/sweep/sweep_table.h"
#include "sc_main/text_table.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shown_unit(const std::string& unit) { return unit == "count" ? "" : unit; }

std::string estimate_cell(const std::optional<platforms::Estimate>& estimate, const std::string& unit) {
  if (!estimate) return "-";
  return with_error(number(estimate->mean), estimate->ci95 > 0 ? fmt::format("{:.2g}", estimate->ci95) : "",
                    shown_unit(unit));
}

std::string status_cell(const TablePoint& point) {
  const std::size_t failed = point.count(RunStatus::failed), missing = point.count(RunStatus::missing);
  if (failed == 0 && missing == 0) return "";
  if (failed == 0) return fmt::format("{} missing", missing);
  std::string why;
  for (const StoredRun& run : point.runs)
    if (run.status == RunStatus::failed && why.empty()) why = one_line(run.error);
  return fmt::format("{} failed: {}", failed, why);
}

std::vector<std::string> column_names(const SweepTable& table) {
  std::vector<std::string> names;
  for (const SweepTable::Column& column : table.columns) names.push_back(column.name);
  return names;
}

void append(std::vector<std::string>& fields, const std::vector<std::string>& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

std::vector<std::string> values_of(const TablePoint& point) {
  std::vector<std::string> values;
  for (const auto& value : point.values) values.push_back(value.value_or(""));
  return values;
}

Json estimate_json(const TablePoint& point, const std::string& metric, const std::string& unit) {
  const auto estimate = point.estimate(metric);
  if (!estimate) return nullptr;
  return {{"mean", estimate->mean},
          {"ci95", estimate->ci95 > 0 ? Json(estimate->ci95) : Json(nullptr)},
          {"unit", unit},
          {"samples", point.samples(metric)}};
}

Json point_json(const SweepTable& table, const TablePoint& point) {
  Json json{{"point", point.number}, {"name", point.name}, {"values", Json::object()}};
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    json["values"][table.columns[c].name] = point.values[c] ? Json(*point.values[c]) : Json(nullptr);
  json["metrics"] = Json::object();
  for (const std::string& metric : table.metrics)
    json["metrics"][metric] = estimate_json(point, metric, table.unit(metric));
  json["runs"] = Json::array();
  for (const StoredRun& run : point.runs)
    json["runs"].push_back({{"seed", run.seed},
                            {"status", status_name(run.status)},
                            {"error", run.error},
                            {"config_hash", run.config_hash},
                            {"folder", run.folder}});
  return json;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    const bool is_plain = fields[i].find_first_of(",\"\r\n") == std::string::npos;
    line += is_plain ? fields[i] : sql_name(fields[i]);  // quotes are doubled as in SQL names
  }
  return line + "\n";
}

std::string table_text(const SweepTable& table) {
  std::vector<std::string> heading{"point"};
  append(heading, table.columns.empty() ? std::vector<std::string>{"name"} : column_names(table));
  heading.push_back("seeds");
  append(heading, table.metrics);
  heading.push_back("");
  TextTable text(heading);
  for (const TablePoint& point : table.points) {
    std::vector<std::string> row{std::to_string(point.number)};
    append(row, table.columns.empty() ? std::vector<std::string>{point.name} : values_of(point));
    row.push_back(std::to_string(point.runs.size()));
    for (const std::string& metric : table.metrics)
      row.push_back(estimate_cell(point.estimate(metric), table.unit(metric)));
    row.push_back(status_cell(point));
    text.add(std::move(row));
  }
  return text.text();
}

std::string points_csv(const SweepTable& table) {
  std::vector<std::string> heading{"point", "name"};
  append(heading, column_names(table));
  append(heading, {"seeds", "failed", "missing"});
  for (const std::string& metric : table.metrics) append(heading, {metric, metric + ".ci95"});
  std::string text = csv_line(heading);
  for (const TablePoint& point : table.points) {
    std::vector<std::string> row{std::to_string(point.number), point.name};
    append(row, values_of(point));
    append(row, {std::to_string(point.runs.size()), std::to_string(point.count(RunStatus::failed)),
                 std::to_string(point.count(RunStatus::missing))});
    for (const std::string& metric : table.metrics) {
      const auto estimate = point.estimate(metric);
      row.push_back(estimate ? platforms::value_text(estimate->mean) : "");
      row.push_back(estimate && estimate->ci95 > 0 ? platforms::value_text(estimate->ci95) : "");
    }
    text += csv_line(row);
  }
  return text;
}

std::string runs_csv(const SweepTable& table) {
  std::vector<std::string> heading{"point", "name"};
  append(heading, column_names(table));
  append(heading, {"seed", "status", "error", "folder"});
  append(heading, table.metrics);
  std::string text = csv_line(heading);
  for (const TablePoint& point : table.points) {
    for (const StoredRun& run : point.runs) {
      std::vector<std::string> row{std::to_string(point.number), point.name};
      append(row, values_of(point));
      append(row, {std::to_string(run.seed), std::string(status_name(run.status)), run.error, run.folder});
      for (const std::string& metric : table.metrics) {
        const MetricValue* value = run.find(metric);
        row.push_back(value ? platforms::value_text(value->value) : "");
      }
      text += csv_line(row);
    }
  }
  return text;
}

Json table_json(const SweepTable& table) {
  Json json{{"sweep", table.sweep}, {"columns", Json::array()}, {"metrics", table.metrics}, {"points", Json::array()}};
  for (const SweepTable::Column& column : table.columns)
    json["columns"].push_back({{"name", column.name}, {"title", column.title}, {"axis", column.axis}});
  for (const TablePoint& point : table.points) json["points"].push_back(point_json(table, point));
  return json;
}

}  // namespace switchyard::cli

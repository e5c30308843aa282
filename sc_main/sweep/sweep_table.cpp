// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/statistics.h"

namespace switchyard::cli {
namespace {

std::int64_t whole(const SqlValue& value) { return std::get<std::int64_t>(value); }

void read_columns(Database& database, SweepTable& table) {
  for (const SqlRow& row : database.query("SELECT name, title, axis FROM \"column\" ORDER BY position"))
    table.columns.push_back({sql_text(row[0]), sql_text(row[1]), sql_text(row[2])});
  for (const SqlRow& row : database.query("SELECT metric FROM measure ORDER BY position"))
    table.metrics.push_back(sql_text(row[0]));
}

void read_points(Database& database, SweepTable& table) {
  for (const SqlRow& row : database.query("SELECT number, name FROM point ORDER BY number"))
    table.points.push_back({static_cast<std::size_t>(whole(row[0])),
                            sql_text(row[1]),
                            std::vector<std::optional<std::string>>(table.columns.size()),
                            {}});
  for (const SqlRow& row : database.query("SELECT point, \"column\", value FROM setting"))
    table.points[static_cast<std::size_t>(whole(row[0])) - 1].values[static_cast<std::size_t>(whole(row[1]))] =
        sql_text(row[2]);
}

/// Values of runs that the plan shows, by run.
std::map<std::string, std::vector<MetricValue>> read_values(Database& database) {
  std::map<std::string, std::vector<MetricValue>> result;
  for (const SqlRow& row : database.query("SELECT run, metric, unit, value, ci95 FROM value"))
    result[sql_text(row[0])].push_back(
        {sql_text(row[1]), sql_text(row[2]), std::get<double>(row[3]), std::get<double>(row[4])});
  return result;
}

void read_runs(Database& database, SweepTable& table) {
  const auto values = read_values(database);
  for (const SqlRow& row :
       database.query("SELECT plan.point, plan.run, plan.seed, coalesce(run.status, 'missing'), run.error, run.folder, "
                      "run.config_hash FROM plan LEFT JOIN run ON run.key = plan.run ORDER BY plan.point, "
                      "plan.position")) {
    StoredRun& run = table.points[static_cast<std::size_t>(whole(row[0])) - 1].runs.emplace_back();
    run.key = sql_text(row[1]);
    run.seed = static_cast<std::uint64_t>(whole(row[2]));
    run.status = status_of(sql_text(row[3]));
    run.error = sql_text(row[4]);
    run.folder = sql_text(row[5]);
    run.config_hash = sql_text(row[6]);
    if (const auto found = values.find(run.key); found != values.end()) run.values = found->second;
  }
}

}  // namespace

std::vector<double> TablePoint::samples(const std::string& metric) const {
  std::vector<double> result;
  for (const StoredRun& run : runs)
    if (const MetricValue* value = run.status == RunStatus::done ? run.find(metric) : nullptr)
      result.push_back(value->value);
  return result;
}

std::optional<platforms::Estimate> TablePoint::estimate(const std::string& metric) const {
  const std::vector<double> all = samples(metric);
  if (all.empty()) return std::nullopt;
  if (all.size() > 1) return mean_of(all);
  for (const StoredRun& run : runs)
    if (const MetricValue* value = run.status == RunStatus::done ? run.find(metric) : nullptr)
      return platforms::Estimate{value->value, value->ci95};
  return std::nullopt;
}

std::size_t TablePoint::count(RunStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const StoredRun& run) { return run.status == status; }));
}

std::string SweepTable::unit(const std::string& metric) const {
  for (const TablePoint& point : points)
    for (const StoredRun& run : point.runs)
      if (const MetricValue* value = run.find(metric)) return value->unit;
  return "";
}

std::size_t SweepTable::count(RunStatus status) const {
  std::size_t sum = 0;
  for (const TablePoint& point : points) sum += point.count(status);
  return sum;
}

const TablePoint& SweepTable::point(const std::string& number_or_name) const {
  std::vector<std::string> names;
  for (const TablePoint& one : points) {
    if (one.name == number_or_name || std::to_string(one.number) == number_or_name) return one;
    names.push_back(one.name);
  }
  const std::string guess = platforms::nearest(number_or_name, names);
  throw base::ConfigError(
      "diff", fmt::format("no point is called {}{}; there are {}, counted from 1", platforms::shown(number_or_name),
                          guess.empty() ? "" : "; did you mean " + guess + "?", points.size()));
}

bool is_store(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder / kStoreFile, ignored);
}

SweepTable read_sweep_table(const std::filesystem::path& folder) {
  if (!is_store(folder))
    throw base::ConfigError(folder.generic_string(), fmt::format("holds no sweep (no {})", kStoreFile));
  Database database(folder / kStoreFile, Database::Access::read);
  SweepTable table;
  database.transaction([&] {  // one state of the store, while a driver may be writing
    for (const SqlRow& row : database.query("SELECT name FROM sweep")) table.sweep = sql_text(row.front());
    read_columns(database, table);
    read_points(database, table);
    read_runs(database, table);
  });
  return table;
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run_outcome.h"
#include "sc_main/sweep/sweep_store.h"

namespace switchyard::cli {

/// A point as the store shows it.
struct TablePoint {
  std::size_t number = 0;
  std::string name;
  std::vector<std::optional<std::string>> values;  ///< [column]
  std::vector<StoredRun> runs;                     ///< in the order of seeds

  /// Values of a metric, one for each run that is done; in the order of seeds.
  std::vector<double> samples(const std::string& metric) const;
  /// Their mean: over seeds with Student's t, or of the one run with its own interval. None when no run is done.
  std::optional<platforms::Estimate> estimate(const std::string& metric) const;
  std::size_t count(RunStatus status) const;
};

/// What a store shows, for everybody who only looks: tables, comparisons, reports.
struct SweepTable {
  struct Column {
    std::string name, title, axis;
  };
  std::string sweep;
  std::vector<Column> columns;
  std::vector<std::string> metrics;
  std::vector<TablePoint> points;

  std::string unit(const std::string& metric) const;
  std::size_t count(RunStatus status) const;
  /// By number or name; throws base::ConfigError with the nearest name.
  const TablePoint& point(const std::string& number_or_name) const;
};

/// Whether the folder holds a store.
bool is_store(const std::filesystem::path& folder);
/// Reads the store in `folder`, whether or not a sweep is running there; throws base::ConfigError when there is none.
SweepTable read_sweep_table(const std::filesystem::path& folder);

/// A table for a terminal.
std::string table_text(const SweepTable& table);
/// A row for each point, or for each run.
std::string points_csv(const SweepTable& table);
std::string runs_csv(const SweepTable& table);
nlohmann::ordered_json table_json(const SweepTable& table);

/// Fields with their commas and quotes protected (RFC 4180), and a line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace switchyard::cli

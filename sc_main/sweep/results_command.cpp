// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/errors.h"
#include "sc_main/sweep/axis_effect.h"
#include "sc_main/sweep/sweep_command.h"
#include "sc_main/sweep/sweep_table.h"
#include "sc_main/text_table.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ResultsArguments {
  std::string folder;
  std::optional<std::string> sql;
  bool csv = false, runs = false;
};

Json sql_json(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

void answer(const ResultsArguments& arguments, Context& context) {
  if (!is_store(arguments.folder))
    throw base::ConfigError(arguments.folder, fmt::format("holds no sweep (no {})", kStoreFile));
  Database database(std::filesystem::path(arguments.folder) / kStoreFile, Database::Access::read);
  std::vector<std::string> columns;
  const std::vector<SqlRow> rows = database.query_read_only(*arguments.sql, columns);
  if (context.json) {
    Json document = Json::array();
    for (const SqlRow& row : rows) {
      Json& one = document.emplace_back(Json::object());
      for (std::size_t c = 0; c < columns.size(); ++c) one[columns[c]] = sql_json(row[c]);
    }
    return context.print_json(document);
  }
  const auto texts = [](const SqlRow& row) {
    std::vector<std::string> result;
    for (const SqlValue& value : row) result.push_back(sql_text(value));
    return result;
  };
  TextTable table(columns);
  std::string csv = csv_line(columns);
  for (const SqlRow& row : rows) {
    table.add(texts(row));
    csv += csv_line(texts(row));
  }
  context.print(arguments.csv ? csv : table.text());
}

void results(const ResultsArguments& arguments, Context& context) {
  if (arguments.csv && context.json) throw base::ConfigError("command line", "--csv excludes --json");
  if (arguments.sql) return answer(arguments, context);
  const SweepTable table = read_sweep_table(arguments.folder);
  if (context.json) {
    Json document = table_json(table);
    document["axes"] = effects_json(table);
    return context.print_json(document);
  }
  if (arguments.csv) return context.print(arguments.runs ? runs_csv(table) : points_csv(table));
  context.print(table_text(table) + inert_axes_text(table) + warm_up_text(table));
}

}  // namespace

void add_results(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<ResultsArguments>();
  CLI::App& command = *app.add_subcommand("results", "Show what a sweep has given so far");
  command.add_option("DIR", arguments->folder, "Folder of the sweep")->required();
  auto* csv = command.add_flag("--csv", arguments->csv, "Print comma-separated values, a row for each point");
  auto* runs = command.add_flag("--runs", arguments->runs, "With --csv: a row for each run")->needs(csv);
  command.add_option("--sql", arguments->sql, "Answer a SELECT; the view `results` has a row for each run")
      ->excludes(runs);
  add_json_flag(command, context);
  command.callback([arguments, &context] { results(*arguments, context); });
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/run_folder.h"

#include <filesystem>
#include <set>

#include "base/errors.h"
#include "platforms/config/file_text.h"
#include "sc_main/metrics.h"

namespace switchyard::cli {
namespace {

constexpr const char* kStatsFile = "stats.json";

/// What `stats.json` keeps of an outcome: the loop and the statistics.
platforms::RunOutcome outcome_of(const nlohmann::json& json) {
  platforms::RunOutcome outcome;
  outcome.measured_s = json.at("measured_s").get<double>();
  if (const auto& loop = json.at("loop"); !loop.is_null()) {
    outcome.has_loop = true;
    outcome.loop.count = loop.at("count").get<std::uint64_t>();
    outcome.loop.iterations = loop.at("iterations").get<std::uint64_t>();
    const auto& ci95 = loop.at("iteration_s_ci95");
    outcome.loop.iteration_s = {loop.at("iteration_s").get<double>(), ci95.is_null() ? 0 : ci95.get<double>()};
  }
  for (const auto& stat : json.at("stats"))
    outcome.stats.push_back({stat.at("module").get<std::string>(), stat.at("name").get<std::string>(),
                             stat.at("unit").get<std::string>(), "", stat.at("value").get<std::uint64_t>()});
  return outcome;
}

std::vector<std::string> metric_names(const platforms::RunOutcome& outcome) {
  std::vector<std::string> names{"real"};
  if (outcome.has_loop) names.emplace_back("per_iteration_us");
  std::set<std::string> seen;
  for (const platforms::StatRecord& stat : outcome.stats) {
    const std::string name = "stat." + stat.module.substr(0, stat.module.find('[')) + "." + stat.name;
    if (seen.insert(name).second) names.push_back(name);
  }
  return names;
}

}  // namespace

bool is_run_folder(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / kStatsFile, ignored);
}

TablePoint read_run_folder(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / kStatsFile;
  const platforms::FileText text = platforms::read_file(file);
  if (!text.error.empty()) throw base::ConfigError(file.generic_string(), "cannot read: " + text.error);
  try {
    const nlohmann::json json = nlohmann::json::parse(text.bytes);
    const platforms::RunOutcome outcome = outcome_of(json);
    TablePoint point;
    point.number = 1;
    point.name = folder;
    StoredRun& run = point.runs.emplace_back();
    run.config_hash = json.at("config_hash").get<std::string>();
    run.status = RunStatus::done;
    for (const std::string& name : metric_names(outcome)) {
      const platforms::Estimate estimate = metric(outcome, name);
      run.values.push_back({name, metric_unit(outcome, name), estimate.mean, estimate.ci95});
    }
    return point;
  } catch (const nlohmann::json::exception& error) {
    throw base::ConfigError(file.generic_string(), std::string("is not what a run writes: ") + error.what());
  }
}

}  // namespace switchyard::cli

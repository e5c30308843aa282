// SPDX-License-Identifier: Apache-2.0
#include "sc_main/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "sc_main/format.h"
#include "sc_main/metrics.h"
#include "sc_main/report_perf_stat.h"
#include "sc_main/report_profile.h"
#include "sc_main/sources.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::RunOutcome;

constexpr std::size_t kTopFunctions = 10;

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string times_text(const RunOutcome& outcome) {
  if (nothing_measured(outcome)) return "nothing was measured\n";
  const RunTimes times = run_times(outcome);
  std::string text = fmt::format("real {} s", fixed(times.real.mean, 6));
  if (!has_interval(outcome))
    text += fmt::format(" {}", kNoInterval);
  else if (outcome.has_loop)
    text += fmt::format(" ± {}", fixed(times.real.ci95, 6));
  return text + fmt::format("   user {} s   sys {} s\n", fixed(times.user.mean, 6), fixed(times.sys.mean, 6));
}

std::string functions_text(const RunOutcome& outcome) {
  Profile profile = perf_view(outcome);
  std::stable_sort(profile.rows.begin(), profile.rows.end(),
                   [](const FunctionCycles& a, const FunctionCycles& b) { return a.self > b.self; });
  std::string text = "\nfunctions (self, as perf sees the processes)\n";
  std::erase_if(profile.rows, [](const FunctionCycles& row) { return row.self == 0; });
  profile.rows.resize(std::min(kTopFunctions, profile.rows.size()));
  std::size_t command = 0;
  for (const FunctionCycles& row : profile.rows) command = std::max(command, row.group.size());
  for (const FunctionCycles& row : profile.rows)
    text += fmt::format("  {:>6}%  {:<{}}  {}\n",
                        percent(static_cast<double>(row.self), static_cast<double>(profile.total)), row.group, command,
                        row.function);
  return text;
}

std::string process_causes_text(const RunOutcome& outcome) {
  CauseCycles cycles{};
  for (const GroupCauses& group : causes_by_group(process_tasks(outcome.tasks)))
    for (std::size_t cause = 0; cause < cpu::kCauses; ++cause) cycles[cause] += group.cycles[cause];
  std::vector<std::size_t> order(cpu::kCauses);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cycles[a] > cycles[b]; });
  const auto total = static_cast<double>(std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}));
  std::string text = "\ncauses (cycles of the processes)\n";
  for (const std::size_t cause : order)
    if (cycles[cause] != 0)
      text += fmt::format("  {:>6}%  {}\n", percent(static_cast<double>(cycles[cause]), total),
                          cpu::cause_name(static_cast<cpu::Cause>(cause)));
  return text;
}

Json estimate_json(const platforms::Estimate& estimate, bool has_interval) {
  return {{"value", rounded(estimate.mean, 12)},
          {"ci95", has_interval ? Json(rounded(estimate.ci95, 12)) : Json(nullptr)}};
}

}  // namespace

std::string folder_name(const RunIdentity& run) {
  std::string name = run.name.empty() ? "run" : run.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '-';
  return name + "-" + run.config_hash.substr(0, 8);
}

std::vector<OutputFile> report_files(const RunReport& report) {
  const RunOutcome& outcome = report.outcome;
  return {{"config.yaml", report.resolved},
          {"stats.txt", stats_text(outcome)},
          {"stats.json", dumped(stats_json(outcome, report.run))},
          {"time.txt", time_text(outcome)},
          {"perf-stat.txt", perf_stat_text(outcome, report.run.name)},
          {"perf-stat.json", dumped(perf_stat_json(outcome))},
          {"perf-report.txt", perf_report_text(outcome)},
          {"folded.txt", folded_text(outcome)},
          {"causes.txt", causes_text(outcome)}};
}

std::string summary_text(const RunReport& report) {
  const RunOutcome& outcome = report.outcome;
  std::string text = incomplete_text(outcome);
  text += fmt::format("{} ({})\n", report.run.name, report.run.config_hash.substr(0, 8));
  text += scale_text(outcome) + "\n" + times_text(outcome);
  text += functions_text(outcome) + process_causes_text(outcome);
  return text + "\n" + source_counts_text(report.provenance) + "\n";
}

Json summary_json(const RunReport& report) {
  const RunOutcome& outcome = report.outcome;
  const RunTimes times = run_times(outcome);
  Json json = outcome_json(outcome, report.run);
  const bool known = has_interval(outcome);
  json["time"] = {{"real", estimate_json(times.real, known)},
                  {"user", estimate_json(times.user, known)},
                  {"sys", estimate_json(times.sys, known)}};
  json["perf_stat"] = perf_stat_json(outcome);
  json["perf_report"] = profile_json(perf_view(outcome));
  json["full_report"] = profile_json(full_view(outcome));
  json["causes"] = causes_json(outcome);
  json["sources"] = source_counts_json(report.provenance);
  return json;
}

}  // namespace switchyard::cli

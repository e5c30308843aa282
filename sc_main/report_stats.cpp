// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_stats.h"

#include <fmt/format.h>

#include <string_view>

#include "sc_main/format.h"
#include "sc_main/metrics.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::RunEnd;
using platforms::RunOutcome;

constexpr int kSecondDigits = 12;  // picoseconds

/// gem5 leaves two columns for the distributions that only vectors have.
std::string stat_line(std::string_view name, std::string_view value, std::string_view text, std::string_view unit) {
  return fmt::format("{:<40} {:>12} {:>10} {:>10} # {} ({})\n", name, value, "", "", text, unit);
}

std::string loop_lines(const RunOutcome& outcome) {
  const platforms::LoopRecord& loop = outcome.loop;
  std::string text =
      stat_line("loop.count", std::to_string(loop.count), "Iterations that the program asks for", "count") +
      stat_line("loop.warmUp", std::to_string(loop.warm_up), "Iterations left out", "count") +
      stat_line("loop.iterations", std::to_string(loop.iterations), "Iterations measured", "count") +
      stat_line("loop.converged", loop.converged ? "1" : "0", "Whether the interval is as narrow as asked for",
                "count") +
      stat_line("loop.iterationSeconds", fixed(loop.iteration_s.mean, kSecondDigits), "Mean time of an iteration",
                "second");
  if (has_interval(outcome))
    text += stat_line("loop.iterationSecondsCi95", fixed(loop.iteration_s.ci95, kSecondDigits),
                      "Half-width of its 95 % confidence interval", "second");
  return text;
}

}  // namespace

std::string end_name(RunEnd end) {
  switch (end) {
    case RunEnd::complete:
      return "complete";
    case RunEnd::check_failed:
      return "check-failed";
    case RunEnd::stuck:
      return "stuck";
    case RunEnd::time_limit:
      return "time-limit";
    case RunEnd::input_error:
      return "input-error";
    case RunEnd::interrupted:
      return "interrupted";
  }
  return "";
}

std::string stats_text(const RunOutcome& outcome) {
  std::string text = "\n---------- Begin Simulation Statistics ----------\n";
  text += stat_line("simSeconds", fixed(outcome.simulated_s, kSecondDigits), "Simulated time", "second");
  text += stat_line("measuredSeconds", fixed(outcome.measured_s, kSecondDigits), "Simulated time of all that follows",
                    "second");
  text += stat_line("cpuFrequency", std::to_string(outcome.cpu_hz), "Clock of CPU 0", "hertz");
  text += stat_line("cpus", std::to_string(outcome.cpus), "Logical CPUs", "count");
  if (outcome.has_loop) text += loop_lines(outcome);
  for (const platforms::StatRecord& stat : outcome.stats)
    text += stat_line(stat.module + "." + stat.name, std::to_string(stat.value), stat.text, stat.unit);
  return text + "\n---------- End Simulation Statistics   ----------\n";
}

Json outcome_json(const RunOutcome& outcome, const RunIdentity& run) {
  Json json{{"name", run.name},
            {"version", SWITCHYARD_VERSION},
            {"config_hash", run.config_hash},
            {"end", end_name(outcome.end)},
            {"message", outcome.message},
            {"simulated_s", rounded(outcome.simulated_s, kSecondDigits)},
            {"measured_s", rounded(outcome.measured_s, kSecondDigits)},
            {"cpu_hz", outcome.cpu_hz},
            {"cpus", outcome.cpus},
            {"loop", nullptr}};
  if (!outcome.has_loop) return json;
  const platforms::LoopRecord& loop = outcome.loop;
  json["loop"] = {{"name", loop.name},
                  {"count", loop.count},
                  {"warm_up", loop.warm_up},
                  {"iterations", loop.iterations},
                  {"converged", loop.converged},
                  {"iteration_s", rounded(loop.iteration_s.mean, kSecondDigits)},
                  {"iteration_s_ci95",
                   has_interval(outcome) ? Json(rounded(loop.iteration_s.ci95, kSecondDigits)) : Json(nullptr)}};
  return json;
}

Json stats_json(const RunOutcome& outcome, const RunIdentity& run) {
  Json json = outcome_json(outcome, run);
  Json& list = json["stats"] = Json::array();
  for (const platforms::StatRecord& stat : outcome.stats)
    list.push_back({{"module", stat.module},
                    {"name", stat.name},
                    {"value", stat.value},
                    {"unit", stat.unit},
                    {"text", stat.text}});
  return json;
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/profile.h"

namespace switchyard::cli {
namespace {

using platforms::Estimate;
using platforms::RunOutcome;
using platforms::StatRecord;

/// A metric's value, and its unit.
struct Value {
  Estimate estimate;
  std::string unit;
};

Estimate scaled(const Estimate& estimate, double factor) { return {estimate.mean * factor, estimate.ci95 * factor}; }

/// `l1` for `l1[3]`; other names are their own.
std::string_view array_name(std::string_view module) { return module.substr(0, module.find('[')); }

/// Whether `path` is `<module>.<stat>` of this statistic, its array's name standing for every member.
bool names_stat(const StatRecord& stat, std::string_view path) {
  if (!path.ends_with("." + stat.name)) return false;
  const std::string_view module = path.substr(0, path.size() - stat.name.size() - 1);
  return stat.module == module || array_name(stat.module) == module;
}

std::optional<Value> stat_sum(const RunOutcome& outcome, std::string_view path, double factor) {
  std::optional<Value> result;
  for (const StatRecord& stat : outcome.stats) {
    if (!names_stat(stat, path)) continue;
    if (!result) result = Value{{}, stat.unit};
    result->estimate.mean += static_cast<double>(stat.value) * factor;
  }
  return result;
}

std::optional<Value> per_loop(const RunOutcome& outcome, std::string_view path) {
  if (!outcome.has_loop) return std::nullopt;
  const auto iterations = static_cast<double>(outcome.loop.iterations);
  return stat_sum(outcome, path, iterations > 0 ? 1 / iterations : 0);
}

std::optional<Value> function_share(const RunOutcome& outcome, std::string_view function) {
  const Profile seen = profile(attribute_firmware(process_tasks(outcome.tasks)));
  std::optional<Value> result;
  for (const FunctionCycles& row : seen.rows) {
    if (row.function != function) continue;
    if (!result) result = Value{{}, "%"};
    result->estimate.mean += 100 * static_cast<double>(row.self) / static_cast<double>(seen.total);
  }
  return result;
}

std::optional<Value> machine_share(const RunOutcome& outcome, std::string_view function) {
  std::uint64_t all = 0;
  std::optional<std::uint64_t> own;
  for (const auto& task : attribute_firmware(outcome.tasks)) {
    for (const auto& call : task.calls) {
      all = std::accumulate(call.cycles.begin(), call.cycles.end(), all);
      if (call.function == function) own = own.value_or(0) + busy_cycles(call.cycles);
    }
  }
  if (!own || all == 0) return std::nullopt;
  return Value{{100 * static_cast<double>(*own) / static_cast<double>(all), 0}, "%"};
}

Estimate unsettled_share(const platforms::LoopRecord& loop) {
  return {100 * static_cast<double>(loop.unsettled) / static_cast<double>(loop.iterations), 0};
}

std::optional<Value> find_metric(const RunOutcome& outcome, std::string_view name) {
  if (name == "real") return Value{run_times(outcome).real, "s"};
  if (name == "user") return Value{run_times(outcome).user, "s"};
  if (name == "sys") return Value{run_times(outcome).sys, "s"};
  if (name == "per_iteration_us" && outcome.has_loop) return Value{scaled(outcome.loop.iteration_s, 1e6), "us"};
  if (name == "warm_up_excess" && outcome.has_loop && outcome.loop.iterations > 0)
    return Value{unsettled_share(outcome.loop), "%"};
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(0, dot), rest = name.substr(dot + 1);
  if (kind == "share") return function_share(outcome, rest);
  if (kind == "machine_share") return machine_share(outcome, rest);
  if (kind == "stat") return stat_sum(outcome, rest, 1);
  if (kind == "per_loop") return per_loop(outcome, rest);
  return std::nullopt;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

/// All names with `prefix` that the run has.
std::vector<std::string> names_of(const RunOutcome& outcome, std::string_view prefix) {
  std::vector<std::string> names;
  if (prefix == "share.") {
    for (const FunctionCycles& row : profile(attribute_firmware(process_tasks(outcome.tasks))).rows)
      add_once(names, fmt::format("{}{}", prefix, row.function));
  } else if (prefix == "machine_share.") {
    for (const FunctionCycles& row : profile(attribute_firmware(outcome.tasks)).rows)
      add_once(names, fmt::format("{}{}", prefix, row.function));
  } else if (prefix == "stat." || (prefix == "per_loop." && outcome.has_loop)) {
    for (const StatRecord& stat : outcome.stats)
      add_once(names, fmt::format("{}{}.{}", prefix, array_name(stat.module), stat.name));
  }
  return names;
}

[[noreturn]] void refuse(const RunOutcome& outcome, const std::string& name) {
  static constexpr std::array<std::string_view, 4> kPrefixes{"share.", "machine_share.", "per_loop.", "stat."};
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    if (prefix == "per_loop." && !outcome.has_loop)
      throw base::ConfigError("metric " + name, "the run has no measured loop (measure: true in the workload)");
    throw base::ConfigError("metric " + name,
                            "this run has no such value" + platforms::allowed_names(name, names_of(outcome, prefix)));
  }
  std::vector<std::string> names{"real", "user", "sys"};
  if (outcome.has_loop) names.insert(names.end(), {"per_iteration_us", "warm_up_excess"});
  for (const char* form :
       {"share.<function>", "machine_share.<function>", "per_loop.<module>.<stat>", "stat.<module>.<name>"})
    names.push_back(form);
  throw base::ConfigError("metric " + name, "unknown metric" + platforms::allowed_names(name, names));
}

}  // namespace

Estimate metric(const RunOutcome& outcome, const std::string& name) {
  const auto value = find_metric(outcome, name);
  if (!value) refuse(outcome, name);
  return value->estimate;
}

bool has_metric(const RunOutcome& outcome, const std::string& name) { return find_metric(outcome, name).has_value(); }

std::string metric_unit(const RunOutcome& outcome, const std::string& name) {
  const auto value = find_metric(outcome, name);
  return value ? value->unit : "";
}

bool has_interval(const RunOutcome& outcome) {
  return !outcome.has_loop || outcome.loop.iterations >= platforms::kIntervalBatches;
}
bool nothing_measured(const RunOutcome& outcome) {
  if (outcome.has_loop) return outcome.loop.iterations == 0;
  return outcome.end != platforms::RunEnd::complete && outcome.measured_s == 0;
}

double loop_scale(const RunOutcome& outcome) {
  if (!outcome.has_loop || outcome.loop.iterations == 0) return 1;
  return static_cast<double>(outcome.loop.count) / static_cast<double>(outcome.loop.iterations);
}

RunTimes run_times(const RunOutcome& outcome) {
  RunTimes times;
  times.real = outcome.has_loop ? scaled(outcome.loop.iteration_s, static_cast<double>(outcome.loop.count))
                                : Estimate{outcome.measured_s, 0};
  if (outcome.cpu_hz == 0) return times;
  const DomainCycles cycles = domain_cycles(process_tasks(outcome.tasks));
  const double seconds_per_cycle = loop_scale(outcome) / static_cast<double>(outcome.cpu_hz);
  times.user.mean = static_cast<double>(cycles.user) * seconds_per_cycle;
  times.sys.mean = static_cast<double>(cycles.kernel + cycles.firmware) * seconds_per_cycle;
  if (outcome.has_loop && outcome.loop.cpu_ci95) {
    times.user.ci95 = outcome.loop.cpu_ci95->user_s * static_cast<double>(outcome.loop.count);
    times.sys.ci95 = outcome.loop.cpu_ci95->sys_s * static_cast<double>(outcome.loop.count);
    return times;
  }
  const double relative = times.real.mean > 0 ? times.real.ci95 / times.real.mean : 0;
  times.user.ci95 = times.user.mean * relative;
  times.sys.ci95 = times.sys.mean * relative;
  return times;
}

std::optional<std::uint64_t> stat_of_all(const RunOutcome& outcome, const std::string& name) {
  std::optional<std::uint64_t> sum;
  for (const StatRecord& stat : outcome.stats)
    if (stat.name == name) sum = sum.value_or(0) + stat.value;
  return sum;
}

}  // namespace switchyard::cli

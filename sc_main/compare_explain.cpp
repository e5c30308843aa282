// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "platforms/config/text.h"
#include "sc_main/compare_cells.h"
#include "sc_main/metrics.h"
#include "sc_main/profile.h"

namespace switchyard::cli {
namespace {

using platforms::Estimate;
using platforms::RunOutcome;

constexpr std::size_t kNamed = 4;   // parts of a difference
constexpr double kSmallest = 0.05;  // share of the difference that is worth naming

/// Seconds of CPU time of one iteration by name.
using Parts = std::map<std::string, double>;

/// One run as a reader compares it: all times are those of one operation, of the whole run where it has no loop.
struct Side {
  const RunOutcome& outcome;
  Estimate time{};
  double user = 0, sys = 0;
  Parts causes{}, functions{};
  bool has_interval = true;

  double busy() const { return user + sys; }
  /// Half-width of the interval of busy(): cycles have none of their own.
  double busy_interval() const { return time.mean > 0 ? busy() * time.ci95 / time.mean : 0; }
};

Side side(const RunOutcome& outcome, std::uint64_t operations) {
  Side result{outcome};
  const auto parts = static_cast<double>(operations);  // of an iteration
  result.time = Estimate{outcome.measured_s, 0};
  if (outcome.has_loop) result.time = {outcome.loop.iteration_s.mean / parts, outcome.loop.iteration_s.ci95 / parts};
  result.has_interval = result.time.ci95 == 0 || has_interval(outcome);
  const double counted =
      outcome.has_loop ? parts * static_cast<double>(std::max<std::uint64_t>(outcome.loop.iterations, 1)) : 1;
  if (outcome.cpu_hz == 0) return result;
  const double per_cycle = 1 / (counted * static_cast<double>(outcome.cpu_hz));
  const auto tasks = process_tasks(outcome.tasks);
  const DomainCycles domains = domain_cycles(tasks);
  result.user = static_cast<double>(domains.user) * per_cycle;
  result.sys = static_cast<double>(domains.kernel + domains.firmware) * per_cycle;
  for (const GroupCauses& group : causes_by_group(tasks))
    for (std::size_t i = 0; i < group.cycles.size(); ++i)
      if (const auto cause = static_cast<cpu::Cause>(i); cause != cpu::Cause::idle)
        result.causes[std::string(cpu::cause_name(cause))] += static_cast<double>(group.cycles[i]) * per_cycle;
  for (const FunctionCycles& row : profile(tasks).rows)
    result.functions[row.function] += static_cast<double>(row.self) * per_cycle;
  return result;
}

/// `7.10 us`, three digits that matter.
std::string duration(double seconds) {
  static constexpr std::pair<double, std::string_view> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  const double size = std::abs(seconds);
  for (const auto& [unit, name] : kUnits) {
    if (size < unit && unit > 1e-9) continue;
    const double shown = seconds / unit;
    const int decimals = std::abs(shown) >= 100 || seconds == 0 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", shown, decimals, name);
  }
  return "";
}

std::string signed_duration(double seconds) { return (seconds < 0 ? "" : "+") + duration(seconds); }

/// Two runs and what can be said about their difference.
class Pair {
 public:
  Pair(Side before, Side after, const OperationParams& operation)
      : before_(std::move(before)), after_(std::move(after)), operation_(operation) {
    change_ = change_of(after_.time, before_.time);
    interval_ = std::hypot(before_.busy_interval(), after_.busy_interval());
  }

  std::string text(const std::vector<ExplainParams>& metrics) const {
    return times_text() + metrics_text(metrics) + ".\n    " + parts_text();
  }

 private:
  double difference() const { return after_.busy() - before_.busy(); }
  bool time_differs() const { return change_ && std::abs(change_->mean) > std::max(change_->ci95, 1e-9); }
  bool busy_differs() const {
    return std::abs(difference()) > std::max(interval_, 1e-9 * std::max(before_.busy(), after_.busy()));
  }

  std::string operation_name() const { return operation_.name.empty() ? "iteration" : operation_.name; }

  std::string change_text() const {
    if (!change_) return "";
    if (!before_.has_interval || !after_.has_interval)
      return fmt::format(" ({:+.1f} %, too few iterations for an interval)", 100 * change_->mean);
    if (change_->ci95 < 0.0005) return fmt::format(" ({:+.1f} %)", 100 * change_->mean);
    return fmt::format(" ({:+.1f} ± {:.1f} %)", 100 * change_->mean, 100 * change_->ci95);
  }

  std::string times_text() const {
    const std::string noun = operation_name();
    const std::string what = !after_.outcome.has_loop                                                 ? "the run"
                             : std::string_view("aeiou").find(noun.front()) != std::string_view::npos ? "an " + noun
                                                                                                      : "a " + noun;
    std::string text = time_differs()
                           ? fmt::format("{} takes {} instead of {}{}", what, duration(after_.time.mean),
                                         duration(before_.time.mean), change_text())
                           : fmt::format(
                                 "the time of {} does not differ beyond the confidence interval: {} "
                                 "and {}{}",
                                 what, duration(before_.time.mean), duration(after_.time.mean), change_text());
    return text + fmt::format("; user {} -> {}, sys {} -> {}", duration(before_.user), duration(after_.user),
                              duration(before_.sys), duration(after_.sys));
  }

  std::string metric_text(const RunOutcome& outcome, const std::string& name) const {
    const double parts = name.starts_with("per_loop.") ? static_cast<double>(operation_.per_iteration) : 1;
    return has_metric(outcome, name) ? number(metric(outcome, name).mean / parts) : "unknown";
  }

  std::string metrics_text(const std::vector<ExplainParams>& metrics) const {
    std::string text;
    for (const ExplainParams& one : metrics) {
      const std::string unit = metric_unit(after_.outcome, one.metric);
      text +=
          fmt::format("{} {} {} -> {}{}", text.empty() ? ";" : ",", one.text, metric_text(before_.outcome, one.metric),
                      metric_text(after_.outcome, one.metric), unit.empty() || unit == "count" ? "" : " " + unit);
    }
    return text;
  }

  std::string share(double part) const { return fmt::format("{:.0f} %", 100 * part / difference()); }

  /// `coherence -7.10 us (79 %), memory +0.30 us (-3 %)`, the largest first; empty when no part is large enough.
  std::string largest(const Parts& before, const Parts& after) const {
    Parts changes = after;
    for (const auto& [name, seconds] : before) changes[name] -= seconds;
    std::vector<std::pair<std::string, double>> parts(changes.begin(), changes.end());
    const double least = std::max(kSmallest * std::abs(difference()), interval_);
    std::erase_if(parts, [&](const auto& part) { return std::abs(part.second) < least; });
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
    parts.resize(std::min(parts.size(), kNamed));
    std::vector<std::string> texts;
    for (const auto& [name, seconds] : parts)
      texts.push_back(fmt::format("{} {} ({})", name, signed_duration(seconds), share(seconds)));
    return platforms::join(texts);
  }

  std::string parts_text() const {
    const std::string of = after_.outcome.has_loop ? "CPU time per " + operation_name() : "CPU time";
    if (!busy_differs())
      return fmt::format("{} does not differ beyond the confidence interval, so no cause is named{}.", of,
                         time_differs() ? "; the difference lies outside the CPU time of these processes" : "");
    const std::string causes = largest(before_.causes, after_.causes);
    const std::string functions = largest(before_.functions, after_.functions);
    std::string text =
        fmt::format("By cause: {} {} by {}: {}.", of, difference() < 0 ? "falls" : "rises",
                    duration(std::abs(difference())), causes.empty() ? "no single cause stands out" : causes);
    return text + fmt::format("\n    By function: {}, {}; {}.", domain_text("sys", after_.sys - before_.sys),
                              domain_text("user", after_.user - before_.user),
                              functions.empty() ? "no single function stands out" : functions);
  }

  std::string domain_text(std::string_view name, double change) const {
    if (std::abs(change) <= std::max(interval_, 1e-9 * std::abs(difference())))
      return fmt::format("{} as before", name);
    return fmt::format("{} {} ({})", name, signed_duration(change), share(change));
  }

  Side before_, after_;
  const OperationParams& operation_;
  std::optional<Estimate> change_;
  double interval_ = 0;  // of difference()
};

bool is_explained(const Experiment& experiment, std::size_t case_index) {
  const Sweep* sweep = experiment.sweep(case_index);
  return !sweep || sweep->over.reference.empty() || sweep->value(case_index) == sweep->over.reference;
}

}  // namespace

std::string explain_text(const Comparison& comparison) {
  const Experiment& experiment = comparison.experiment();
  const std::size_t baseline = experiment.baseline;
  std::string text = fmt::format("\nWhat differs from {}, and where the CPU time of the measured processes went\n",
                                 comparison.variant_name(baseline));
  for (const CompareRun& run : comparison.runs()) {
    const RunResult* before = comparison.run(run.case_index, baseline);
    if (run.variant_index == baseline || !is_explained(experiment, run.case_index) || !before ||
        !before->failure().empty() || !run.result->failure().empty())
      continue;
    const OperationParams& operation = experiment.params.operation;
    const Pair pair(side(before->outcome, operation.per_iteration), side(run.result->outcome, operation.per_iteration),
                    operation);
    text += fmt::format("  {}, {}: {}\n", comparison.case_name(run.case_index),
                        comparison.variant_name(run.variant_index), pair.text(experiment.params.explain));
  }
  return text;
}

}  // namespace switchyard::cli

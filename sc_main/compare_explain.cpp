// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "platforms/config/text.h"
#include "sc_main/profile.h"

namespace switchyard::cli {
namespace {

using platforms::RunOutcome;

constexpr std::size_t kShown = 4;   // differences named
constexpr double kSmallest = 0.01;  // share of the largest difference that is worth naming

/// Busy cycles per iteration of what has a name.
using Cycles = std::map<std::string, double>;

double iterations_of(const RunOutcome& outcome) {
  return outcome.has_loop && outcome.loop.iterations > 0 ? static_cast<double>(outcome.loop.iterations) : 1;
}

Cycles by_cause(const RunOutcome& outcome) {
  Cycles result;
  for (const GroupCauses& group : causes_by_group(process_tasks(outcome.tasks)))
    for (std::size_t i = 0; i < group.cycles.size(); ++i)
      if (static_cast<cpu::Cause>(i) != cpu::Cause::idle)
        result[std::string(cpu::cause_name(static_cast<cpu::Cause>(i)))] +=
            static_cast<double>(group.cycles[i]) / iterations_of(outcome);
  return result;
}

Cycles by_function(const RunOutcome& outcome) {
  Cycles result;
  for (const FunctionCycles& row : profile(process_tasks(outcome.tasks)).rows)
    result[row.function] += static_cast<double>(row.self) / iterations_of(outcome);
  return result;
}

double total(const Cycles& cycles) {
  double sum = 0;
  for (const auto& [name, n] : cycles) sum += n;
  return sum;
}

/// `1.23 M`, `45.6 k`, `789`.
std::string short_count(double n) {
  const double size = std::abs(n);
  if (size >= 1e9) return fmt::format("{:.2f} G", n / 1e9);
  if (size >= 1e6) return fmt::format("{:.2f} M", n / 1e6);
  if (size >= 1e4) return fmt::format("{:.1f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

struct Difference {
  std::string name;
  double before = 0, after = 0;
  double size() const { return std::abs(after - before); }
};

/// The largest differences, the largest first.
std::vector<Difference> differences(const Cycles& before, const Cycles& after) {
  std::map<std::string, Difference> all;
  for (const auto& [name, n] : before) all[name] = {name, n, 0};
  for (const auto& [name, n] : after) {
    all[name].name = name;
    all[name].after = n;
  }
  std::vector<Difference> result;
  for (auto& [name, one] : all) result.push_back(std::move(one));
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const double least = result.empty() ? 0 : std::max(0.5, kSmallest * result.front().size());
  std::erase_if(result, [&](const Difference& one) { return one.size() < least; });
  result.resize(std::min(result.size(), kShown));
  return result;
}

/// `By cause: ack_wait fell from 610.0 k to 2400 cycles, memory rose ...; they make up 93 % of the difference.`
std::string sentence(std::string_view view, const Cycles& before, const Cycles& after) {
  const std::vector<Difference> shown = differences(before, after);
  if (shown.empty()) return fmt::format("By {}, nothing differs.", view);
  std::vector<std::string> parts;
  double named = 0;
  for (const Difference& one : shown) {
    named += one.after - one.before;
    parts.push_back(fmt::format("{} {} from {} to {}", one.name, one.after < one.before ? "fell" : "rose",
                                short_count(one.before), short_count(one.after)));
  }
  const double whole = total(after) - total(before);
  const std::string share =
      std::abs(whole) < 0.5 ? "" : fmt::format(", {:.0f} % of the difference", 100 * named / whole);
  return fmt::format("By {}, cycles of {}{}.", view, platforms::join(parts), share);
}

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.3f} us", seconds * 1e6);
}

double time_of(const RunOutcome& outcome) {
  return outcome.has_loop ? outcome.loop.iteration_s.mean : outcome.measured_s;
}

std::string explain_pair(const std::string& before_name, const RunOutcome& before, const std::string& after_name,
                         const RunOutcome& after) {
  const Cycles causes_before = by_cause(before), causes_after = by_cause(after);
  const double was = time_of(before), is = time_of(after);
  const std::string change = was > 0 ? fmt::format(" ({:+.1f} %)", 100 * (is / was - 1)) : "";
  std::string text =
      fmt::format("{} takes {} with {}, {} with {}{}; busy cycles {} and {}.",
                  after.has_loop ? "An iteration" : "The run", duration(was), before_name, duration(is), after_name,
                  change, short_count(total(causes_before)), short_count(total(causes_after)));
  text += "\n    " + sentence("cause", causes_before, causes_after);
  text += "\n    " + sentence("function", by_function(before), by_function(after));
  return text;
}

}  // namespace

std::string explain_text(const Comparison& comparison) {
  std::string text = "\nWhere the cycles of the measured processes went\n";
  const std::size_t baseline = comparison.experiment().baseline;
  for (const CompareRun& run : comparison.runs()) {
    const RunResult* before = comparison.run(run.case_index, baseline);
    if (run.variant_index == baseline || !before || !before->failure().empty() || !run.result->failure().empty())
      continue;
    text += fmt::format("  {}: {}\n", comparison.case_name(run.case_index),
                        explain_pair(comparison.variant_name(baseline), before->outcome,
                                     comparison.variant_name(run.variant_index), run.result->outcome));
  }
  return text;
}

}  // namespace switchyard::cli

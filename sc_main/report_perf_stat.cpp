// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_perf_stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sc_main/format.h"
#include "sc_main/metrics.h"
#include "sc_main/profile.h"
#include "sc_main/report_stats.h"

namespace switchyard::cli {
namespace {

using platforms::Estimate;
using platforms::RunOutcome;

constexpr double kSmallest = 1e-300;  // smaller divisors count as zero

double ratio(double part, double whole) { return std::abs(whole) > kSmallest ? part / whole : 0; }

/// A `perf` event that is a statistic summed over the machine.
struct CountedEvent {
  std::string_view event;
  std::string_view stat;
};
constexpr std::array<CountedEvent, 7> kCounted{{
    {"context-switches", "context_switches"},
    {"cpu-migrations", "migrations"},
    {"page-faults", "page_faults"},
    {"instructions", "instructions"},
    {"L1-dcache-loads", "accesses"},
    {"L1-dcache-load-misses", "l1_misses"},
    {"dTLB-load-misses", "tlb_l1_misses"},
}};

constexpr std::string_view kNotes =
    " task-clock and cycles: the processes, firmware included. Other events: the whole machine.\n"
    " L1-dcache-loads and misses: loads, stores and atomics. dTLB-load-misses: first-level TLB, instructions "
    "included.\n";

/// `22.979 M/sec`
void set_rate(PerfEvent& event, double per_second) {
  static constexpr std::array<std::string_view, 4> kUnits{"/sec", "K/sec", "M/sec", "G/sec"};
  std::size_t unit = 0;
  for (; per_second >= 1000 && unit + 1 < kUnits.size(); ++unit) per_second /= 1000;
  event.metric_value = per_second;
  event.metric_unit = kUnits[unit];
}

PerfEvent counted_event(const CountedEvent& kind, std::uint64_t count, double scale, double cpu_s, double cycles) {
  PerfEvent event{std::string(kind.event), "", static_cast<double>(count) * scale, 0, 0, ""};
  if (kind.stat == "instructions") {
    event.metric_value = ratio(event.value, cycles);
    event.metric_unit = "insn per cycle";
  } else {
    set_rate(event, ratio(event.value, cpu_s));
  }
  return event;
}

/// `          1,234.56 msec task-clock                       #    0.998 CPUs utilized            ( +-  0.10% )`, in the
/// columns of perf 6.1.
std::string event_line(const PerfEvent& event) {
  std::string line =
      fmt::format("{:>18} {:<4} {:<32}", with_commas(event.value, event.unit.empty() ? 0 : 2), event.unit, event.event);
  if (!event.metric_unit.empty())
    line += fmt::format(" # {:>8} {:<23}", fixed(event.metric_value, 3), event.metric_unit);
  if (event.variance.value_or(0) > 0) line += fmt::format("  ( +- {:>5}% )", fixed(*event.variance, 2));
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string bash_time(std::string_view label, double seconds) {
  // Rounded once, so that 59.9996 s is 1m0.000s.
  const auto ms = static_cast<std::uint64_t>(std::llround(seconds * 1000));
  return fmt::format("{}\t{}m{}.{:03}s\n", label, ms / 60000, ms / 1000 % 60, ms % 1000);
}

}  // namespace

std::string scale_text(const RunOutcome& outcome) {
  if (!outcome.has_loop) return outcome.end == platforms::RunEnd::complete ? "the whole run" : "the run up to there";
  return fmt::format("{} iterations of loop {}, from {} measured after {} of warm-up{}", outcome.loop.count,
                     outcome.loop.name, outcome.loop.iterations, outcome.loop.warm_up,
                     outcome.loop.converged ? "" : " (not converged)");
}

std::string incomplete_text(const RunOutcome& outcome) {
  if (outcome.end == platforms::RunEnd::complete) return "";
  std::string end = end_name(outcome.end);
  std::replace(end.begin(), end.end(), '-', '_');  // one word
  const std::string message = one_line(outcome.message);
  return fmt::format("# did not complete: {}{}\n", end, message.empty() ? "" : ": " + message);
}

std::vector<PerfEvent> perf_events(const RunOutcome& outcome) {
  const RunTimes times = run_times(outcome);
  const double scale = loop_scale(outcome);
  const double cpu_s = times.user.mean + times.sys.mean;
  std::optional<double> variance;
  if (has_interval(outcome)) variance = 100 * ratio(times.real.ci95, times.real.mean);
  const double cycles = static_cast<double>(domain_cycles(process_tasks(outcome.tasks)).total()) * scale;
  std::vector<PerfEvent> events;
  events.push_back({"task-clock", "msec", cpu_s * 1000, variance, ratio(cpu_s, times.real.mean), "CPUs utilized"});
  for (const CountedEvent& kind : kCounted) {
    if (kind.event == "instructions")
      events.push_back({"cycles", "", cycles, variance, ratio(cycles, cpu_s) * 1e-9, "GHz"});
    const auto count = stat_of_all(outcome, std::string(kind.stat));
    if (count) events.push_back(counted_event(kind, *count, scale, cpu_s, cycles));
  }
  return events;
}

std::string time_text(const RunOutcome& outcome) {
  const RunTimes times = run_times(outcome);
  std::string text = incomplete_text(outcome) + fmt::format("# {}", scale_text(outcome));
  if (nothing_measured(outcome)) return text + "\n\nnothing was measured\n";
  if (!has_interval(outcome))
    text += fmt::format("; {}", kNoInterval);
  else if (outcome.has_loop)
    text += fmt::format("; real ± {} s ({}%, 95 % confidence)", fixed(times.real.ci95, 3),
                        fixed(100 * ratio(times.real.ci95, times.real.mean), 2));
  text += "\n\n";
  text += bash_time("real", times.real.mean);
  text += bash_time("user", times.user.mean);
  text += bash_time("sys", times.sys.mean);
  return text;
}

std::string perf_stat_text(const RunOutcome& outcome, const std::string& name) {
  const RunTimes times = run_times(outcome);
  std::string text = fmt::format("\n Performance counter stats for '{}' ({}):\n\n", name, scale_text(outcome));
  for (const PerfEvent& event : perf_events(outcome)) text += event_line(event);
  if (nothing_measured(outcome)) return text + "\n nothing was measured\n\n" + std::string(kNotes);
  const bool shows_interval = outcome.has_loop && has_interval(outcome);
  text += fmt::format("\n{:>18} ", fixed(times.real.mean, 9));
  if (shows_interval) text += fmt::format("+- {} ", fixed(times.real.ci95, 9));
  text += "seconds time elapsed";
  if (shows_interval) text += fmt::format("  ( +- {:>5}% )", fixed(100 * ratio(times.real.ci95, times.real.mean), 2));
  if (!has_interval(outcome)) text += fmt::format("  {}", kNoInterval);
  text += fmt::format("\n\n{:>18} seconds user\n{:>18} seconds sys\n\n", fixed(times.user.mean, 9),
                      fixed(times.sys.mean, 9));
  return text + std::string(kNotes);
}

nlohmann::ordered_json perf_stat_json(const RunOutcome& outcome) {
  const RunTimes times = run_times(outcome);
  const auto runtime_ns = static_cast<std::uint64_t>(std::llround((times.user.mean + times.sys.mean) * 1e9));
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PerfEvent& event : perf_events(outcome)) {
    nlohmann::ordered_json item{{"counter-value", fixed(event.value, 6)}, {"unit", event.unit}, {"event", event.event}};
    item["variance"] = event.variance ? nlohmann::ordered_json(rounded(*event.variance, 2)) : nullptr;
    item["event-runtime"] = runtime_ns;
    item["pcnt-running"] = 100.0;
    item["metric-value"] = fixed(event.metric_value, 6);
    item["metric-unit"] = event.metric_unit;
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace switchyard::cli

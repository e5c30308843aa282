// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sched_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace switchyard::cli {
namespace {

using namespace kernel;

constexpr std::uint64_t kNsPerUs = 1000, kUsPerS = 1'000'000;

std::string seconds(std::uint64_t ns) {
  const std::uint64_t us = ns / kNsPerUs;
  return fmt::format("{}.{:06}", us / kUsPerS, us % kUsPerS);
}

double milliseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }

std::string rule(std::size_t length) { return " " + std::string(length, '-') + "\n"; }

}  // namespace

SchedLatency::Row& SchedLatency::row(const TaskTag& task, State first_seen, std::uint64_t now_ns) {
  const auto [found, is_new] = rows_.try_emplace(task.pid);
  if (is_new) {
    found->second.state = first_seen;
    found->second.runnable_ns = now_ns;
  }
  found->second.comm = task.comm();
  return found->second;
}

void SchedLatency::add(const TraceEvent& event) {
  const std::uint64_t now_ns = event.time_ps / 1000;
  if (const auto* change = std::get_if<SchedSwitch>(&event.what)) return switched(*change, now_ns);
  if (const auto* wake = std::get_if<SchedWake>(&event.what)) {
    if (wake->step != SchedWake::Step::waking) woken(wake->task, now_ns);
  } else if (const auto* runtime = std::get_if<SchedStatRuntime>(&event.what)) {
    row(runtime->task, State::waiting, now_ns).runtime_ns += runtime->runtime_ps / 1000;
  }
}

void SchedLatency::switched(const SchedSwitch& change, std::uint64_t now_ns) {
  Row& out = row(change.prev, State::running, now_ns);
  out.state = change.prev_state == 'R' ? State::waiting : State::sleeping;
  out.runnable_ns = now_ns;
  Row& in = row(change.next, State::waiting, now_ns);
  if (in.state != State::waiting) return;
  in.state = State::running;
  const std::uint64_t delay = now_ns - in.runnable_ns;
  ++in.switches;
  in.delay_ns += delay;
  if (delay <= in.max_ns) return;
  in.max_ns = delay;
  in.max_start_ns = in.runnable_ns;
  in.max_end_ns = now_ns;
}

void SchedLatency::woken(const TaskTag& task, std::uint64_t now_ns) {
  Row& sleeper = row(task, State::sleeping, now_ns);
  if (sleeper.state != State::sleeping) return;
  sleeper.state = State::waiting;
  sleeper.runnable_ns = now_ns;
}

std::string SchedLatency::text() const {
  std::vector<std::pair<unsigned, const Row*>> order;
  for (const auto& [pid, row] : rows_)
    if (pid != 0 && row.switches != 0) order.emplace_back(pid, &row);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto key = [](const auto& entry) {
      const Row& row = *entry.second;
      return std::tuple(row.mean_ns(), row.max_ns, row.switches, row.runtime_ns, entry.first);
    };
    return key(a) > key(b);
  });
  constexpr std::size_t kWidth = 139, kTasksWidth = 113, kTotalWidth = 51;
  std::string text =
      "\n" + rule(kWidth) +
      "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | Max delay "
      "start           | Max delay end          |\n" +
      rule(kWidth);
  std::uint64_t runtime_ns = 0, switches = 0;
  for (const auto& [pid, row] : order) {
    text += fmt::format(
        "{:<24}|{:>11.3f} ms |{:>9} | avg:{:>8.3f} ms | max:{:>8.3f} ms | max start: {:>12} s | max end: {:>12} s\n",
        fmt::format("  {}:{} ", row->comm, pid), milliseconds(row->runtime_ns), row->switches,
        milliseconds(row->mean_ns()), milliseconds(row->max_ns), seconds(row->max_start_ns), seconds(row->max_end_ns));
    runtime_ns += row->runtime_ns;
    switches += row->switches;
  }
  return text + rule(kTasksWidth) +
         fmt::format("  TOTAL:                |{:>11.3f} ms |{:>9} |\n", milliseconds(runtime_ns), switches) +
         rule(kTotalWidth) + "\n";
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

using cpu::Domain;
using platforms::RunOutcome;

/// Where a function's text is, and the mode letter before its name.
struct SymbolSpace {
  std::string object;
  std::string_view mode;
};

SymbolSpace space_of(const FunctionCycles& row) {
  if (row.domain == Domain::user) return {row.group, "[.]"};
  if (row.domain == Domain::firmware) return {"[firmware]", "[m]"};
  return {"[kernel.kallsyms]", "[k]"};
}

std::string profile_table(const Profile& profile) {
  std::size_t command = 7, object = 17;  // at least the heading, and `[kernel.kallsyms]`
  for (const FunctionCycles& row : profile.rows) {
    command = std::max(command, row.group.size());
    object = std::max(object, space_of(row).object.size());
  }
  std::string text = fmt::format("# Event count (approx.): {}\n#\n", profile.total);
  text += fmt::format("# Children      Self  {:<{}}  {:<{}}  Symbol\n", "Command", command, "Shared Object", object);
  text += fmt::format("# ........  ........  {:.<{}}  {:.<{}}  ......\n#\n", "", command, "", object);
  const auto total = static_cast<double>(profile.total);
  for (const FunctionCycles& row : profile.rows) {
    const SymbolSpace space = space_of(row);
    text += fmt::format("  {:>7}%  {:>7}%  {:<{}}  {:<{}}  {} {}\n", percent(static_cast<double>(row.children), total),
                        percent(static_cast<double>(row.self), total), row.group, command, space.object, object,
                        space.mode, row.function);
  }
  return text;
}

std::uint64_t sum(const CauseCycles& cycles) { return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}); }

/// The groups, and everything under `total`.
std::vector<GroupCauses> with_total(const RunOutcome& outcome) {
  std::vector<GroupCauses> groups = causes_by_group(outcome.tasks);
  GroupCauses total{"total", {}};
  for (const GroupCauses& group : groups)
    for (std::size_t cause = 0; cause < cpu::kCauses; ++cause) total.cycles[cause] += group.cycles[cause];
  groups.push_back(std::move(total));
  return groups;
}

std::string causes_row(std::string_view label, const std::vector<GroupCauses>& groups, auto cycles_of) {
  std::string line = fmt::format("{:<16}", label);
  for (const GroupCauses& group : groups) {
    const std::uint64_t cycles = cycles_of(group);
    line += fmt::format(" {:>20} {:>7}", with_commas(cycles),
                        percent(static_cast<double>(cycles), static_cast<double>(sum(group.cycles))) + "%");
  }
  return line + "\n";
}

}  // namespace

Profile perf_view(const RunOutcome& outcome) { return profile(attribute_firmware(process_tasks(outcome.tasks))); }
Profile full_view(const RunOutcome& outcome) { return profile(outcome.tasks); }

std::string perf_report_text(const RunOutcome& outcome) {
  return "# As perf sees the processes: it cannot interrupt machine mode, whose cycles count for the caller.\n#\n" +
         profile_table(perf_view(outcome)) +
         "\n\n# All busy cycles of all CPUs: firmware by its own functions, idle tasks with the interrupts they took.\n"
         "#\n" +
         profile_table(full_view(outcome));
}

std::string folded_text(const RunOutcome& outcome) {
  std::string text;
  for (const FoldedStack& line : fold_stacks(outcome.tasks)) text += fmt::format("{} {}\n", line.stack, line.cycles);
  return text;
}

std::string causes_text(const RunOutcome& outcome) {
  const std::vector<GroupCauses> groups = with_total(outcome);
  std::string text = "# Cycles by cause. Tasks of one name are added up; swapper is all idle tasks.\n";
  text += fmt::format("{:<16}", "# cause");
  for (const GroupCauses& group : groups) text += fmt::format(" {:>28}", group.group);
  text += "\n";
  for (std::size_t cause = 0; cause < cpu::kCauses; ++cause) {
    if (groups.back().cycles[cause] == 0) continue;
    text += causes_row(cpu::cause_name(static_cast<cpu::Cause>(cause)), groups,
                       [&](const GroupCauses& group) { return group.cycles[cause]; });
  }
  return text + causes_row("total", groups, [](const GroupCauses& group) { return sum(group.cycles); });
}

nlohmann::ordered_json profile_json(const Profile& profile) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto total = static_cast<double>(profile.total);
  const auto share = [&](std::uint64_t cycles) {
    return total > 0 ? rounded(100 * static_cast<double>(cycles) / total, 4) : 0.0;
  };
  for (const FunctionCycles& row : profile.rows) {
    const SymbolSpace space = space_of(row);
    list.push_back({{"children", share(row.children)},
                    {"self", share(row.self)},
                    {"command", row.group},
                    {"shared_object", space.object},
                    {"symbol", row.function},
                    {"self_cycles", row.self}});
  }
  return list;
}

nlohmann::ordered_json causes_json(const RunOutcome& outcome) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const GroupCauses& group : with_total(outcome)) {
    nlohmann::ordered_json& causes = json[group.group] = nlohmann::ordered_json::object();
    for (std::size_t cause = 0; cause < cpu::kCauses; ++cause)
      if (group.cycles[cause] != 0)
        causes[std::string(cpu::cause_name(static_cast<cpu::Cause>(cause)))] = group.cycles[cause];
  }
  return json;
}

}  // namespace switchyard::cli

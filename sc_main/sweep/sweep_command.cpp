// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "platforms/config/value_text.h"
#include "sc_main/config_search.h"
#include "sc_main/format.h"
#include "sc_main/interrupt_flag.h"
#include "sc_main/isolated_run.h"
#include "sc_main/option_values.h"
#include "sc_main/progress.h"
#include "sc_main/sweep/axis_effect.h"
#include "sc_main/sweep/sweep_driver.h"
#include "sc_main/sweep/sweep_table.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLogLines = 5;

struct SweepArguments {
  std::string target, memory_limit;
  std::optional<std::string> out;
  bool plan = false;
  LocalLimits limits{.jobs = usable_cpus()};
  DriverOptions driver;
};

std::filesystem::path folder_of(const SweepArguments& arguments, const SweepPlan& plan) {
  return arguments.out ? std::filesystem::path(*arguments.out)
                       : std::filesystem::path("out") / ("sweep-" + plan.params().name);
}

/// `12 runs are missing; about 40 s with 2 at a time`, as far as earlier runs tell.
std::string estimate_text(const std::filesystem::path& folder, std::size_t missing, unsigned jobs) {
  const double mean_s = AttemptLog(folder).mean_seconds();
  if (missing == 0) return "nothing is missing";
  if (mean_s == 0) return fmt::format("{} runs to do; how long one takes is not known before the first", missing);
  return fmt::format("{} runs to do; about {} s with {} at a time ({} s a run so far)", missing,
                     fixed(mean_s * static_cast<double>(missing) / jobs, 0), jobs, fixed(mean_s, 3));
}

/// Runs of the plan that the store in `folder`, if there is one, has no result of.
std::size_t count_missing(SweepPlan& plan, const std::filesystem::path& folder) {
  std::map<std::string, bool> runs;
  for (std::size_t p = 0; p < plan.points().size(); ++p)
    for (const PlannedRun& run : plan.runs(p, plan.first_seeds())) runs[run.key] = false;
  if (is_store(folder)) {
    Database database(folder / kStoreFile, Database::Access::read);
    for (const SqlRow& row : database.query("SELECT key FROM run WHERE status = 'done'"))
      if (const auto found = runs.find(sql_text(row.front())); found != runs.end()) found->second = true;
  }
  std::size_t missing = 0;
  for (const auto& [key, is_done] : runs) missing += is_done ? 0 : 1;
  return missing;
}

void print_plan(const SweepArguments& arguments, SweepPlan& plan, Context& context) {
  const std::filesystem::path folder = folder_of(arguments, plan);
  const std::size_t missing = count_missing(plan, folder);
  const std::string estimate = estimate_text(folder, missing, arguments.limits.jobs);
  if (context.json) {
    Json document{
        {"sweep", plan.params().name}, {"missing_runs", missing}, {"estimate", estimate}, {"points", Json::array()}};
    for (std::size_t p = 0; p < plan.points().size(); ++p) {
      Json runs = Json::array();
      for (const PlannedRun& run : plan.runs(p, plan.first_seeds()))
        runs.push_back({{"seed", run.seed}, {"config_hash", run.config_hash}});
      document["points"].push_back({{"point", p + 1}, {"name", plan.points()[p].name}, {"runs", runs}});
    }
    return context.print_json(document);
  }
  for (std::size_t p = 0; p < plan.points().size(); ++p)
    context.print(fmt::format("{}: {}\n", p + 1, plan.points()[p].name));
  context.print(fmt::format(
      "{} points with {} seeds{}; {}\n", plan.points().size(), plan.first_seeds(),
      plan.params().until.max_seeds != 0 ? fmt::format(" to {}", plan.params().until.max_seeds) : "", estimate));
}

/// The end of a log, indented.
std::string log_tail(const std::filesystem::path& file) {
  std::deque<std::string> lines;
  std::ifstream log(file);
  for (std::string line; std::getline(log, line);) {
    lines.push_back("  " + line);
    if (lines.size() > kLogLines) lines.pop_front();
  }
  return fmt::format("{}{}", fmt::join(lines, "\n"), lines.empty() ? "" : "\n");
}

std::string progress_text(const SweepProgress& progress, double seconds) {
  const std::size_t ended = progress.done + progress.failed;
  std::string text = fmt::format("{} of {} runs", ended, progress.total);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  const std::size_t fresh = ended - progress.reused;
  if (fresh == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(fresh) / seconds;
  return text +
         fmt::format(", {}/s, {} s left", fixed(rate, 1), fixed(static_cast<double>(progress.total - ended) / rate, 0));
}

DriverEvents events(TerminalLine& line) {
  DriverEvents result;
  result.progress = [&line](const SweepProgress& progress) { line.show(progress_text(progress, line.seconds())); };
  result.failed = [&line](const std::string& label, const std::string& why, const std::filesystem::path& log) {
    line.wipe();
    std::cerr << fmt::format("switchyard: {} failed: {}; log: {}\n{}", label, one_line(why), log.generic_string(),
                             log_tail(log));
  };
  return result;
}

void print_results(const std::filesystem::path& folder, SweepEnd end, const SweepProgress& progress, Context& context) {
  const SweepTable table = read_sweep_table(folder);
  const std::size_t missing = table.count(RunStatus::missing);
  if (context.json) {
    Json document = table_json(table);
    document["out"] = folder.generic_string();
    document["complete"] = end == SweepEnd::complete;
    return context.print_json(document);
  }
  context.print(table_text(table));
  context.print(inert_axes_text(table) + warm_up_text(table));
  context.print(fmt::format("{} runs done ({} of them before), {} failed, {} missing; results in {}\n", progress.done,
                            progress.reused, progress.failed, missing, folder.generic_string()));
}

void sweep(SweepArguments arguments, Context& context) {
  SweepPlan plan(context.registries, find_sweep(arguments.target));
  if (arguments.plan) return print_plan(arguments, plan, context);
  if (!arguments.memory_limit.empty())
    arguments.limits.memory_limit_bytes = platforms::parse_bytes(arguments.memory_limit).value.value;
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write, not the end of the program
  const InterruptFlag interrupt;
  arguments.driver.interrupt = &interrupt.flag();
  const std::filesystem::path folder = folder_of(arguments, plan);
  SweepEnd end = SweepEnd::complete;
  SweepProgress progress;
  {
    SweepStore store(folder, plan.params().name);
    LocalLauncher launcher(plan, arguments.limits);
    TerminalLine line;
    SweepDriver driver(plan, store, launcher, arguments.driver, events(line));
    end = driver.run();
    progress = driver.progress();
  }
  print_results(folder, end, progress, context);
  if (progress.failed > 0) context.exit_code = kCheckFailed;
  if (end == SweepEnd::interrupted) {
    std::cerr << "switchyard: interrupted; the same command does what is missing\n";
    context.exit_code = kInterrupted;
  }
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App& command = *app.add_subcommand("sweep", "Run all points of a sweep; started again, those that are missing");
  command.add_option("sweep", arguments->target, "Name in configs/sweeps, or a file")->required();
  command.add_flag("--plan", arguments->plan, "Print the points and what is missing, and do not run");
  command.add_option("-j,--jobs", arguments->limits.jobs, "Runs at a time (default: CPUs of this machine)")
      ->check(CLI::Range(1u, 1024u));
  command.add_option("--out", arguments->out, "Folder for the results; out/sweep-NAME by default");
  command.add_flag("--fail-fast", arguments->driver.fail_fast, "End with the first run that fails");
  command
      .add_option("--retries", arguments->driver.retries, "Further attempts at a run that was killed or over a limit")
      ->check(CLI::Range(0u, 1000u));
  command
      .add_option("--time-limit", arguments->limits.time_limit_s, "Seconds that one run may take (default: no limit)")
      ->check(CLI::Validator(check_time_limit, "SECONDS"));
  command.add_option("--memory-limit", arguments->memory_limit, "Memory that one run may ask for, such as \"2 GiB\"")
      ->check(CLI::Validator(check_size, "SIZE"));
  add_json_flag(command, context);
  command.callback([arguments, &context] { sweep(*arguments, context); });
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "platforms/simulation.h"
#include "sc_main/cli.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/interrupt_flag.h"
#include "sc_main/output_folder.h"
#include "sc_main/progress.h"
#include "sc_main/report_symbols.h"
#include "sc_main/run_report.h"
#include "sc_main/sweep/sweep_plan.h"
#include "sc_main/trace_files.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunArguments {
  std::vector<std::string> files, sets, traces;
  std::optional<std::string> out, seed;
  bool check = false;
  bool symbols = false;
};

void print_symbols(platforms::LoadedRun& run, Context& context) {
  const platforms::SymbolList list = platforms::list_symbols(run);
  if (list.symbols.empty()) throw base::ConfigError("--symbols", "the configuration has no machine that runs a kernel");
  if (context.json)
    context.print_json(symbols_json(list));
  else
    context.print(symbols_text(list));
}

platforms::RunOutcome simulate_with_progress(platforms::LoadedRun& run, TraceFiles* traces) {
  ProgressLine progress;
  const InterruptFlag interrupt;
  return platforms::simulate(run, progress.sink(), &interrupt.flag(), traces);
}

ExitCode exit_code(platforms::RunEnd end) {
  switch (end) {
    case platforms::RunEnd::complete:
      return kOk;
    case platforms::RunEnd::input_error:
      return kUserError;
    case platforms::RunEnd::interrupted:
      return kInterrupted;
    case platforms::RunEnd::check_failed:
    case platforms::RunEnd::stuck:
    case platforms::RunEnd::time_limit:
      return kCheckFailed;
  }
  return kInternalError;
}

void print_report(const RunReport& report, const OutputFolder& folder, Context& context) {
  if (context.json) {
    Json document = summary_json(report);
    document["out"] = folder.path();
    context.print_json(document);
  } else {
    context.print(summary_text(report));
    context.print(fmt::format("results in {}\n", folder.path()));
  }
}

void run(const RunArguments& arguments, Context& context) {
  for (const std::string& file : arguments.files) {
    if (is_experiment_file(file))
      throw base::ConfigError(file, "this is an experiment; switchyard compare runs its cases");
    if (is_sweep_file(file)) throw base::ConfigError(file, "this is a sweep; switchyard sweep runs its points");
  }
  const std::vector<const TraceForm*> forms = find_trace_forms(arguments.traces);
  std::vector<std::string> sets;
  if (arguments.check) sets.emplace_back("run.check=true");
  if (arguments.seed) sets.push_back("seed=" + *arguments.seed);
  sets.insert(sets.end(), arguments.sets.begin(), arguments.sets.end());
  const auto loaded = platforms::load_run(context.registries, arguments.files, sets);
  if (arguments.symbols) return print_symbols(*loaded, context);

  RunIdentity identity{loaded->config.name, loaded->hash()};
  if (identity.name.empty()) identity.name = "run";
  const std::string resolved = loaded->resolved();
  const OutputFolder folder(arguments.out ? std::filesystem::path(*arguments.out)
                                          : std::filesystem::path("out") / folder_name(identity));
  std::optional<TraceFiles> traces;
  if (!forms.empty()) traces.emplace(folder, forms);
  const platforms::RunOutcome outcome = simulate_with_progress(*loaded, traces ? &*traces : nullptr);
  const RunReport report{identity, resolved, loaded->provenance, outcome};
  folder.write(report_files(report), traces ? traces->finish() : std::vector<MovedFile>{});
  print_report(report, folder, context);
  if (outcome.end == platforms::RunEnd::complete) return;
  std::cerr << "switchyard: " << end_name(outcome.end) << ": " << outcome.message << "\n";
  context.exit_code = exit_code(outcome.end);
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = *app.add_subcommand("run", "Simulate a configuration and write its results");
  command.add_option("FILE", arguments->files, "Configuration files, laid over each other in order")->required();
  command.add_option("--set", arguments->sets, "Override a value: PATH=VALUE")->allow_extra_args(false);
  command.add_option("--out", arguments->out, "Folder for the results; out/NAME-HASH by default");
  command.add_option("--seed", arguments->seed, "Seed of all random streams, like a first --set seed=N");
  command.add_flag("--check", arguments->check,
                   "Check coherence and translations while running, like a first --set run.check=true");
  std::string forms;
  for (const TraceForm& form : trace_forms())
    forms += fmt::format("{}{} ({}: {})", forms.empty() ? "" : ", ", form.name, form.file, form.text);
  command.add_option("--trace", arguments->traces, "Write what the kernel does as it happens: " + forms)
      ->delimiter(',')
      ->allow_extra_args(false);
  add_json_flag(command, context);
  command.add_flag("--symbols", arguments->symbols,
                   "List the kernel's objects with their addresses and who shares their lines, and do not run");
  command.callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/compare.h"
#include "sc_main/compare_explain.h"
#include "sc_main/compare_json.h"
#include "sc_main/compare_table.h"
#include "sc_main/config_search.h"
#include "sc_main/format.h"
#include "sc_main/isolated_run.h"
#include "sc_main/option_values.h"
#include "sc_main/output_folder.h"
#include "sc_main/progress.h"

namespace switchyard::cli {
namespace {

struct Options {
  std::string target, out;
  SimulatorOptions simulator{.jobs = usable_cpus()};
  bool explain = false;
};

/// Shows on a terminal how many simulations have ended; nothing where standard error is none.
RunProgress counter(TerminalLine& line) {
  return [&line](std::size_t done, std::size_t total, const std::string& label) {
    line.show(fmt::format("{} of {} simulations of this step done ({})", done, total, label));
  };
}

void add_run_options(CLI::App& command, Options& options, Context& context) {
  add_json_flag(command, context);
  command.add_option("-j,--jobs", options.simulator.jobs, "Simulations at a time (default: CPUs of this machine)")
      ->check(CLI::Range(1u, 1024u));
  command
      .add_option("--time-limit", options.simulator.time_limit_s,
                  "Seconds that one simulation may take (default: no limit)")
      ->check(CLI::Validator(check_time_limit, "SECONDS"));
  command.add_flag("--check", options.simulator.check, "Check coherence and translations while running");
}

std::string json_text(const nlohmann::ordered_json& document) { return document.dump(2) + "\n"; }

/// `rp5470@64B.before.yaml`; values that make no file name are numbered.
std::string config_file_name(const Comparison& comparison, const CompareRun& run) {
  std::string name = comparison.case_name(run.case_index);
  if (const Sweep* sweep = comparison.experiment().sweep(run.case_index)) {
    std::string value = sweep->value(run.case_index);
    std::erase(value, ' ');
    const bool is_plain = std::all_of(value.begin(), value.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    name = value_case_name(sweep->name, is_plain ? value : std::to_string(run.case_index - sweep->first_case));
  }
  return name + "." + comparison.variant_name(run.variant_index) + ".yaml";
}

void write_folder(const OutputFolder& folder, const Comparison& comparison) {
  std::vector<OutputFile> files{{"compare.txt", compare_text(comparison) + wrapped(explain_text(comparison))},
                                {"compare.json", json_text(compare_json(comparison))}};
  for (const CompareRun& run : comparison.runs())
    if (!run.result->resolved.empty()) files.push_back({config_file_name(comparison, run), run.result->resolved});
  folder.write(files);
}

void run_compare(const Options& options, Context& context) {
  TerminalLine line;
  const Simulator simulator = make_simulator(context.registries, options.simulator, counter(line));
  Experiment experiment = load_experiment(find_experiment(options.target), simulator);
  std::optional<OutputFolder> folder;
  if (!options.out.empty()) folder.emplace(options.out);
  const Comparison comparison(std::move(experiment), simulator);
  if (folder) write_folder(*folder, comparison);
  if (comparison.has_failed()) context.exit_code = kCheckFailed;
  if (context.json) {
    nlohmann::ordered_json document = compare_json(comparison);
    if (options.explain) document["explanation"] = explain_text(comparison);
    context.print_json(document);
    return;
  }
  context.print(compare_text(comparison));
  if (options.explain) context.print(wrapped(explain_text(comparison)));
}

/// Every experiment of the first folder; throws with the faults of all of them.
std::vector<Experiment> load_all(const Simulator& simulator) {
  const std::vector<std::string> folders = config_folders("experiments");
  if (folders.empty())
    throw base::ConfigError("validate", "no folder with experiments; set SWITCHYARD_CONFIGS or run where ./configs is");
  std::vector<Experiment> experiments;
  std::vector<std::string> faults;
  for (const std::string& file : config_files(folders.front())) {
    try {
      experiments.push_back(load_experiment(file, simulator));
    } catch (const base::ConfigError& error) {
      faults.emplace_back(error.what());
    }
  }
  if (!faults.empty()) throw base::ConfigError(platforms::join(faults, "\n"));
  return experiments;
}

void run_validate(const Options& options, Context& context) {
  TerminalLine line;
  const Simulator simulator = make_simulator(context.registries, options.simulator, counter(line));
  std::vector<std::unique_ptr<Comparison>> comparisons;
  for (Experiment& experiment : load_all(simulator))
    comparisons.push_back(std::make_unique<Comparison>(std::move(experiment), simulator));
  nlohmann::ordered_json document{{"version", SWITCHYARD_VERSION}, {"experiments", nlohmann::ordered_json::array()}};
  std::vector<const Comparison*> all;
  for (const auto& comparison : comparisons) {
    all.push_back(comparison.get());
    document["experiments"].push_back(compare_json(*comparison));
    if (comparison->has_failed()) context.exit_code = kCheckFailed;
  }
  if (context.json) {
    context.print_json(document);
  } else {
    context.print(validate_text(all));
  }
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("compare", "Run an experiment and compare it with what was published");
  command.add_option("experiment", options->target, "Name in configs/experiments, or a file")->required();
  add_run_options(command, *options, context);
  command.add_flag("--explain", options->explain, "Say where the cycles went, by cause and by function");
  command.add_option("--out", options->out, "Folder for the table, its JSON, and the configuration of each run");
  command.callback([options, &context] { run_compare(*options, context); });
}

void add_validate(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("validate", "Run every experiment of the configuration folder");
  add_run_options(command, *options, context);
  command.callback([options, &context] { run_validate(*options, context); });
}

}  // namespace switchyard::cli

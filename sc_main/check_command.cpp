// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulation.h"
#include "sc_main/cli.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/sources.h"
#include "sc_main/sweep/sweep_plan.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  std::vector<std::string> files, sets;
};

void check(const CheckArguments& arguments, Context& context) {
  std::vector<std::string> files;
  for (const std::string& file : arguments.files) {
    if (is_experiment_file(file))
      check_experiment(context.registries, file);
    else if (is_sweep_file(file))
      SweepPlan(context.registries, file);  // checks every point
    else
      files.push_back(file);
  }
  Json document{{"files", arguments.files}, {"ok", true}};
  std::string text = fmt::format("{}: ok\n", fmt::join(arguments.files, ", "));
  if (!files.empty()) {
    const auto run = platforms::load_run(context.registries, files, arguments.sets);
    // A part of a configuration, such as the caches that several boards share, cannot be built by itself.
    const bool is_machine = !run->config.modules.empty() && !run->config.wires.empty();
    if (is_machine) platforms::elaborate_only(*run);
    document["elaborated"] = is_machine;
    document["config_hash"] = run->hash();
    document["sources"] = source_counts_json(run->provenance);
  }
  if (context.json)
    context.print_json(document);
  else
    context.print(text);
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App& command = *app.add_subcommand("check", "Read a configuration and build its machine, without running it");
  command
      .add_option("FILE", arguments->files,
                  "Configuration files, laid over each other in order; or experiments and sweeps")
      ->required();
  command.add_option("--set", arguments->sets, "Override a value: PATH=VALUE")->allow_extra_args(false);
  add_json_flag(command, context);
  command.callback([arguments, &context] { check(*arguments, context); });
}

}  // namespace switchyard::cli

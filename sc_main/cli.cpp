// SPDX-License-Identifier: Apache-2.0
#include "sc_main/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <ostream>
#include <vector>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/compare_command.h"
#include "sc_main/sweep/sweep_command.h"

namespace switchyard::cli {
namespace {

/// CLI11 only says that a word was not expected; a mistyped command deserves the list.
void refuse_unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  int at = 1;  // of the first word that is no flag; the flags of the program take no values
  while (at < argc && *argv[at] == '-') ++at;
  if (at >= argc || *argv[at] == '\0') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  for (const std::string& name : names)
    if (name == argv[at]) return;
  throw base::ConfigError("command line",
                          "unknown command " + platforms::shown(argv[at]) + platforms::allowed_names(argv[at], names));
}

/// CLI11 looks for what is missing before it looks at what it does not know; a mistyped flag is the likelier fault.
void refuse_unknown_flag(const CLI::App& app) {
  for (const std::string& word : app.remaining(true))
    if (word.starts_with("-") && word != "--")
      throw base::ConfigError("command line",
                              "unknown flag " + platforms::shown(word) + " (switchyard --help lists what there is)");
}

void execute(int argc, const char* const* argv, Context& context) {
  CLI::App app{"Simulates multiprocessors and the kernel policies that run on them", "switchyard"};
  bool wants_version = false;
  app.add_flag("--version", wants_version, "Print the version");
  add_json_flag(app, context);
  app.require_subcommand(0, 1);
  add_run(app, context);
  add_compare(app, context);
  add_validate(app, context);
  add_sweep(app, context);
  add_results(app, context);
  add_diff(app, context);
  add_check(app, context);
  add_describe(app, context);
  refuse_unknown_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    context.print(app.help());  // that of the command where there is one
    return;
  } catch (const CLI::ParseError& error) {
    refuse_unknown_flag(app);
    throw base::ConfigError("command line", std::string(error.what()) + " (switchyard --help lists what there is)");
  }
  if (wants_version) {
    if (context.json)
      context.print_json({{"version", SWITCHYARD_VERSION}});
    else
      context.print("switchyard " SWITCHYARD_VERSION "\n");
  } else if (app.get_subcommands().empty()) {
    throw base::ConfigError("command line", "a command is needed (switchyard --help lists them)");
  }
}

}  // namespace

void add_json_flag(CLI::App& command, Context& context) {
  command.add_flag("--json", context.json, "Print one JSON document");
}

int run_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    Context context;
    execute(argc, argv, context);
    out << context.output() << std::flush;
    if (!out) throw base::ConfigError("standard output", "cannot write");
    return context.exit_code;
  } catch (const base::ConfigError& error) {
    err << "switchyard: " << error.what() << "\n";
    return kUserError;
  } catch (const base::CheckError& error) {
    err << "switchyard: " << error.what() << "\n";
    return kCheckFailed;
  } catch (const std::exception& error) {
    err << "switchyard: internal error: " << error.what() << "\n";
    return kInternalError;
  }
}

}  // namespace switchyard::cli

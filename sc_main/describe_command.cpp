// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "platforms/config/schema_writer.h"
#include "platforms/config/text.h"
#include "platforms/simulation.h"
#include "sc_main/cli.h"
#include "sc_main/describe_types.h"
#include "sc_main/sources.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DescribeArguments {
  std::vector<std::string> types, sources, sets;
  bool markdown = false, schema = false;
};

/// The descriptions that `names` asks for; all without names.
std::vector<TypeDescription> chosen_types(const std::vector<std::string>& names, const Context& context) {
  std::vector<TypeDescription> all = describe_types(context.registries);
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const TypeDescription& type : all) known.push_back(type.name);
  std::vector<TypeDescription> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const TypeDescription& type) { return type.name == name; });
    if (chosen.size() == before)
      throw base::ConfigError("describe",
                              "unknown type " + platforms::shown(name) + platforms::allowed_names(name, known));
  }
  return chosen;
}

void print_types(const DescribeArguments& arguments, Context& context) {
  const auto types = chosen_types(arguments.types, context);
  if (context.json) {
    Json list = Json::array();
    for (const TypeDescription& type : types) list.push_back(description_json(type));
    return context.print_json({{"version", SWITCHYARD_VERSION}, {"types", list}});
  }
  const auto format = arguments.markdown ? platforms::DescribeFormat::markdown : platforms::DescribeFormat::text;
  std::string text;
  for (const TypeDescription& type : types) text += (text.empty() ? "" : "\n") + description_text(type, format);
  context.print(text);
}

void print_sources(const DescribeArguments& arguments, Context& context) {
  const auto run = platforms::load_run(context.registries, arguments.sources, arguments.sets);
  if (context.json)
    context.print_json(sources_json(run->provenance));
  else
    context.print(sources_text(run->provenance));
}

void describe(const DescribeArguments& arguments, Context& context) {
  if (arguments.markdown && context.json) throw base::ConfigError("command line", "--markdown excludes --json");
  if (!arguments.sources.empty()) return print_sources(arguments, context);
  if (!arguments.schema) return print_types(arguments, context);
  platforms::RunConfig config(context.registries);
  context.print_json(platforms::json_schema(config));
}

}  // namespace

void add_describe(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App& command = *app.add_subcommand("describe", "List models, parameters, policies and statistics");
  auto* types = command.add_option("TYPE", arguments->types, "Only these: a model, firmware, kernel or action");
  auto* sources = command.add_option("--sources", arguments->sources,
                                     "List the values of these files that say where they are from");
  command.add_option("--set", arguments->sets, "With --sources: override a value: PATH=VALUE")
      ->allow_extra_args(false)
      ->needs(sources);
  auto* markdown = command.add_flag("--markdown", arguments->markdown, "Write the reference pages");
  auto* schema = command.add_flag("--schema", arguments->schema, "Print the JSON Schema of configuration files");
  add_json_flag(command, context);
  sources->excludes(types);
  schema->excludes(types)->excludes(sources);
  markdown->excludes(sources)->excludes(schema);
  command.callback([arguments, &context] { describe(*arguments, context); });
}

}  // namespace switchyard::cli

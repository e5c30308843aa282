// SPDX-License-Identifier: Apache-2.0
#include "sc_main/describe_types.h"

#include <fmt/format.h>

#include <string_view>

#include "kernel/kernel_stats.h"
#include "platforms/run_config.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::DescribeFormat;
using platforms::ParamRow;

std::vector<ParamRow> own_params(base::ParamSet& params) {
  for (platforms::ParamSection& section : platforms::list_params(params))
    if (section.title.empty()) return std::move(section.rows);
  return {};
}

std::vector<NamedText> stats_of(const base::StatGroup& group) {
  std::vector<NamedText> stats;
  for (const base::Counter* counter : group.counters())
    stats.push_back({counter->name(), counter->unit(), counter->text()});
  return stats;
}

std::string port_kind(const PortInfo& port) {
  static constexpr std::array<std::string_view, 4> kNames{"initiator", "target", "interrupt output", "interrupt input"};
  return fmt::format("{}{}{}", kNames[static_cast<std::size_t>(port.kind)], port.many ? ", any number of wires" : "",
                     port.required ? "" : ", optional");
}

template <class Registry>
TypeDescription describe(const std::string& kind, const typename Registry::Type& type) {
  const auto params = type.make_params();
  return {kind, type.name, type.text, own_params(*params), {}, {}};
}

TypeDescription describe_model(const sim::ModelRegistry::Type& type) {
  TypeDescription description = describe<sim::ModelRegistry>("module", type);
  const auto params = type.make_params();
  const auto module = type.build(sc_core::sc_module_name(sc_core::sc_gen_unique_name(type.name.c_str())), *params);
  for (const PortInfo& port : module->ports()) description.ports.push_back({port.name, port_kind(port), ""});
  description.stats = stats_of(module->stats());
  return description;
}

TypeDescription describe_firmware(const interrupt::FirmwareRegistry::Type& type) {
  TypeDescription description = describe<interrupt::FirmwareRegistry>("firmware", type);
  cpu::FunctionTable functions;
  const interrupt::FirmwareContext no_cpus{{}, functions};
  const auto params = type.make_params();
  description.stats = stats_of(type.build(no_cpus, *params)->stats());
  return description;
}

TypeDescription describe_kernel(const kernel::KernelRegistry::Type& type) {
  TypeDescription description = describe<kernel::KernelRegistry>("kernel", type);
  description.stats = stats_of(kernel::KernelStats());  // of every kernel; one cannot be built without a machine
  return description;
}

std::string param_facts(const ParamRow& row) {
  std::string facts = row.type;
  if (row.fallback == "required")
    facts += ", required";
  else if (!row.fallback.empty())
    facts += ", default " + row.fallback;
  return row.range.empty() ? facts : facts + ", " + row.range;
}

std::string plain_text(const TypeDescription& type) {
  std::string text = fmt::format("{} {}\n  {}\n", type.kind, type.name, type.text);
  if (!type.params.empty()) text += "  parameters:\n";
  for (const ParamRow& row : type.params)
    text += fmt::format("    {}\n      {}\n      {}\n", row.path, param_facts(row), row.text);
  if (!type.ports.empty()) text += "  ports:\n";
  for (const NamedText& port : type.ports) text += fmt::format("    {}: {}\n", port.name, port.kind);
  if (!type.stats.empty()) text += "  statistics:\n";
  for (const NamedText& stat : type.stats) text += fmt::format("    {} ({}): {}\n", stat.name, stat.kind, stat.text);
  return text;
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string markdown(const TypeDescription& type) {
  std::string text = fmt::format("## {} `{}`\n\n{}.\n", type.kind, type.name, type.text);
  if (!type.params.empty()) text += "\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const ParamRow& row : type.params)
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.path, cell(row.type), cell(row.fallback), cell(row.range),
                        cell(row.text));
  if (!type.ports.empty()) text += "\n| port | kind |\n|---|---|\n";
  for (const NamedText& port : type.ports) text += fmt::format("| `{}` | {} |\n", port.name, port.kind);
  if (!type.stats.empty()) text += "\n| statistic | unit | meaning |\n|---|---|---|\n";
  for (const NamedText& stat : type.stats)
    text += fmt::format("| `{}` | {} | {} |\n", stat.name, stat.kind, cell(stat.text));
  return text;
}

}  // namespace

std::vector<TypeDescription> describe_types(const platforms::Registries& registries) {
  platforms::RunConfig config(registries);
  std::vector<TypeDescription> types;
  types.push_back({"file", "configuration", "Keys of a configuration file", own_params(config), {}, {}});
  for (const auto& type : registries.models.types()) types.push_back(describe_model(type));
  for (const auto& type : registries.firmware.types()) types.push_back(describe_firmware(type));
  for (const auto& type : registries.kernels.types()) types.push_back(describe_kernel(type));
  for (const auto& type : registries.actions.types())
    types.push_back(describe<workloads::ActionRegistry>("action", type));
  return types;
}

std::string description_text(const TypeDescription& type, DescribeFormat format) {
  return format == DescribeFormat::markdown ? markdown(type) : plain_text(type);
}

Json description_json(const TypeDescription& type) {
  Json json{{"kind", type.kind}, {"name", type.name}, {"text", type.text}};
  Json& params = json["parameters"] = Json::array();
  for (const ParamRow& row : type.params)
    params.push_back(
        {{"path", row.path}, {"type", row.type}, {"default", row.fallback}, {"range", row.range}, {"text", row.text}});
  Json& ports = json["ports"] = Json::array();
  for (const NamedText& port : type.ports) ports.push_back({{"name", port.name}, {"kind", port.kind}});
  Json& stats = json["statistics"] = Json::array();
  for (const NamedText& stat : type.stats)
    stats.push_back({{"name", stat.name}, {"unit", stat.kind}, {"text", stat.text}});
  return json;
}

}  // namespace switchyard::cli

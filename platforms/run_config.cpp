// SPDX-License-Identifier: Apache-2.0
#include "platforms/run_config.h"

#include <unistd.h>

#include <regex>

#include "base/cpu_mask.h"

namespace switchyard::platforms {

void ModuleConfig::visit(base::ParamVisitor& v) {
  v.typed({"type", "Model", "", true}, model.type, {"params", "Its parameters"}, model.params, *registry);
  v.value({"count", "Makes the module an array of that many, `name[0]`, `name[1]`, ...; 0 for a single one", "modules"},
          count, {0, base::kMaxCpus});
}

void WireConfig::visit(base::ParamVisitor& v) {
  v.value({"from",
           "Initiator or interrupt output: `module.port`, `module[2].port`, `module[0..2].port` or `module[*].port`",
           "", true},
          from);
  v.value({"to", "Target or interrupt input, in the same form", "", true}, to);
}

void UntilConfig::visit(base::ParamVisitor& v) {
  v.value({"relative_ci",
           "Stop the measured loop when the 95 % confidence interval of the time of one iteration is "
           "within this share of its mean"},
          relative_ci);
  v.value({"warm_up", "Iterations left out of all results", "iterations"}, warm_up);
  v.value({"min_iterations", "Iterations to measure at least", "iterations"}, min_iterations, {10, 1e12});
  v.value({"max_iterations", "Iterations to measure at most; 0 for the loop's own count", "iterations"},
          max_iterations);
  v.value({"min_time", "Simulated time to measure at least"}, min_time);
}

void RunOptions::visit(base::ParamVisitor& v) {
  v.object({"until", "When the measured loop has run long enough"}, until);
  v.value({"time_limit", "Simulated time after which the run is stopped as stuck"}, time_limit, {1, 1e18});
  v.value(
      {"delta_limit",
       "SystemC delta cycles at one simulated time after which the run is stopped as stuck: modules wake each other "
       "without end",
       "delta cycles"},
      delta_limit, {1000, 1e15});
  v.value({"check", "Check coherence and translations while running, like run --check"}, check);
}

RunConfig::RunConfig(const Registries& all)
    : firmware(all.firmware, "none"), kernel(all.kernels, "linux-riscv"), workload(all.actions), registries(all) {}

void RunConfig::visit(base::ParamVisitor& v) {
  v.value({"name", "Name of the configuration; the default output folder is named after it"}, name);
  v.value({"description", "What it is"}, description);
  v.value({"seed", "Seed of all random streams"}, seed);
  v.value({"quantum", "How far a CPU may run ahead of the others while it hits in its own caches; 0 is exact"}, quantum,
          {0, 1e12});
  v.named({"modules", "Hardware modules by name"}, modules, [this] { return ModuleConfig(registries.models); });
  v.sequence({"wires", "Connections between module ports"}, wires);
  v.object({"firmware", "Machine-mode firmware"}, firmware);
  v.object({"kernel", "Operating system"}, kernel);
  v.object({"workload", "User programs"}, workload);
  v.object({"run", "How long to run and what to check"}, run);
}

std::string RunConfig::check() const {
  static const std::regex kName("[A-Za-z_][A-Za-z0-9_-]*");
  for (const auto& [key, module] : modules)
    if (!std::regex_match(key, kName))
      return "'" + key + "' is no name for a module; use letters, digits, - and _, a letter first";
  std::uint64_t bytes = 0;
  for (const auto& [key, module] : modules)
    if (module.model.params) bytes += module.model.params->host_bytes() * std::max<std::uint64_t>(module.count, 1);
  const auto host =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (bytes > host / 2)
    return "the caches of this machine need " + std::to_string(bytes >> 20) +
           " MiB of host memory, more than half of the " + std::to_string(host >> 20) + " MiB here";
  return "";
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine.h"

#include <algorithm>

#include "base/cpu_mask.h"
#include "base/errors.h"
#include "sim/clock.h"

namespace switchyard::platforms {

Machine::Machine(const RunConfig& config, const Provenance& provenance) {
  build(config);
  Diagnostics diagnostics;
  Wiring wiring(arrays_, provenance, diagnostics);
  wiring.bind(config.wires);
  wiring.check_complete();
  diagnostics.throw_if_any();
}

void Machine::build(const RunConfig& config) {
  for (const auto& [name, module] : config.modules) {
    ModuleArray array{name, module.is_array(), {}};
    const auto* type = config.registries.models.find(module.model.type);
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(module.count, 1); ++i) {
      const std::string unique = module.is_array() ? name + "_" + std::to_string(i) : name;
      array.modules.push_back(type->build(sc_core::sc_module_name(unique.c_str()), *module.model.params));
      if (auto* cpu = dynamic_cast<cpu::LogicalCpu*>(array.modules.back().get())) {
        cpu->set_id(static_cast<unsigned>(cpus_.size()));
        cpus_.push_back(cpu);
      }
    }
    arrays_.push_back(std::move(array));
  }
  if (cpus_.size() > base::kMaxCpus)
    throw base::ConfigError("modules", std::to_string(cpus_.size()) + " logical CPUs; at most " +
                                           std::to_string(base::kMaxCpus) + " are possible");
}

void Machine::check_wiring(const Provenance& provenance) const {
  Diagnostics diagnostics;
  for (const ModuleArray& array : arrays_)
    for (std::size_t i = 0; i < array.modules.size(); ++i)
      if (const std::string wrong = array.modules[i]->check_wiring(); !wrong.empty())
        diagnostics.error(place_of("modules." + array.name, provenance), "modules." + array.label(i), wrong);
  diagnostics.throw_if_any();
}

const interrupt::IpiFabric* Machine::ipi_fabric(interrupt::IpiFabric::Mode mode) const {
  for (const ModuleArray& array : arrays_)
    for (const auto& module : array.modules)
      if (const auto* fabric = dynamic_cast<const interrupt::IpiFabric*>(module.get()))
        if (fabric->mode() == mode) return fabric;
  return nullptr;
}

std::uint64_t Machine::now_ps() const {
  std::uint64_t now = sim::to_ps(sc_core::sc_time_stamp());
  for (const cpu::LogicalCpu* cpu : cpus_) now = std::max(now, cpu->now_ps());
  return now;
}

interrupt::IntervalTimer* Machine::interval_timer() const {
  for (const ModuleArray& array : arrays_)
    for (const auto& module : array.modules)
      if (auto* timer = dynamic_cast<interrupt::IntervalTimer*>(module.get())) return timer;
  return nullptr;
}

AddressRange Machine::ram() const {
  AddressRange largest;
  for (const ModuleArray& array : arrays_)
    for (const auto& module : array.modules)
      if (module->address_range().size > largest.size) largest = module->address_range();
  return largest;
}

}  // namespace switchyard::platforms

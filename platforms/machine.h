// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cpu/logical_cpu.h"
#include "interrupt/interval_timer.h"
#include "interrupt/ipi_fabric.h"
#include "platforms/config/provenance.h"
#include "platforms/wiring.h"

namespace switchyard::platforms {

/// The hardware of a configuration, built and wired. Lives through elaboration and simulation.
class Machine {
 public:
  /// Throws base::ConfigError with everything that is wrong with modules and wires.
  Machine(const RunConfig& config, const Provenance& provenance);

  /// To be called after SystemC elaboration: what modules find wrong with their neighbours, as base::ConfigError.
  void check_wiring(const Provenance& provenance) const;

  const std::vector<ModuleArray>& arrays() const { return arrays_; }
  /// All logical CPUs, in the order of the file; their position is their id.
  const std::vector<cpu::LogicalCpu*>& cpus() const { return cpus_; }
  /// The IPI device that enters `mode`, or nullptr.
  const interrupt::IpiFabric* ipi_fabric(interrupt::IpiFabric::Mode mode) const;
  /// The module with the timers of the CPUs, or nullptr.
  interrupt::IntervalTimer* interval_timer() const;
  /// The largest memory-mapped module.
  AddressRange ram() const;
  /// How far the simulation has come. SystemC time lags behind a CPU that nobody else could notice.
  std::uint64_t now_ps() const;

 private:
  void build(const RunConfig& config);

  std::vector<ModuleArray> arrays_;
  std::vector<cpu::LogicalCpu*> cpus_;
};

}  // namespace switchyard::platforms

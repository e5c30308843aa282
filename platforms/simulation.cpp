// SPDX-License-Identifier: Apache-2.0
#include "platforms/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>
#include <tlm>

#include "base/errors.h"
#include "cpu/translation_check.h"
#include "kernel/interval_timer_device.h"
#include "kernel/ipi_sender.h"
#include "memory/coherence_check.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/param_reader.h"
#include "platforms/config/param_writer.h"
#include "platforms/loop_monitor.h"
#include "platforms/machine.h"
#include "platforms/outcome_builder.h"
#include "sim/clock.h"
#include "sim/watchdog.h"

namespace switchyard::platforms {

namespace {

/// Memory at the start of RAM that firmware keeps; the kernel begins behind it (RISC-V image header, load offset 2
/// MiB).
constexpr std::uint64_t kFirmwareBytes = 2 << 20;
constexpr std::uint64_t kLeastKernelBytes = 64 << 20;

/// Machine, firmware, kernel and workload of one run.
class System {
 public:
  System(LoadedRun& run, workloads::LoopObserver* observer, kernel::TraceObserver* trace)
      : config_(run.config), machine_(config_, run.provenance), trace_(trace) {
    tlm::tlm_global_quantum::instance().set(sim::from_ps(config_.quantum.ps));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // completes elaboration
    machine_.check_wiring(run.provenance);
    if (machine_.cpus().empty()) return;
    for (cpu::LogicalCpu* cpu : machine_.cpus()) cpu->set_functions(&functions_);
    make_firmware();
    make_kernel();
    attach_checks();
    workload_ = std::make_unique<workloads::Workload>(config_.workload, *kernel_,
                                                      static_cast<unsigned>(machine_.cpus().size()), observer);
  }

  const Machine& machine() const { return machine_; }
  const cpu::FunctionTable& functions() const { return functions_; }
  interrupt::Firmware* firmware() { return firmware_.get(); }
  kernel::Kernel* kernel() { return kernel_.get(); }

 private:
  void make_firmware() {
    const auto* fabric = machine_.ipi_fabric(interrupt::IpiFabric::Mode::machine);
    interrupt::FirmwareContext context{machine_.cpus(), functions_};
    if (fabric != nullptr) {
      context.clint = fabric->base();
      context.timebase = fabric->timebase();
      require_harts(*fabric, "clint");
    } else if (config_.firmware.model.type != "none") {
      throw base::ConfigError("firmware",
                              "type '" + config_.firmware.model.type +
                                  "' needs an interrupt device for machine mode; add a module of type clint");
    }
    const auto* type = config_.registries.firmware.find(config_.firmware.model.type);
    firmware_ = type->build(context, *config_.firmware.model.params);
  }

  void require_harts(const interrupt::IpiFabric& fabric, const char* what) const {
    if (fabric.harts() == machine_.cpus().size()) return;
    throw base::ConfigError("wires", fmt::format("the {} interrupts {} harts, the machine has {} CPUs", what,
                                                 fabric.harts(), machine_.cpus().size()));
  }

  /// How much of the start of RAM is the firmware's: what it needs, in whole steps of the kernel's load offset.
  std::uint64_t firmware_bytes(AddressRange ram) const {
    const AddressRange used = firmware_->memory();
    if (used.size == 0) return kFirmwareBytes;
    if (used.base - ram.base >= kFirmwareBytes)
      throw base::ConfigError(
          "firmware.params.memory",
          fmt::format("{:#x} is not in the first {} MiB of the largest memory, which starts at {:#x}", used.base,
                      kFirmwareBytes >> 20, ram.base));
    return (used.base - ram.base + used.size + kFirmwareBytes - 1) / kFirmwareBytes * kFirmwareBytes;
  }

  void make_kernel() {
    const AddressRange ram = machine_.ram();
    const std::uint64_t kept = firmware_bytes(ram);
    if (ram.size < kept + kLeastKernelBytes)
      throw base::ConfigError("modules", fmt::format("the largest memory has {} MiB; firmware and kernel need {} MiB",
                                                     ram.size >> 20, (kept + kLeastKernelBytes) >> 20));
    kernel::KernelContext context;
    context.cpus = machine_.cpus();
    context.sbi = firmware_.get();
    context.firmware = config_.firmware.model.type;
    context.memory = &machine_.cpus().front()->debug_memory();
    context.ram_base = ram.base + kept;
    context.ram_size = ram.size - kept;
    context.functions = &functions_;
    context.seed = config_.seed;
    context.trace = trace_;
    if (config_.run.check) {
      translation_check_ = std::make_unique<cpu::TranslationCheck>(machine_.cpus(), functions_);
      context.observer = translation_check_.get();
    }
    if (const auto* fabric = machine_.ipi_fabric(interrupt::IpiFabric::Mode::supervisor)) {
      require_harts(*fabric, "sswi");
      ipi_sender_ = std::make_unique<kernel::FabricIpiSender>(*fabric);
      context.ipi_sender = ipi_sender_.get();
      if (auto* timer = machine_.interval_timer()) {
        timer_ = std::make_unique<kernel::IntervalTimerDevice>(*timer);
        context.timer = timer_.get();
      }
    }
    const auto* type = config_.registries.kernels.find(config_.kernel.model.type);
    kernel_ = type->build(context, *config_.kernel.model.params);
  }

  void attach_checks() {
    if (!config_.run.check) return;
    for (const ModuleArray& array : machine_.arrays())
      for (const auto& module : array.modules)
        if (auto* checked = dynamic_cast<memory::CoherenceChecked*>(module.get()))
          checked->set_check(&coherence_check_);
  }

  RunConfig& config_;
  Machine machine_;
  kernel::TraceObserver* const trace_;
  cpu::FunctionTable functions_;
  memory::CoherenceCheck coherence_check_;
  std::unique_ptr<cpu::TranslationCheck> translation_check_;
  std::unique_ptr<kernel::IpiSender> ipi_sender_;
  std::unique_ptr<kernel::TimerDevice> timer_;
  std::unique_ptr<interrupt::Firmware> firmware_;
  std::unique_ptr<kernel::Kernel> kernel_;
  std::unique_ptr<workloads::Workload> workload_;
};

double seconds(std::uint64_t ps) { return static_cast<double>(ps) * 1e-12; }

std::string endless_text(const sim::Watchdog& watchdog, const RunOptions& options, std::uint64_t now_ps) {
  return fmt::format("more than {} delta cycles at {} s (run.delta_limit); processes that keep running: {}",
                     options.delta_limit, seconds(now_ps), fmt::join(watchdog.running(), ", "));
}

void explain_end(System& system, const RunOptions& options, const sim::Watchdog& watchdog, RunOutcome& outcome) {
  if (system.kernel()->all_ended()) return;
  const std::uint64_t now_ps = system.machine().now_ps();
  if (watchdog.found_endless_delta_cycles()) {
    outcome.end = RunEnd::stuck;
    outcome.message = endless_text(watchdog, options, sim::to_ps(sc_core::sc_time_stamp()));
    return;
  }
  if (watchdog.was_interrupted()) {
    outcome.end = RunEnd::interrupted;
    outcome.message = fmt::format("stopped at {} s of simulated time, while tasks still run", seconds(now_ps));
    return;
  }
  const bool limit = sc_core::sc_pending_activity();  // else nothing is left to happen
  outcome.end = limit ? RunEnd::time_limit : RunEnd::stuck;
  outcome.message =
      limit ? fmt::format("run.time_limit of {} s is over and tasks still run", seconds(options.time_limit.ps))
            : "nothing is left to happen, but tasks have not ended: " + describe_tasks(*system.kernel());
}

/// Runs until the last task has ended, the time limit, a failed check, an interrupt, or nothing happens any more.
/// Returns the time.
std::uint64_t run_to_end(System& system, const RunOptions& options, const std::atomic<bool>* interrupt,
                         RunOutcome& outcome) {
  const sim::Watchdog watchdog(options.delta_limit, interrupt);
  sc_core::sc_spawn_options method;
  method.spawn_method();
  method.dont_initialize();
  method.set_sensitivity(&system.kernel()->all_ended_event());
  sc_core::sc_spawn([] { sc_core::sc_pause(); }, "all_ended", &method);
  try {
    sc_core::sc_start(sim::from_ps(options.time_limit.ps), sc_core::SC_EXIT_ON_STARVATION);
    explain_end(system, options, watchdog, outcome);
  } catch (const sc_core::sc_report& report) {
    const std::string fault = system.kernel()->input_fault();
    outcome.end = fault.empty() ? RunEnd::check_failed : RunEnd::input_error;
    outcome.message = fault.empty() ? failure_text(report) : fault;
  }
  const std::uint64_t now_ps = system.machine().now_ps();
  return outcome.end == RunEnd::time_limit ? std::max(now_ps, options.time_limit.ps) : now_ps;
}

/// Kernels whose symbols know their section say it.
template <class Symbol>
std::string section_of(const Symbol& symbol) {
  if constexpr (requires { symbol.section; }) {
    return symbol.section;
  } else {
    return "";
  }
}

}  // namespace

std::string LoadedRun::resolved() { return write_resolved(config, provenance); }
std::string LoadedRun::hash() { return config_hash(config, provenance); }

namespace {

std::unique_ptr<LoadedRun> read_run(const Registries& registries, const ConfigTree& tree, Diagnostics& diagnostics) {
  auto run = std::make_unique<LoadedRun>(registries);
  read_params(tree, run->config, diagnostics, run->provenance);
  diagnostics.throw_if_any();
  return run;
}

}  // namespace

std::unique_ptr<LoadedRun> load_run(const Registries& registries, const std::vector<std::string>& files,
                                    const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  return read_run(registries, load_config(files, sets, diagnostics), diagnostics);
}

std::unique_ptr<LoadedRun> load_run(const Registries& registries, ConfigTree files,
                                    const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  apply_overrides(files, sets, diagnostics);
  return read_run(registries, files, diagnostics);
}

void elaborate_only(LoadedRun& run) { System(run, nullptr, nullptr); }

RunOutcome simulate(LoadedRun& run, const ProgressSink& progress, const std::atomic<bool>* interrupt,
                    TraceSink* trace) {
  if (run.config.modules.empty()) throw base::ConfigError("modules", "there are none; give a platform file");
  if (run.config.workload.processes.empty())
    throw base::ConfigError("workload.processes", "there are none; give a workload file");
  RunOutcome outcome;
  System* running = nullptr;
  std::uint64_t started_ps = 0;
  const auto record = [&](std::uint64_t now_ps) {
    record_statistics(running->machine(), *running->firmware(), *running->kernel(), running->functions(), now_ps,
                      outcome);
    outcome.measured_s = seconds(now_ps - started_ps);
  };
  LoopMonitor monitor(
      run.config.run.until,
      [&](std::uint64_t now_ps) {
        reset_statistics(running->machine(), *running->firmware(), *running->kernel(), now_ps);
        started_ps = now_ps;
      },
      record, [&] { return cpu_time(*running->kernel(), running->machine().cpus().front()->clock_hz()); }, progress);
  TraceMerger merger(trace, [] { return sim::to_ps(sc_core::sc_time_stamp()); });
  System system(run, &monitor, merger.observer());
  if (system.kernel() == nullptr) throw base::ConfigError("modules", "no module is a CPU");
  running = &system;
  merger.begin(static_cast<unsigned>(system.machine().cpus().size()));
  const std::uint64_t ended_ps = run_to_end(system, run.config.run, interrupt, outcome);
  merger.finish();
  monitor.stop(ended_ps);
  outcome.simulated_s = seconds(ended_ps);
  outcome.cpu_hz = system.machine().cpus().front()->clock_hz();
  outcome.cpus = static_cast<unsigned>(system.machine().cpus().size());
  outcome.has_loop = monitor.used();
  outcome.loop = monitor.record();
  if (!outcome.has_loop) record(ended_ps);
  return outcome;
}

SymbolList list_symbols(LoadedRun& run) {
  System system(run, nullptr, nullptr);
  SymbolList list;
  if (system.kernel() == nullptr) return list;
  for (const kernel::Symbol& symbol : system.kernel()->symbols())
    list.symbols.push_back({symbol.name, section_of(symbol), symbol.va, symbol.pa, symbol.size});
  std::stable_sort(list.symbols.begin(), list.symbols.end(), [](const auto& a, const auto& b) { return a.va < b.va; });
  for (const ModuleArray& array : system.machine().arrays())
    if (dynamic_cast<const cpu::LogicalCpu*>(array.modules.front().get()) == system.machine().cpus().front())
      list.granule = find_granule(run.config, array.name);
  return list;
}

}  // namespace switchyard::platforms

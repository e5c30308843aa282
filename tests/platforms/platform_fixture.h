// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "platforms/simulation.h"
#include "support/sim_test.h"

namespace switchyard::test {

using platforms::RunEnd;
using platforms::RunOutcome;

/// Two harts with private caches, one second level, RAM, CLINT and OpenSBI. The wires are lines 10 to 16.
inline const std::string kModules = R"(schema: 1
modules:
  hart: {type: cpu, count: 2, params: {clock: 1 GHz}}
  l1: {type: cache, count: 2, params: {size: 32 KiB}}
  l2: {type: cache, params: {size: 256 KiB}}
  bus: {type: bus}
  ram: {type: memory, params: {base: 0x80000000, size: 1 GiB}}
  clint: {type: clint}
wires:
)";
inline const std::string kWires = R"(  - {from: "hart[*].data", to: "l1[*].cpu"}
  - {from: "l1[*].mem", to: l2.cpu}
  - {from: l2.mem, to: bus.in}
  - {from: bus.out, to: ram.in}
  - {from: bus.out, to: clint.in}
  - {from: clint.msip, to: "hart[*].msip"}
  - {from: clint.mtip, to: "hart[*].mtip"}
)";
inline const std::string kMachine = kModules + kWires + "firmware: {type: opensbi}\n";

/// `steps` as the only program, one process.
inline std::string program(const std::string& steps) {
  return "schema: 1\nworkload:\n  programs:\n    main:\n      steps:\n" + steps + "  processes: [{program: main}]\n";
}

/// Files in a folder of their own, and the runs that they describe.
struct PlatformTest {
  const platforms::Registries registries;
  std::filesystem::path folder;

  PlatformTest() {
    std::string name = (std::filesystem::temp_directory_path() / "switchyard_platforms_XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
  }
  PlatformTest(const PlatformTest&) = delete;
  PlatformTest& operator=(const PlatformTest&) = delete;
  ~PlatformTest() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder / name;
    std::ofstream(path) << text;
    return path.string();
  }
  static std::string shipped(const std::string& name) { return SWITCHYARD_SOURCE_DIR "/configs/" + name; }

  using Files = std::vector<std::string>;
  /// With checks on, unless `sets` say otherwise.
  std::unique_ptr<platforms::LoadedRun> load(const Files& files, const std::vector<std::string>& sets = {}) const {
    std::vector<std::string> checked{"run.check=true"};
    checked.insert(checked.end(), sets.begin(), sets.end());
    return platforms::load_run(registries, files, checked);
  }
  /// Each run has a SystemC context of its own.
  RunOutcome run(const Files& files, const std::vector<std::string>& sets = {}) const {
    const SimTest context;
    return simulate(*load(files, sets), {});
  }
  /// The two-hart machine with a workload.
  RunOutcome run_small(const std::string& workload, const std::vector<std::string>& sets = {}) const {
    return run({write("machine.yaml", kMachine), write("workload.yaml", workload)}, sets);
  }

  /// What loading and elaborating `text` as machine.yaml throws, without the name of the folder.
  std::string refusal(const std::string& text) const {
    const std::string file = write("machine.yaml", text);
    return error_of([&] {
      const SimTest context;
      elaborate_only(*load({file}));
    });
  }
  /// The message of the ConfigError of `action`, without the name of the folder.
  template <class Action>
  std::string error_of(Action action) const {
    try {
      action();
    } catch (const base::ConfigError& error) {
      std::string text = error.what();
      const std::string prefix = folder.string() + "/";
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        text.erase(at, prefix.size());
      return text;
    }
    return "nothing was refused";
  }
};

/// The sum over all modules whose name starts with `module`.
inline std::uint64_t stat(const RunOutcome& outcome, const std::string& module, const std::string& name) {
  std::uint64_t sum = 0;
  bool found = false;
  for (const platforms::StatRecord& record : outcome.stats) {
    if (!record.module.starts_with(module) || record.name != name) continue;
    sum += record.value;
    found = true;
  }
  BOOST_TEST_REQUIRE(found, "no statistic " << module << "." << name);
  return sum;
}

inline std::uint64_t cycles_of(const platforms::TaskRecord& task) {
  std::uint64_t sum = 0;
  for (const platforms::CallRecord& call : task.calls)
    for (const std::uint64_t cycles : call.cycles) sum += cycles;
  return sum;
}

/// Everything in an outcome, so that two can be compared and the first difference be seen.
inline std::string text_of(const RunOutcome& o) {
  std::string text =
      fmt::format("{} '{}' {} {} loop {} {} {} {} {} {} {} {}; {} Hz, {} CPUs\n", static_cast<int>(o.end), o.message,
                  o.simulated_s, o.measured_s, o.has_loop, o.loop.name, o.loop.count, o.loop.warm_up, o.loop.iterations,
                  o.loop.converged, o.loop.iteration_s.mean, o.loop.iteration_s.ci95, o.cpu_hz, o.cpus);
  for (const platforms::TaskRecord& task : o.tasks) {
    text += fmt::format("task {} {} {}\n", task.id, task.name, task.idle);
    for (const platforms::CallRecord& call : task.calls) {
      text += fmt::format("  {} {} {} {}", call.function, static_cast<int>(call.domain), call.parent, call.calls);
      for (const std::uint64_t cycles : call.cycles) text += fmt::format(" {}", cycles);
      text += '\n';
    }
  }
  for (const platforms::StatRecord& record : o.stats)
    text += fmt::format("{}.{} {}\n", record.module, record.name, record.value);
  return text;
}

}  // namespace switchyard::test

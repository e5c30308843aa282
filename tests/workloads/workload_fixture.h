// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "support/sim_test.h"
#include "workloads/actions.h"
#include "workloads/control.h"
#include "workloads/recording_kernel.h"
#include "workloads/workload.h"

namespace switchyard::test {

using workloads::Steps;

/// Programs made by hand, run on a kernel that records.
struct WorkloadTest : SimTest {
  workloads::ActionRegistry registry;
  RecordingKernel kernel;
  std::unique_ptr<workloads::WorkloadParams> params;
  std::unique_ptr<workloads::Workload> workload;

  WorkloadTest() {
    workloads::register_actions(registry);
    params = std::make_unique<workloads::WorkloadParams>(registry);
  }

  /// One step: the action `name` with parameters that `set` fills in.
  template <class Params, class Set>
  void add(Steps& steps, const std::string& name, Set set) const {
    auto made = registry.make(name);
    set(dynamic_cast<Params&>(*made));
    steps.emplace_back(name, std::move(made));
  }
  void compute(Steps& steps, std::uint64_t instructions) const {
    add<workloads::ComputeParams>(steps, "compute", [&](auto& p) { p.instructions = instructions; });
  }
  void loop(Steps& steps, std::uint64_t count, Steps body, bool measure = false) const {
    add<workloads::LoopParams>(steps, "loop", [&](auto& p) {
      p.count = count;
      p.measure = measure;
      p.body = std::move(body);
    });
  }
  void mmap(Steps& steps, const std::string& name, std::uint64_t bytes) const {
    add<workloads::MmapParams>(steps, "mmap", [&](auto& p) {
      p.name = name;
      p.size = {bytes};
    });
  }
  void touch(Steps& steps, const std::string& region, cpu::Access access, std::uint64_t stride) const {
    add<workloads::TouchParams>(steps, "touch", [&](auto& p) {
      p.region = region;
      p.access = access;
      p.stride = {stride};
    });
  }
  void spawn(Steps& steps, const std::string& program, std::uint64_t count, workloads::PinKind pin) const {
    add<workloads::SpawnParams>(steps, "spawn", [&](auto& p) {
      p.program = program;
      p.count = count;
      p.pin = pin;
    });
  }
  void on_threads(Steps& steps, const std::string& action, const std::string& program) const {
    add<workloads::ThreadsParams>(steps, action, [&](auto& p) { p.program = program; });
  }

  void program(const std::string& name, Steps steps) {
    params->programs.emplace_back(name, workloads::ProgramParams(registry));
    params->programs.back().second.steps = std::move(steps);
  }
  void process(const std::string& name) {
    params->processes.emplace_back();
    params->processes.back().program = name;
  }
  void start(unsigned cpus = 4, workloads::LoopObserver* observer = nullptr) {
    BOOST_TEST_REQUIRE(params->check() == "");
    workload = std::make_unique<workloads::Workload>(*params, kernel, cpus, observer);
  }
  /// Runs `steps` as the only program of the only process.
  std::vector<std::string> run(Steps steps, unsigned cpus = 4) {
    program("main", std::move(steps));
    process("main");
    start(cpus);
    kernel.run(0);
    return kernel.calls;
  }
};

}  // namespace switchyard::test

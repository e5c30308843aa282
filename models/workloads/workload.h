// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/action.h"

namespace switchyard::workloads {

/// `programs: {main: {steps: [...]}}`
struct ProgramParams : base::ParamSet {
  explicit ProgramParams(const ActionRegistry& actions) : registry(&actions) {}
  Steps steps;
  const ActionRegistry* registry;
  void visit(base::ParamVisitor& v) override {
    v.steps({"steps", "What a thread does, in order", "", true}, steps, *registry);
  }
};

/// `processes: [{program: main, data: {counters: {size: 64 B}}, files: {nulls: {count: 16}}}]`
struct ProcessParams : base::ParamSet {
  std::string program;
  NamedData data;
  NamedFiles files;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "Program of the first thread; also the process's name", "", true}, program);
    v.named({"data", "Static data by name, placed one after the other"}, data);
    v.named({"files", "Open files by name"}, files);
  }
};

/// Parameters of Workload.
struct WorkloadParams : base::ParamSet {
  explicit WorkloadParams(const ActionRegistry& actions) : registry(&actions) {}
  std::vector<std::pair<std::string, ProgramParams>> programs;
  std::vector<ProcessParams> processes;
  const ActionRegistry* registry;
  void visit(base::ParamVisitor& v) override {
    v.named({"programs", "Programs by name"}, programs, [this] { return ProgramParams(*registry); });
    v.sequence({"processes", "Processes that exist when the simulation starts"}, processes);
  }
  /// Everything that the steps name exists.
  std::string check() const override;
};

/// User programs on a kernel.
class Workload {
 public:
  Workload(const WorkloadParams& params, kernel::Kernel& kernel, unsigned cpus, LoopObserver* observer);

 private:
  std::map<std::string, Program> programs_;
  std::vector<std::unique_ptr<Process>> processes_;
};

/// The vocabulary. `registry` must outlive all parameters made by it.
void register_actions(ActionRegistry& registry);

}  // namespace switchyard::workloads

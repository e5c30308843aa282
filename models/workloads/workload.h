// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

/// `processes: [{program: main, count: 2, cpus: [0, 1], data: {counters: {size: 64 B}}, files: {nulls: {count: 16}}}]`
struct ProcessParams : base::ParamSet {
  std::string program;
  std::uint64_t count = 1;
  std::vector<std::uint64_t> cpus;
  NamedData data;
  NamedFiles files;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "Program of the first thread; also the process's name", "", true}, program);
    v.value({"count", "How many processes of this kind there are", "processes"}, count, {1, 10000});
    v.list({"cpus", "CPUs that may run it and its threads; empty means all"}, cpus, {0, 1e6});
    v.named({"data", "Static data by name, placed one after the other"}, data);
    v.named({"files", "Open files by name"}, files);
  }
};

/// Parameters of Workload.
struct WorkloadParams : base::ParamSet {
  explicit WorkloadParams(const ActionRegistry& actions) : registry(&actions) {}
  std::vector<std::pair<std::string, ProgramParams>> programs;
  std::vector<ProcessParams> processes;
  NamedChannels channels;
  const ActionRegistry* registry;
  void visit(base::ParamVisitor& v) override {
    v.named({"programs", "Programs by name"}, programs, [this] { return ProgramParams(*registry); });
    v.named({"channels", "What processes talk through, by name"}, channels);
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
  Process& make_process(const ProcessParams& params, kernel::Kernel& kernel, unsigned cpus, LoopObserver* observer);

  struct Member {
    Process* process;
    std::uint64_t index;                                  ///< among the processes of its kind
    std::map<std::string, std::array<bool, 2>> channels;  ///< ends that its programs use
  };
  static void open_channels(const NamedChannels& channels, kernel::Kernel& kernel, const std::vector<Member>& members);

  std::map<std::string, Program> programs_;
  std::vector<std::shared_ptr<Process>> processes_;
};

/// The vocabulary. `registry` must outlive all parameters made by it.
void register_actions(ActionRegistry& registry);

}  // namespace switchyard::workloads

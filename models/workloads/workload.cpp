// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <algorithm>

#include "workloads/actions.h"
#include "workloads/control.h"

namespace switchyard::workloads {

std::string WorkloadParams::check() const {
  const auto known = [this](const std::string& name) {
    return std::any_of(programs.begin(), programs.end(), [&](const auto& program) { return program.first == name; });
  };
  std::string list;
  for (const auto& program : programs) list += (list.empty() ? "" : ", ") + program.first;
  for (const ProcessParams& process : processes)
    if (!known(process.program)) return "no program '" + process.program + "'; programs: " + list;
  unsigned measured = 0;
  for (const auto& [name, program] : programs) {
    std::vector<const Action*> actions;
    const Program compiled(program.steps, *registry);
    compiled.collect(actions);
    for (const Action* action : actions) {
      if (const std::string used = action->program_used(); !used.empty() && !known(used))
        return "program '" + name + "' names '" + used + "', which is no program; programs: " + list;
      if (const auto* loop = dynamic_cast<const Loop*>(action); loop != nullptr && loop->measured()) ++measured;
    }
  }
  return measured > 1 ? "only one loop can have `measure: true`, got " + std::to_string(measured) : "";
}

Workload::Workload(const WorkloadParams& params, kernel::Kernel& kernel, unsigned cpus, LoopObserver* observer) {
  for (const auto& [name, program] : params.programs) programs_.emplace(name, Program(program.steps, *params.registry));
  for (const ProcessParams& process : params.processes) {
    processes_.push_back(std::make_unique<Process>(kernel, cpus, programs_, observer));
    Process& shared = *processes_.back();
    kernel.spawn_process(process.program, [&shared, name = process.program](kernel::Task& task) {
      shared.program(name).run(shared, task);
    });
  }
}

void register_actions(ActionRegistry& registry) {
  registry.add<Mmap>("mmap", "Map shared anonymous memory");
  registry.add<Touch>("touch", "Access one byte every stride bytes of a region");
  registry.add<Madvise>("madvise", "madvise(2) over a region");
  registry.add<Nanosleep>("nanosleep", "Sleep");
  registry.add<Compute>("compute", "Run user instructions");
  registry.add<SchedYield>("sched_yield", "Let others run");
  registry.add<Spawn>("spawn", "Start threads");
  registry.add<Cancel>("cancel", "Cancel threads");
  registry.add<Join>("join", "Wait for threads to end");
  registry.add<Pin>("pin", "Restrict this thread to a CPU");
  registry.add({"loop", "Repeat steps", [&registry] { return std::make_unique<LoopParams>(registry); },
                [](const base::ParamSet& params) -> std::unique_ptr<Action> {
                  return std::make_unique<Loop>(dynamic_cast<const LoopParams&>(params));
                }});
}

}  // namespace switchyard::workloads

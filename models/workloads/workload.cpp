// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <set>

#include "workloads/actions.h"
#include "workloads/control.h"

namespace switchyard::workloads {

namespace {

/// What all programs together define and use.
struct Names {
  std::set<std::string> programs, regions, spawned;

  std::string missing(const std::string& program, const Action& action) const {
    const auto text = [&](const std::string& name, const std::set<std::string>& valid, const char* what) {
      std::string list;
      for (const std::string& entry : valid) list += (list.empty() ? "" : ", ") + entry;
      return "program '" + program + "' names '" + name + "', which " + what + (list.empty() ? "none" : list);
    };
    if (const std::string used = action.program_used(); !used.empty()) {
      if (programs.count(used) == 0) return text(used, programs, "is no program; programs: ");
      if (spawned.count(used) == 0) return text(used, spawned, "no step spawns; spawned: ");
    }
    if (const std::string used = action.region_used(); !used.empty() && regions.count(used) == 0)
      return text(used, regions, "no step maps; mapped regions: ");
    return "";
  }
};

}  // namespace

std::string WorkloadParams::check() const {
  Names names;
  std::vector<std::pair<std::string, Program>> compiled;
  for (const auto& [name, program] : programs) {
    names.programs.insert(name);
    compiled.emplace_back(name, Program(program.steps, *registry));
  }
  for (const ProcessParams& process : processes)
    if (names.programs.count(process.program) == 0) {
      std::string list;
      for (const auto& program : programs) list += (list.empty() ? "" : ", ") + program.first;
      return "no program '" + process.program + "'; programs: " + list;
    }
  std::vector<std::pair<std::string, const Action*>> actions;
  for (const auto& [name, program] : compiled) {
    std::vector<const Action*> all;
    program.collect(all);
    for (const Action* action : all) {
      actions.emplace_back(name, action);
      if (const std::string made = action->region_made(); !made.empty()) names.regions.insert(made);
      if (const std::string spawned = action->program_spawned(); !spawned.empty()) names.spawned.insert(spawned);
    }
  }
  unsigned measured = 0;
  for (const auto& [name, action] : actions) {
    if (const std::string wrong = names.missing(name, *action); !wrong.empty()) return wrong;
    if (const auto* loop = dynamic_cast<const Loop*>(action); loop != nullptr && loop->measured()) ++measured;
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

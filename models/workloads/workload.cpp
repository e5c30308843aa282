// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <set>

#include "workloads/actions.h"
#include "workloads/control.h"
#include "workloads/data.h"

namespace switchyard::workloads {

namespace {

/// `a, b`, or `none`.
std::string list(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// All programs with all their actions, those inside loops included.
struct Compiled {
  explicit Compiled(const WorkloadParams& params) {
    for (const auto& [name, program] : params.programs)
      programs.emplace_back(name, Program(program.steps, *params.registry));
    for (const auto& [name, program] : programs) {
      std::vector<const Action*> all;
      program.collect(all);
      for (const Action* action : all) actions.emplace_back(name, action);
    }
  }
  std::vector<std::pair<std::string, Program>> programs;
  std::vector<std::pair<std::string, const Action*>> actions;  ///< with the name of their program
};

/// What all programs together define and use.
struct Names {
  std::set<std::string> programs, regions, spawned;

  std::string missing(const std::string& program, const Action& action) const {
    const auto text = [&](const std::string& name, const std::set<std::string>& valid, const char* what) {
      return "program '" + program + "' names '" + name + "', which " + what + list(valid);
    };
    if (const std::string used = action.program_used(); !used.empty()) {
      if (programs.count(used) == 0) return text(used, programs, "is no program; programs: ");
      if (spawned.count(used) == 0) return text(used, spawned, "no step spawns; spawned: ");
    }
    for (const std::string& used : {action.program_forked(), action.program_executed()})
      if (!used.empty() && programs.count(used) == 0) return text(used, programs, "is no program; programs: ");
    if (const std::string used = action.region_used(); !used.empty() && regions.count(used) == 0)
      return text(used, regions, "no step maps; mapped regions: ");
    return "";
  }
};

/// The programs that threads of a process, and of its children, may run.
std::set<std::string> reachable(const Compiled& compiled, const std::string& first) {
  std::set<std::string> result{first};
  for (std::size_t before = 0; before != result.size();) {
    before = result.size();
    for (const auto& [program, action] : compiled.actions)
      for (const std::string& next : {action->program_spawned(), action->program_forked(), action->program_executed()})
        if (!next.empty() && result.count(program) != 0) result.insert(next);
  }
  return result;
}

/// Data that the threads of `process` use and it does not have, or not in that form.
std::string data_fault(const Compiled& compiled, const ProcessParams& process) {
  const std::set<std::string> programs = reachable(compiled, process.program);
  std::map<std::string, const DataParams*> known;
  std::set<std::string> names;
  for (const auto& [name, data] : process.data) {
    known[name] = &data;
    names.insert(name);
  }
  for (const auto& [program, action] : compiled.actions) {
    const std::string used = action->data_used();
    if (used.empty() || programs.count(program) == 0) continue;
    const std::string where = "program '" + program + "' names data '" + used + "'";
    if (known.count(used) == 0)
      return where + ", which process '" + process.program + "' does not have; data: " + list(names);
    if (const std::string wrong = action->data_fault(*known[used]); !wrong.empty()) return where + ": " + wrong;
  }
  return "";
}

/// Open files that the threads of `process` use and it does not have.
std::string files_fault(const Compiled& compiled, const ProcessParams& process) {
  const std::set<std::string> programs = reachable(compiled, process.program);
  std::set<std::string> names;
  for (const auto& [name, files] : process.files) names.insert(name);
  for (const auto& [program, action] : compiled.actions) {
    const std::string used = action->files_used();
    if (used.empty() || programs.count(program) == 0 || names.count(used) != 0) continue;
    return "program '" + program + "' reads files '" + used + "', which process '" + process.program +
           "' does not have open; files: " + list(names);
  }
  return "";
}

/// Channels that the threads of a process with this program use, and the ends of them.
std::map<std::string, std::array<bool, 2>> channels_of(const Compiled& compiled, const std::string& first) {
  const std::set<std::string> programs = reachable(compiled, first);
  std::map<std::string, std::array<bool, 2>> result;
  for (const auto& [program, action] : compiled.actions)
    if (programs.count(program) != 0)
      for (const ChannelUse& use : action->channels_used()) result[use.name].at(use.end) = true;
  return result;
}

/// A channel that a program uses and that does not exist, or not with that end.
std::string channel_fault(const Compiled& compiled, const NamedChannels& channels) {
  std::map<std::string, const ChannelParams*> known;
  std::set<std::string> names;
  for (const auto& [name, channel] : channels) {
    known[name] = &channel;
    names.insert(name);
  }
  for (const auto& [program, action] : compiled.actions)
    if (const std::string made = action->channel_made(); !made.empty()) names.insert(made);
  for (const auto& [program, action] : compiled.actions)
    for (const ChannelUse& use : action->channels_used()) {
      const std::string where = "program '" + program + "' names channel '" + use.name + "'";
      if (names.count(use.name) == 0) return where + ", which does not exist; channels: " + list(names);
      const auto found = known.find(use.name);  // none when it is made at run time
      if (found == known.end()) continue;
      if (const std::string wrong = action->channel_fault(*found->second); !wrong.empty()) return where + ": " + wrong;
    }
  return "";
}

}  // namespace

std::string WorkloadParams::check() const {
  const Compiled compiled(*this);
  Names names;
  for (const auto& [name, program] : compiled.programs) names.programs.insert(name);
  for (const ProcessParams& process : processes)
    if (names.programs.count(process.program) == 0)
      return "no program '" + process.program + "'; programs: " + list(names.programs);
  for (const auto& [name, action] : compiled.actions) {
    if (const std::string made = action->region_made(); !made.empty()) names.regions.insert(made);
    if (const std::string spawned = action->program_spawned(); !spawned.empty()) names.spawned.insert(spawned);
  }
  std::size_t measured = 0;
  std::set<std::string> shared;  // loops with one name that threads run together are one
  for (const auto& [name, action] : compiled.actions) {
    if (const std::string wrong = names.missing(name, *action); !wrong.empty()) return wrong;
    if (const auto* loop = dynamic_cast<const Loop*>(action); loop != nullptr && loop->measured()) {
      if (loop->is_shared())
        shared.insert(loop->name());
      else
        ++measured;
    }
  }
  if (const std::string wrong = channel_fault(compiled, channels); !wrong.empty()) return wrong;
  for (const ProcessParams& process : processes) {
    if (const std::string wrong = data_fault(compiled, process); !wrong.empty()) return wrong;
    if (const std::string wrong = files_fault(compiled, process); !wrong.empty()) return wrong;
  }
  measured += shared.size();
  return measured > 1 ? "only one loop can have `measure: true`, got " + std::to_string(measured) : "";
}

Workload::Workload(const WorkloadParams& params, kernel::Kernel& kernel, unsigned cpus, LoopObserver* observer) {
  for (const auto& [name, program] : params.programs) programs_.emplace(name, Program(program.steps, *params.registry));
  const Compiled compiled(params);
  std::vector<Member> members;
  for (const ProcessParams& process : params.processes) {
    const auto channels = channels_of(compiled, process.program);
    for (std::uint64_t i = 0; i < process.count; ++i) {
      Process& made = make_process(process, kernel, cpus, observer);
      members.push_back({&made, i, channels});
    }
  }
  open_channels(params.channels, kernel, members);
}

Process& Workload::make_process(const ProcessParams& params, kernel::Kernel& kernel, unsigned cpus,
                                LoopObserver* observer) {
  processes_.push_back(std::make_shared<Process>(kernel, cpus, programs_, params.data, observer));
  Process& made = *processes_.back();
  std::vector<kernel::UserData> data;
  for (const auto& [name, region] : params.data)
    data.push_back(
        {.name = name, .size = region.size.value, .alignment = region.alignment.value, .offset = region.offset.value});
  const std::vector<unsigned> allowed(params.cpus.begin(), params.cpus.end());
  kernel::Task& first = kernel.spawn_process(
      params.program, [&made, name = params.program](kernel::Task& task) { made.program(name).run(made, task); }, data,
      allowed);
  made.set_first(first);
  for (const auto& [name, files] : params.files) {
    const auto count = static_cast<unsigned>(files.count);
    made.add_files(name, {kernel.open_files(first, name, count), count});
  }
  return made;
}

void Workload::open_channels(const NamedChannels& channels, kernel::Kernel& kernel,
                             const std::vector<Member>& members) {
  for (const auto& [name, channel] : channels) {
    for (std::uint64_t i = 0; i < channel.count; ++i) {
      std::vector<Process*> processes;
      std::vector<kernel::ChannelUser> users;
      for (const Member& member : members) {
        const auto used = member.channels.find(name);
        if (used == member.channels.end() || member.index % channel.count != i) continue;
        processes.push_back(member.process);
        users.push_back({.first = member.process->first(), .holds = used->second});
      }
      if (users.empty()) continue;
      kernel.open_channel(users, channel.count == 1 ? name : name + "[" + std::to_string(i) + "]", channel.kind);
      for (std::size_t u = 0; u < users.size(); ++u) processes[u]->add_channel(name, users[u].descriptor);
    }
  }
}

void register_actions(ActionRegistry& registry) {
  registry.add<Mmap>("mmap", "Map anonymous memory");
  registry.add<Munmap>("munmap", "Unmap a region");
  registry.add<Touch>("touch", "Access one byte every stride bytes of a region");
  registry.add<Madvise>("madvise", "madvise(2) over a region");
  registry.add<Read>("read", "read(2) of /dev/null or of a channel");
  registry.add<Write>("write", "write(2) to a channel");
  registry.add<Close>("close", "close(2) of an end of a channel");
  registry.add<MakePipe>("pipe", "Make a pipe");
  registry.add<MakeSocketPair>("socketpair", "Make a pair of AF_UNIX stream sockets");
  registry.add<PollFiles>("poll", "Wait until one of several channels is ready");
  registry.add<Nanosleep>("nanosleep", "Sleep");
  registry.add<Compute>("compute", "Run user instructions");
  registry.add<AtomicAdd>("atomic_add", "Add to a word of static data atomically");
  registry.add<Expect>("expect", "Check what static data hold");
  registry.add<SchedYield>("sched_yield", "Let others run");
  registry.add<Spawn>("spawn", "Start threads");
  registry.add<Fork>("fork", "Start child processes");
  registry.add<Wait>("wait", "Wait for child processes to end");
  registry.add<Exec>("exec", "Go on with another program and no memory");
  registry.add<Exit>("exit", "End this thread");
  registry.add<Cancel>("cancel", "Cancel threads");
  registry.add<Join>("join", "Wait for threads to end");
  registry.add<Pin>("pin", "Restrict this thread to a CPU");
  registry.add({"loop", "Repeat steps", [&registry] { return std::make_unique<LoopParams>(registry); },
                [](const base::ParamSet& params) -> std::unique_ptr<Action> {
                  return std::make_unique<Loop>(dynamic_cast<const LoopParams&>(params));
                }});
}

}  // namespace switchyard::workloads

// SPDX-License-Identifier: Apache-2.0
#include "platforms/outcome_builder.h"

#include "base/stats.h"

namespace switchyard::platforms {

namespace {

void reset(const base::StatGroup& group) {
  for (base::Counter* counter : group.counters()) counter->reset();
}

void add_calls(const cpu::CallNode& node, int parent, const std::string& root, const cpu::FunctionTable& functions,
               TaskRecord& task) {
  const auto self = static_cast<int>(task.calls.size());
  task.calls.push_back(
      {parent < 0 ? root : functions[node.function].name, node.domain, parent, node.calls, node.cycles});
  for (const auto& child : node.children) add_calls(*child, self, root, functions, task);
}

void add_cycles(const cpu::CallNode& node, std::uint64_t& user, std::uint64_t& sys) {
  if (node.domain == cpu::Domain::user) user += node.self_cycles();
  if (node.domain == cpu::Domain::kernel || node.domain == cpu::Domain::firmware) sys += node.self_cycles();
  for (const auto& child : node.children) add_cycles(*child, user, sys);
}

void add_stats(const std::string& module, const base::StatGroup& group, RunOutcome& outcome) {
  for (const base::Counter* counter : group.counters())
    outcome.stats.push_back({module, counter->name(), counter->unit(), counter->text(), counter->value()});
}

}  // namespace

void reset_statistics(const Machine& machine, const interrupt::Firmware& firmware, kernel::Kernel& kernel,
                      std::uint64_t now_ps) {
  for (cpu::LogicalCpu* cpu : machine.cpus()) cpu->charge_wait(now_ps);
  for (const ModuleArray& array : machine.arrays())
    for (const auto& module : array.modules) reset(module->stats());
  reset(firmware.stats());
  reset(kernel.stats());
  for (const auto& task : kernel.tasks()) task->calls_root.reset();
}

void record_statistics(const Machine& machine, const interrupt::Firmware& firmware, kernel::Kernel& kernel,
                       const cpu::FunctionTable& functions, std::uint64_t now_ps, RunOutcome& outcome) {
  for (cpu::LogicalCpu* cpu : machine.cpus()) cpu->charge_wait(now_ps);
  for (const auto& task : kernel.tasks()) {
    TaskRecord record{task->name, task->id, task->idle(), {}};
    add_calls(task->calls_root, -1, task->name, functions, record);
    outcome.tasks.push_back(std::move(record));
  }
  for (const ModuleArray& array : machine.arrays())
    for (std::size_t i = 0; i < array.modules.size(); ++i)
      add_stats(array.label(i), array.modules[i]->stats(), outcome);
  add_stats("firmware", firmware.stats(), outcome);
  add_stats("kernel", kernel.stats(), outcome);
}

CpuTime cpu_time(kernel::Kernel& kernel, std::uint64_t hz) {
  std::uint64_t user = 0, sys = 0;
  for (const auto& task : kernel.tasks())
    if (!task->idle()) add_cycles(task->calls_root, user, sys);
  return {static_cast<double>(user) / static_cast<double>(hz), static_cast<double>(sys) / static_cast<double>(hz)};
}

std::string describe_tasks(kernel::Kernel& kernel) {
  std::string text;
  for (const auto& task : kernel.tasks()) {
    if (task->idle() || task->state == kernel::Task::State::dead) continue;
    text += text.empty() ? "" : "; ";
    text += task->name + " (task " + std::to_string(task->id) + ") ";
    text += task->state == kernel::Task::State::sleeping ? "waits for " + task->waits_for : "is on a CPU or runnable";
  }
  return text;
}

std::string failure_text(const sc_core::sc_report& report) {
  std::string text = report.get_msg() != nullptr ? report.get_msg() : "";
  return text.empty() ? report.what() : text;
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include "kernel/tracepoints.h"

#include "kernel/task.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

TaskTag tag(const Task& task) {
  return task.idle() ? TaskTag{task.name, 0, 0} : TaskTag{task.name, task.id, task.group->leader->id};
}

char state_letter(Task::State state) {
  if (state == Task::State::dead) return 'X';
  return state == Task::State::running ? 'R' : 'S';
}

}  // namespace

void Tracepoints::record_switch(const CpuOps& cpu, const Task& prev, const Task& next) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedSwitch{tag(prev), state_letter(prev.state), tag(next)}});
}

void Tracepoints::record_wake(const CpuOps& cpu, SchedWake::Step step, const Task& task) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedWake{step, tag(task), task.last_cpu}});
}

void Tracepoints::record_migration(const CpuOps& cpu, const Task& task, unsigned dest_cpu) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedMigrateTask{tag(task), task.last_cpu, dest_cpu}});
}

void Tracepoints::record_runtime(const CpuOps& cpu, const Task& task, std::uint64_t runtime_ps) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedStatRuntime{tag(task), runtime_ps, task.runtime_ps}});
}

void Tracepoints::record_fork(const CpuOps& cpu, const Task& parent, const Task& child) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedProcessFork{tag(parent), tag(child)}});
}

void Tracepoints::record_exit(const CpuOps& cpu, const Task& task) const {
  observer_->record({cpu.now_ps(), cpu.id(), SchedProcessExit{tag(task)}});
}

}  // namespace switchyard::kernel

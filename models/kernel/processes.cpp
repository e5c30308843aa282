// SPDX-License-Identifier: Apache-2.0
#include "kernel/processes.h"

#include <algorithm>

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

constexpr std::uint64_t kSignalBytes = 1024;  // struct signal_struct
constexpr std::uint64_t kSignalCopied = 512;  // limits and the like, set at a fork
constexpr std::uint64_t kWaitHead = 24;       // wait_chldexit
constexpr std::uint64_t kZombie = 32;         // EXIT_ZOMBIE
constexpr std::uint64_t kDead = 16;           // EXIT_DEAD

}  // namespace

Processes::Processes(const ProcessCosts& costs, const KernelServices& services, Scheduler& scheduler,
                     MmSwitch& mm_switch, UserMemory& memory, TaskMemory& task_memory,
                     const std::unique_ptr<Files>& files)
    : costs_(costs),
      services_(services),
      scheduler_(scheduler),
      mm_switch_(mm_switch),
      memory_(memory),
      task_memory_(task_memory),
      files_(files),
      stats_(services.stats),
      tasklist_lock_(services.layout.add_data("tasklist_lock", 4, 64)),
      pidmap_lock_(services.layout.add_data("pidmap_lock", 4, 64)),
      task_structs_(services, costs_.slab, {"task_struct", Thread::kBytes, 3, 2}),
      signals_(services, costs_.slab, {"signal_cache", kSignalBytes, 2, 6}),
      copy_process_(services.functions.add("copy_process", Domain::kernel)),
      dup_task_(services.functions.add("dup_task_struct", Domain::kernel)),
      exit_(services.functions.add("do_exit", Domain::kernel)),
      exit_mm_(services.functions.add("exit_mm", Domain::kernel)),
      notify_(services.functions.add("exit_notify", Domain::kernel)),
      wait_(services.functions.add("do_wait", Domain::kernel)),
      release_(services.functions.add("release_task", Domain::kernel)),
      execve_(services.functions.add("do_execve", Domain::kernel)) {}

template <class F>
void Processes::under_tasklist_lock(CpuOps& cpu, F f) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, tasklist_lock_);
    f();
  }
  cpu.set_interrupts(interrupts);
}

Task* Processes::take(const std::string& name) {
  std::vector<Task*>& gone = gone_[name];
  if (gone.empty()) return nullptr;
  Task* const task = gone.back();
  gone.pop_back();
  task->state = Task::State::running;
  task->need_resched = task->cancelled = task->end.done = false;
  task->end.waiters.clear();
  task->recent_used_cpu = 0;
  task->last_wakee = nullptr;
  task->wakee_flips = 0;
  return task;
}

void Processes::add_thread(CpuOps& cpu, Task& thread) {
  thread.references = 2;
  cpu.store(thread.usage(), 2, 4);
  ++thread.group->leader->references;
}

void Processes::copy_process(Task& parent, Task& child) {
  CpuOps& cpu = parent.cpu();
  const auto scope = cpu.function(copy_process_);
  cpu.execute(costs_.copy_process);
  dup_task_struct(cpu, parent, child);
  copy_mm(cpu, parent, child);
  if (parent.mm->files != 0) files_->dup_fd(cpu, *parent.mm, *child.mm, costs_.dup_file);
  copy_signal(cpu, parent, child);
  for (std::uint64_t offset = 0; offset < child.register_bytes; offset += 64)
    cpu.store(child.stack_end - child.register_bytes + offset, 0);
  alloc_pid(cpu);
  under_tasklist_lock(cpu, [&] {
    cpu.store(parent.children_list(), child.task_struct);
    cpu.store(child.sibling(), parent.task_struct);
    parent.group->children.push_back(&child);
  });
  ++stats_.forks;
}

void Processes::dup_task_struct(CpuOps& cpu, const Task& parent, Task& child) {
  const auto scope = cpu.function(dup_task_);
  child.task_struct = task_structs_.allocate(cpu);
  child.stack_end = task_memory_.stack(cpu.id(), child.name);
  for (std::uint64_t offset = 0; offset < Thread::kBytes; offset += 64) {
    cpu.copy(child.task_struct + offset, parent.task_struct + offset, 64);
    cpu.execute(services_.costs.per_line);
  }
  cpu.store(child.flags(), 0);
  cpu.store(child.Thread::state(), 0, 4);
  cpu.store(child.on_cpu(), 0, 4);
  cpu.store(child.on_rq(), 0, 4);
  cpu.store(child.usage(), 2, 4);
  child.references = 2;
  services_.locks.spin_lock_init(cpu, child.pi_lock());
  if (services_.locks.unlocked() == 0) cpu.store(child.pi_lock(), 0, 4);
}

void Processes::copy_signal(CpuOps& cpu, Task& parent, Task& child) {
  if (free_groups_.empty()) {
    groups_.push_back(std::make_unique<ThreadGroup>());
    free_groups_.push_back(groups_.back().get());
  }
  child.group = free_groups_.back();
  free_groups_.pop_back();
  child.group->leader = &child;
  child.group->parent = parent.group;
  child.group->threads = 1;
  child.group->forked = true;
  child_exit(cpu, *child.group);
  child_exit(cpu, *parent.group);
  cpu.store_zeros(child.group->signal, kSignalCopied);
}

WaitQueue& Processes::child_exit(CpuOps& cpu, ThreadGroup& group) {
  if (group.signal == 0) {
    group.signal = signals_.allocate(cpu);
    queues_.push_back(std::make_unique<WaitQueue>(services_, scheduler_, group.signal + kWaitHead, "a child to end"));
    group.child_exit = queues_.back().get();
  }
  return *group.child_exit;
}

void Processes::copy_mm(CpuOps& cpu, const Task& parent, Task& child) {
  AddressSpace& mm = memory_.mm_alloc(cpu, *parent.mm, parent.mm->name);
  memory_.dup_mmap(cpu, *parent.mm, mm);
  child.mm = &mm;
}

void Processes::alloc_pid(CpuOps& cpu) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, pidmap_lock_);
    cpu.execute(services_.costs.call);
  }
  cpu.set_interrupts(interrupts);
}

void Processes::do_exit(Task& task) {
  const auto scope = task.cpu().function(exit_);
  task.cpu().execute(costs_.exit);
  exit_mm(task);
  if (files_ != nullptr) files_->exit_files(task);
  task.mm = nullptr;
  exit_notify(task);
}

// The task goes on with the address space as a kernel thread would, until the task after it drops the reference.
void Processes::exit_mm(Task& task) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(exit_mm_);
  AddressSpace& mm = *task.mm;
  services_.atomics.atomic_add(cpu, mm.fields.mm_count(), 1);
  const bool interrupts = cpu.set_interrupts(false);
  mm_switch_.enter_lazy_tlb(cpu, mm);
  cpu.set_interrupts(interrupts);
  memory_.mmput(cpu, task, mm);
}

void Processes::exit_notify(Task& task) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(notify_);
  ThreadGroup& group = *task.group;
  bool alone = false;
  under_tasklist_lock(cpu, [&] {
    cpu.store(task.exit_state(), kZombie, 4);
    if (--group.threads == 0) alone = notify_parent(cpu, group);
  });
  if (&task != group.leader) put_task_struct(cpu, task);
  if (alone) release_task(cpu, *group.leader);
}

bool Processes::notify_parent(CpuOps& cpu, ThreadGroup& group) {
  ++stats_.exits;
  group.ended = true;
  std::vector<Task*>& children = group.children;
  for (Task* child : children) child->group->parent = nullptr;
  std::erase_if(children, [](const Task* child) { return !child->group->ended; });
  if (group.parent == nullptr) return true;
  group.parent->child_exit->wake_up_sync(cpu);
  return false;
}

Task* Processes::find_zombie(CpuOps& cpu, ThreadGroup& group) {
  for (Task* child : group.children) {
    cpu.load(child->exit_state(), 4);
    if (!child->group->ended) continue;
    std::erase(group.children, child);
    return child;
  }
  return nullptr;
}

bool Processes::wait4(Task& task) {
  const auto scope = task.cpu().function(wait_);
  ThreadGroup& group = *task.group;
  while (!group.children.empty() && !task.cancelled) {
    task.cpu().execute(costs_.wait4);
    WaitQueue& queue = child_exit(task.cpu(), group);
    queue.prepare_to_wait(task);
    Task* zombie = nullptr;
    under_tasklist_lock(task.cpu(), [&] { zombie = find_zombie(task.cpu(), group); });
    if (zombie == nullptr) scheduler_.schedule(task);
    queue.finish_wait(task);
    if (zombie == nullptr) continue;
    release_task(task.cpu(), *zombie);
    return true;
  }
  return false;
}

// Zombies that `task` leaves behind are init's.
void Processes::release_task(CpuOps& cpu, Task& task) {
  const auto scope = cpu.function(release_);
  cpu.execute(costs_.release_task);
  ThreadGroup& group = *task.group;
  while (!group.children.empty()) {
    Task* const orphan = group.children.back();
    group.children.pop_back();
    release_task(cpu, *orphan);
  }
  under_tasklist_lock(cpu, [&] {
    cpu.store(task.exit_state(), kDead, 4);
    cpu.store(task.sibling(), 0);
  });
  alloc_pid(cpu);  // free_pid takes the same lock
  ++stats_.reaped;
  put_task_struct(cpu, task);
}

void Processes::finish_dead_task(CpuOps& cpu, Task& task) {
  task_memory_.free_stack(cpu.id(), task.stack_end);
  put_task_struct(cpu, task);
}

// The leader goes last: what the model keeps of its threads may still be asked for by who joins them.
void Processes::put_task_struct(CpuOps& cpu, Task& task) {
  services_.atomics.atomic_add(cpu, task.usage(), -1);
  if (--task.references != 0) return;
  if (task_structs_.owns(task.task_struct))
    task_structs_.free(cpu, task.task_struct);
  else
    task_memory_.free_task_struct(task.task_struct);
  Task& leader = *task.group->leader;
  if (&task != &leader) {
    task.group->gone.push_back(&task);
    if (--leader.references != 0) return;
  }
  recycle(leader);
}

void Processes::recycle(Task& leader) {
  ThreadGroup& group = *leader.group;
  group.ended = false;
  group.gone.push_back(&leader);
  for (Task* task : group.gone) {
    task->body = nullptr;
    gone_[task->name].push_back(task);
  }
  group.gone.clear();
  free_groups_.push_back(&group);
}

void Processes::exec(Task& task, const std::string& name, Address va, Address text) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(execve_);
  cpu.execute(costs_.execve);
  AddressSpace& before = *task.mm;
  AddressSpace& mm = memory_.mm_alloc(cpu, before, name);
  memory_.map_text(cpu, mm, va, text);
  if (before.files != 0) files_->move(before, mm);
  const bool interrupts = cpu.set_interrupts(false);
  task.mm = task.active_mm = &mm;
  mm_switch_.switch_mm(cpu, before, mm);  // activate_mm
  cpu.set_interrupts(interrupts);
  memory_.mmput(cpu, task, before);
  ++stats_.execs;
}

}  // namespace switchyard::kernel

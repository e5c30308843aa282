// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/errors.h"
#include "kernel/linux.h"

/// Processes and their private memory: system calls of architectures that have a UserMemory.
namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

/// The end of whole pages from `va` on; refuses what is none.
Address end_of_pages(const Task& task, const char* call, Address va, std::uint64_t size) {
  if (va % kPageSize == 0 && size != 0) return va + round_up(size, kPageSize);
  std::ostringstream text;
  text << call << " of 0x" << std::hex << va << std::dec << ", " << size << " bytes: must start on a page";
  throw base::ConfigError(task.name, text.str());
}

}  // namespace

Processes& Linux::processes(const Task& task) {
  if (processes_ != nullptr) return *processes_;
  UserMemory* const memory = user_memory();
  if (memory == nullptr) throw base::ConfigError(task.name, "this kernel does not model fork, wait and exec");
  wait4_ = functions_.add("sys_wait4", cpu::Domain::kernel);
  execve_ = functions_.add("sys_execve", cpu::Domain::kernel);
  processes_ =
      std::make_unique<Processes>(process_costs(), services_, *scheduler_, *mm_switch_, *memory, task_memory_, files_);
  return *processes_;
}

Task& Linux::fork(Task& parent, const std::string& name, Body body) {
  Task* child = processes(parent).take(name);
  if (child == nullptr) child = &new_task(name);
  child->user_function = parent.user_function;
  child->allowed = parent.allowed;
  set_body(*child, std::move(body));
  system_call(parent, calls_->clone, [&] {
    processes_->copy_process(parent, *child);
    scheduler_->start(*child, &parent);
  });
  return *child;
}

bool Linux::wait_for_child(Task& task) {
  bool found = false;
  Processes& all = processes(task);
  system_call(task, wait4_, [&] { found = all.wait4(task); });
  return found;
}

// The code of a program is in the page cache since its first exec.
void Linux::exec(Task& task, const std::string& name) {
  Processes& all = processes(task);
  if (task.group->threads != 1)
    throw base::ConfigError(task.name, "exec by a process with several threads is not modelled");
  task.user_function = functions_.add(name, cpu::Domain::user);
  const Address text = functions_[task.user_function].text / kPageSize * kPageSize;
  const auto found = text_pages_.find(name);
  const Address page = found != text_pages_.end() ? found->second : text_page(name);
  system_call(task, execve_, [&] { all.exec(task, name, text, page); });
}

Address Linux::mmap(Task& task, std::uint64_t size, MapKind kind) {
  UserMemory* const memory = user_memory();
  if (memory == nullptr) throw base::ConfigError(task.name, "this kernel does not model mmap");
  if (kind != MapKind::private_anonymous)
    throw base::ConfigError(task.mm->name, "this kernel models mmap of private memory only; set kind: private");
  Address start = 0;
  system_call(task, calls_->mmap, [&] {
    start = memory->mmap(task.cpu(), *task.mm, arch_.mmap_base, arch_.user_end, round_up(size, kPageSize));
  });
  return start;
}

void Linux::munmap(Task& task, Address va, std::uint64_t size) {
  UserMemory* const memory = user_memory();
  if (memory == nullptr) throw base::ConfigError(task.name, "this kernel does not model munmap");
  const Address end = end_of_pages(task, "munmap", va, size);
  if (munmap_ == 0) munmap_ = functions_.add("sys_munmap", cpu::Domain::kernel);
  system_call(task, munmap_, [&] { memory->munmap(task.cpu(), task, *task.mm, va, end); });
}

void Linux::madvise_dontneed(Task& task, Address va, std::uint64_t size) {
  UserMemory* const memory = user_memory();
  if (memory == nullptr) throw base::ConfigError(task.name, "this kernel does not model madvise(MADV_DONTNEED)");
  const Address end = end_of_pages(task, "madvise", va, size);
  system_call(task, calls_->madvise, [&] { memory->madvise_dontneed(task.cpu(), task, *task.mm, va, end); });
}

void Linux::put_task_struct(CpuOps& cpu, Task& task) {
  if (task.group->forked) return processes_->finish_dead_task(cpu, task);
  task_memory_.free_stack(cpu.id(), task.stack_end);
  task_memory_.free_task_struct(task.task_struct);
}

void Linux::mmdrop(CpuOps& cpu, AddressSpace& mm) { user_memory()->mmdrop(cpu, mm); }

}  // namespace switchyard::kernel

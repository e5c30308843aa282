// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "kernel/linux.h"

/// Entry and exit, and the system calls of any architecture.
namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Privilege;

namespace {

constexpr std::uint64_t kComputeSlice = 10000;  // instructions between two chances to be preempted

}  // namespace

void Linux::save_registers(CpuOps& cpu, const Task& task) {
  cpu.execute(costs_.exception_entry);
  for (std::uint64_t offset = 0; offset < arch_.register_bytes; offset += 64)
    cpu.store(task.stack_end - arch_.register_bytes + offset, 0);
  cpu.load(task.flags());
}

void Linux::restore_registers(CpuOps& cpu, const Task& task) {
  cpu.execute(costs_.exception_exit);
  cpu.load(task.flags());
  for (std::uint64_t offset = 0; offset < arch_.register_bytes; offset += 64)
    cpu.load(task.stack_end - arch_.register_bytes + offset);
}

void Linux::interrupt(CpuOps& cpu, std::uint32_t pending) {
  const Task& task = scheduler_->current(cpu.id());
  const bool from_user = cpu.context().node->domain == cpu::Domain::user;
  const auto outer = cpu.function(calls_->exception);
  if (from_user) enter_from_user(cpu);
  save_registers(cpu, task);
  {
    const auto scope = cpu.function(calls_->irq);
    cpu.execute(costs_.interrupt);
    if ((pending & arch_.ipi_bits) != 0) {
      if (smp_->handle(cpu)) scheduler_->scheduler_ipi(cpu);
    }
    if ((pending & arch_.timer_bits) != 0) scheduler_->timer_interrupt(cpu);
  }
  restore_registers(cpu, task);
  if (from_user) return_to_user(cpu);
}

void Linux::page_fault(CpuOps& cpu, Address va, cpu::Access access) {
  Task& task = scheduler_->current(cpu.id());
  if (task.mm == nullptr || va >= arch_.user_end) {
    std::ostringstream text;
    text << "CPU " << cpu.id() << ": kernel access to 0x" << std::hex << va << ", which no page table maps";
    throw base::CheckError(text.str());
  }
  const auto outer = cpu.function(calls_->exception);
  enter_from_user(cpu);
  save_registers(cpu, task);
  {
    const auto scope = cpu.function(calls_->page_fault);
    const bool before = cpu.set_interrupts(true);
    handle_page_fault(cpu, task, va, access);
    cpu.set_interrupts(before);
  }
  restore_registers(cpu, task);
  return_to_user(cpu);
}

void Linux::tlb_miss(CpuOps& cpu, Address va) {
  const Task& task = scheduler_->current(cpu.id());
  if (task.mm != nullptr && va < arch_.user_end) handle_tlb_miss(cpu, *task.mm, va);
}

void Linux::handle_page_fault(CpuOps& cpu, Task& task, Address va, cpu::Access access) {
  if (UserMemory* const memory = user_memory()) return memory->do_page_fault(cpu, *task.mm, va, access);
  std::ostringstream text;
  text << "access to 0x" << std::hex << va << ", where nothing is mapped; this kernel does not model page faults";
  throw base::ConfigError(task.mm->name, text.str());
}

void Linux::user_checkpoint(Task& task) {
  while (task.need_resched && !task.cancelled) {
    const cpu::PrivilegeScope kernel(task.cpu(), Privilege::supervisor);
    const auto scope = task.cpu().function(calls_->exit_to_user);
    enter_from_user(task.cpu());
    scheduler_->schedule(task);
    return_to_user(task.cpu());
  }
  if (task.cancelled) throw TaskExit{};
}

void Linux::check_cpu(const std::string& task, std::uint64_t cpu) const {
  if (cpu < context_.cpus.size()) {
    if (scheduler_->online(static_cast<unsigned>(cpu))) return;
    throw base::ConfigError(
        task, "cannot be pinned to CPU " + std::to_string(cpu) + ": kernel.params.scheduler.offline takes it down");
  }
  throw base::ConfigError(task, "cannot be pinned to CPU " + std::to_string(cpu) + ": the machine has " +
                                    std::to_string(context_.cpus.size()));
}

void Linux::madvise_pageout(Task& task, Address, std::uint64_t) {
  throw base::ConfigError(task.name, "this kernel does not model madvise(MADV_PAGEOUT)");
}

void Linux::nanosleep(Task& task, std::uint64_t ps) {
  system_call(task, calls_->nanosleep, [&] { scheduler_->nanosleep(task, ps); });
}

void Linux::sched_yield(Task& task) {
  system_call(task, calls_->sched_yield, [&] { scheduler_->schedule(task); });
}

void Linux::pin(Task& task, unsigned cpu) {
  check_cpu(task.name, cpu);
  system_call(task, calls_->setaffinity, [&] { scheduler_->pin(task, cpu); });
}

void Linux::exit(Task&) { throw TaskExit{}; }

void Linux::join(Task& task, Task& other) { wait_for_completion(task, other.end); }

void Linux::wait_for_completion(Task& task, Completion& event) {
  system_call(task, calls_->futex, [&] { scheduler_->wait_for_completion(task, event); });
}

void Linux::complete_all(Task& task, Completion& event) {
  system_call(task, calls_->futex, [&] { scheduler_->complete_all(task.cpu(), event); });
}

void Linux::cancel(Task& task, Task& other) {
  system_call(task, calls_->tgkill, [&] { scheduler_->cancel(task.cpu(), other); });
}

void Linux::touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) {
  for (std::uint64_t offset = 0; offset < size; offset += stride) {
    CpuOps& cpu = task.cpu();
    if (access == cpu::Access::store)
      cpu.store(va + offset, 0x88, 1);
    else
      cpu.load(va + offset, 1);
    cpu.execute(costs_.touch);
    user_checkpoint(task);
  }
}

void Linux::compute(Task& task, std::uint64_t instructions) {
  while (instructions != 0) {
    const std::uint64_t slice = std::min(instructions, kComputeSlice);
    task.cpu().execute(slice);
    instructions -= slice;
    user_checkpoint(task);
  }
}

std::uint64_t Linux::atomic_add(Task& task, Address va, std::int64_t delta, unsigned bytes) {
  const std::uint64_t operand = low_bytes(static_cast<std::uint64_t>(delta), bytes);
  const std::uint64_t before = task.cpu().atomic(cpu::AtomicOp::add, va, operand, bytes);
  user_checkpoint(task);
  return before;
}

}  // namespace switchyard::kernel

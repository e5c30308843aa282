// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "kernel/linux_riscv.h"
#include "kernel/spinlock.h"

/// Entry and exit (Linux v6.7 arch/riscv/kernel/{entry.S,traps.c}) and the system calls.
namespace switchyard::kernel::riscv {

using cpu::CpuOps;
using cpu::Privilege;

namespace {

constexpr std::uint64_t kRegisterBytes = 288;   // struct pt_regs
constexpr std::uint64_t kComputeSlice = 10000;  // instructions between two chances to be preempted

std::uint64_t pages_up(std::uint64_t bytes) { return (bytes + kPageSize - 1) / kPageSize * kPageSize; }

}  // namespace

void LinuxRiscv::save_registers(CpuOps& cpu, const Task& task) {
  cpu.execute(params_.costs.exception_entry);
  for (std::uint64_t offset = 0; offset < kRegisterBytes; offset += 64)
    cpu.store(task.stack_end - kRegisterBytes + offset, 0);
  cpu.load(task.flags());
}

void LinuxRiscv::restore_registers(CpuOps& cpu, const Task& task) {
  cpu.execute(params_.costs.exception_exit);
  cpu.load(task.flags());
  for (std::uint64_t offset = 0; offset < kRegisterBytes; offset += 64)
    cpu.load(task.stack_end - kRegisterBytes + offset);
}

void LinuxRiscv::interrupt(CpuOps& cpu, std::uint32_t pending) {
  const Task& task = scheduler_.current(cpu.id());
  const auto outer = cpu.function(calls_.exception);
  save_registers(cpu, task);
  {
    const auto scope = cpu.function(calls_.irq);
    cpu.execute(params_.costs.interrupt);
    if ((pending & cpu::kSupervisorSoftware) != 0) smp_.handle(cpu);
    if ((pending & cpu::kSupervisorTimer) != 0) scheduler_.timer_interrupt(cpu);
  }
  restore_registers(cpu, task);
}

void LinuxRiscv::page_fault(CpuOps& cpu, Address va, cpu::Access access) {
  Task& task = scheduler_.current(cpu.id());
  if (task.mm == nullptr || va >= kUserEnd) {
    std::ostringstream text;
    text << "CPU " << cpu.id() << ": kernel access to 0x" << std::hex << va << ", which no page table maps";
    throw base::CheckError(text.str());
  }
  const auto outer = cpu.function(calls_.exception);
  save_registers(cpu, task);
  {
    const auto scope = cpu.function(calls_.page_fault);
    const bool before = cpu.set_interrupts(true);
    fault_.do_page_fault(cpu, task, *task.mm, va, access);
    cpu.set_interrupts(before);
  }
  restore_registers(cpu, task);
}

void LinuxRiscv::user_checkpoint(Task& task) {
  while (task.need_resched && !task.cancelled) {
    const cpu::PrivilegeScope kernel(task.cpu(), Privilege::supervisor);
    const auto scope = task.cpu().function(calls_.exit_to_user);
    scheduler_.schedule(task);
  }
  if (task.cancelled) throw TaskExit{};
}

Vma& LinuxRiscv::add_area(AddressSpace& mm, Address start, std::uint64_t size, MapKind kind) {
  auto vma = std::make_unique<Vma>();
  vma->start = start;
  vma->end = start + size;
  vma->kind = kind;
  vma->mm = &mm;
  vma->object = layout_.add_slab(mm.name + ".vm_area_struct", Vma::kBytes, 64);
  vma->lock = layout_.add_slab(mm.name + ".vma_lock", Vma::kLockBytes, 64);
  mm.areas.push_back(std::move(vma));
  return *mm.areas.back();
}

Address LinuxRiscv::mmap(Task& task, std::uint64_t size, MapKind kind) {
  const std::uint64_t bytes = pages_up(size);
  AddressSpace& mm = *task.mm;
  const Address start = mm.next_map;
  if (bytes == 0 || bytes > kUserEnd - start)
    throw base::ConfigError(mm.name, "cannot map " + std::to_string(size) + " bytes");
  mm.next_map += bytes + kPageSize;
  system_call(task, calls_.mmap, [&] {
    CpuOps& cpu = task.cpu();
    down_read(cpu, mm.fields.mmap_lock());
    cpu.load(mm.fields.mm_mt());
    Vma& vma = add_area(mm, start, bytes, kind);
    if (kind == MapKind::shared_anonymous) {
      mm.caches.push_back(shmem_.make(mm.name, bytes / kPageSize));
      vma.cache = mm.caches.back().get();
      vma.cache->mapped_in.push_back(&vma);
      cpu.store(vma.cache->i_mmap_root(), vma.object);
    }
    cpu.store(vma.object, start);
    cpu.store(mm.maple_node + 8 * (mm.areas.size() % 16), vma.object);
    up_read(cpu, mm.fields.mmap_lock());
  });
  return start;
}

void LinuxRiscv::madvise_pageout(Task& task, Address va, std::uint64_t size) {
  Vma* vma = task.mm->find(va);
  const Address end = va + pages_up(size);
  if (vma == nullptr || vma->kind != MapKind::shared_anonymous || va % kPageSize != 0 || end > vma->end) {
    std::ostringstream text;
    text << "madvise(MADV_PAGEOUT) on 0x" << std::hex << va << std::dec << ", " << size
         << " bytes: must lie in one shared anonymous mapping and start on a page";
    throw base::ConfigError(task.name, text.str());
  }
  system_call(task, calls_.madvise, [&] { reclaim_.madvise_pageout(task.cpu(), task, *vma, va, end); });
}

void LinuxRiscv::nanosleep(Task& task, std::uint64_t ps) {
  system_call(task, calls_.nanosleep, [&] { scheduler_.nanosleep(task, ps); });
}

void LinuxRiscv::sched_yield(Task& task) {
  system_call(task, calls_.sched_yield, [&] { scheduler_.schedule(task); });
}

void LinuxRiscv::pin(Task& task, unsigned cpu) {
  if (cpu >= context_.cpus.size())
    throw base::ConfigError(task.name, "cannot be pinned to CPU " + std::to_string(cpu) + ": the machine has " +
                                           std::to_string(context_.cpus.size()));
  system_call(task, calls_.setaffinity, [&] { scheduler_.pin(task, cpu); });
}

void LinuxRiscv::exit(Task&) { throw TaskExit{}; }

void LinuxRiscv::join(Task& task, Task& other) {
  system_call(task, calls_.futex, [&] { scheduler_.join(task, other); });
}

void LinuxRiscv::cancel(Task& task, Task& other) {
  system_call(task, calls_.tgkill, [&] { scheduler_.cancel(task.cpu(), other); });
}

void LinuxRiscv::touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) {
  for (std::uint64_t offset = 0; offset < size; offset += stride) {
    CpuOps& cpu = task.cpu();
    if (access == cpu::Access::store)
      cpu.store(va + offset, 0x88, 1);
    else
      cpu.load(va + offset, 1);
    cpu.execute(params_.costs.touch);
    user_checkpoint(task);
  }
}

void LinuxRiscv::compute(Task& task, std::uint64_t instructions) {
  while (instructions != 0) {
    const std::uint64_t slice = std::min(instructions, kComputeSlice);
    task.cpu().execute(slice);
    instructions -= slice;
    user_checkpoint(task);
  }
}

}  // namespace switchyard::kernel::riscv

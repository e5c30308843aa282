// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/fault.h"
#include "kernel/kernel.h"
#include "kernel/linux_riscv_params.h"

namespace switchyard::kernel::riscv {

/// Linux 6.7 on riscv: builds the parts, enters and leaves the kernel, serves system calls.
class LinuxRiscv : public Kernel, private cpu::TrapHandler, private cpu::FaultHandler {
 public:
  using Params = LinuxRiscvParams;
  LinuxRiscv(const KernelContext& context, const Params& params, FlushMutation mutation = FlushMutation::none);

  Task& spawn_process(const std::string& name, Body body) override;
  Task& spawn_thread(Task& parent, const std::string& name, int pin, Body body) override;
  Address mmap(Task& task, std::uint64_t size, MapKind kind) override;
  void madvise_pageout(Task& task, Address va, std::uint64_t size) override;
  void nanosleep(Task& task, std::uint64_t ps) override;
  void sched_yield(Task& task) override;
  void pin(Task& task, unsigned cpu) override;
  [[noreturn]] void exit(Task& task) override;
  void join(Task& task, Task& other) override;
  void cancel(Task& task, Task& other) override;
  void touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) override;
  void compute(Task& task, std::uint64_t instructions) override;
  void user_checkpoint(Task& task) override;

  const std::vector<std::unique_ptr<Task>>& tasks() const override { return tasks_; }
  const std::vector<Symbol>& symbols() const override { return layout_.symbols(); }
  const base::StatGroup& stats() const override { return stats_; }
  bool all_ended() const override { return scheduler_.live() == 0; }
  sc_core::sc_event& all_ended_event() override { return scheduler_.all_ended(); }

  const Layout& layout() const { return layout_; }

 private:
  struct SystemCalls {
    explicit SystemCalls(cpu::FunctionTable& functions);
    cpu::FunctionId exception, irq, page_fault, ecall, exit_to_user;
    cpu::FunctionId mmap, madvise, nanosleep, sched_yield, setaffinity, clone, futex, tgkill;
  };

  void interrupt(cpu::CpuOps& cpu, std::uint32_t pending) override;
  void page_fault(cpu::CpuOps& cpu, Address va, cpu::Access access) override;

  /// Runs `service` as a system call of `task`. A template, so that a task that is still blocked when the simulation
  /// ends holds no memory on its stack.
  template <class F>
  void system_call(Task& task, cpu::FunctionId function, F service);
  void save_registers(cpu::CpuOps& cpu, const Task& task);
  void restore_registers(cpu::CpuOps& cpu, const Task& task);
  void boot_cpu(cpu::CpuOps& cpu);
  Task& make_task(const std::string& name);
  Task& make_user_task(const std::string& name, AddressSpace& mm, Body body);
  AddressSpace& make_address_space(const std::string& name, bool user);
  Vma& add_area(AddressSpace& mm, Address start, std::uint64_t size, MapKind kind);
  void make_idle_tasks();

  const KernelContext context_;
  const Params params_;
  KernelStats stats_;
  Layout layout_;
  cpu::FunctionTable& functions_;
  const RestCosts rest_;
  LocalTlb local_tlb_;
  Smp smp_;
  MmContext mm_context_;
  std::unique_ptr<RemoteFence> remote_fence_;
  TlbFlusher flusher_;
  TlbBatch batch_;
  PageTable tables_;
  RiscvMm riscv_mm_;
  MemoryNode node_;
  const MmServices services_;
  Swap swap_;
  Rmap rmap_;
  Shmem shmem_;
  Reclaim reclaim_;
  PageFault fault_;
  Scheduler scheduler_;
  const SystemCalls calls_;
  std::vector<std::unique_ptr<AddressSpace>> spaces_;
  std::vector<std::unique_ptr<Task>> tasks_;
  AddressSpace* init_mm_ = nullptr;
};

template <class F>
void LinuxRiscv::system_call(Task& task, cpu::FunctionId function, F service) {
  {
    const cpu::PrivilegeScope kernel(task.cpu(), cpu::Privilege::supervisor);
    const auto outer = task.cpu().function(calls_.exception);
    save_registers(task.cpu(), task);
    {
      const auto ecall = task.cpu().function(calls_.ecall);
      task.cpu().execute(params_.costs.system_call);
      ++stats_.system_calls;
      const auto scope = task.cpu().function(function);
      service();
    }
    restore_registers(task.cpu(), task);
  }
  user_checkpoint(task);
}

}  // namespace switchyard::kernel::riscv

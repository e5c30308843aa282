// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/channels.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "kernel/linux_arch.h"
#include "kernel/processes.h"
#include "kernel/scheduler.h"

namespace switchyard::kernel {

/// Linux on any architecture: tasks, scheduler, IPIs, entry and exit, system calls without memory management. Sources:
/// Linux v6.7 kernel/{fork,exit}.c, kernel/sched/. An architecture derives from it; its constructor calls make_smp(),
/// makes its own parts, which may place objects and name functions, and ends with boot().
class Linux : public Kernel, private cpu::TrapHandler, private cpu::FaultHandler, private TaskOwner {
 public:
  using Kernel::spawn_process;
  Task& spawn_process(const std::string& name, Body body, const std::vector<UserData>& data,
                      const std::vector<unsigned>& allowed) override;
  Task& spawn_thread(Task& parent, const std::string& name, int pin, Body body) override;
  Address data(const Task& task, const std::string& name) const override;
  std::uint64_t peek(const Task& task, Address va, unsigned bytes) const override;
  Task& fork(Task& parent, const std::string& name, Body body) override;
  bool wait_for_child(Task& task) override;
  void exec(Task& task, const std::string& name) override;
  /// Of private memory, where the architecture has a UserMemory. The base has no reclaim.
  Address mmap(Task& task, std::uint64_t size, MapKind kind) override;
  void munmap(Task& task, Address va, std::uint64_t size) override;
  void madvise_pageout(Task& task, Address va, std::uint64_t size) override;
  void madvise_dontneed(Task& task, Address va, std::uint64_t size) override;
  unsigned open_files(Task& task, const std::string& name, unsigned count) override;
  /// Where the architecture has costs of channels.
  void open_channel(std::vector<ChannelUser>& users, const std::string& name, ChannelKind kind) override;
  std::array<unsigned, 2> make_channel(Task& task, const std::string& name, ChannelKind kind) override;
  void close(Task& task, unsigned descriptor) override;
  void poll(Task& task, const PollSet& files) override;
  void read(Task& task, unsigned descriptor, std::uint64_t bytes) override;
  void write(Task& task, unsigned descriptor, std::uint64_t bytes) override;
  void nanosleep(Task& task, std::uint64_t ps) override;
  void sched_yield(Task& task) override;
  void pin(Task& task, unsigned cpu) override;
  [[noreturn]] void exit(Task& task) override;
  void join(Task& task, Task& other) override;
  void wait_for_completion(Task& task, Completion& event) override;
  void complete_all(Task& task, Completion& event) override;
  void cancel(Task& task, Task& other) override;
  void touch(Task& task, Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) override;
  void compute(Task& task, std::uint64_t instructions) override;
  std::uint64_t atomic_add(Task& task, Address va, std::int64_t delta, unsigned bytes) override;
  void user_checkpoint(Task& task) override;

  const std::vector<std::unique_ptr<Task>>& tasks() const override { return tasks_; }
  const std::vector<Symbol>& symbols() const override { return layout_.symbols(); }
  const base::StatGroup& stats() const override { return stats_; }
  bool all_ended() const override { return scheduler_->live() == 0; }
  sc_core::sc_event& all_ended_event() override { return scheduler_->all_ended(); }
  std::string input_fault() const override { return scheduler_->input_fault(); }

  const Layout& layout() const { return layout_; }

 protected:
  enum class UserPage : std::uint8_t { text, data };
  struct SystemCalls {
    SystemCalls(cpu::FunctionTable& functions, const LinuxArch& arch);
    cpu::FunctionId exception, irq, page_fault, system_call, exit_to_user;
    cpu::FunctionId mmap, madvise, nanosleep, sched_yield, setaffinity, clone, futex, tgkill;
  };

  /// The costs are copied; `context.memory` and `context.functions` must be there.
  Linux(const KernelContext& context, LinuxArch arch, const LayoutParams& layout, const KernelCosts& costs);

  Smp& make_smp(IpiSender& sender);
  /// Makes scheduler, init_mm and idle tasks and takes over the CPUs.
  void boot(const SchedulerParams& params, TimerDevice& timer, MmSwitch& mm_switch);

  // What the architecture does.
  /// Physical address of a new page table: the kernel's own, or one for user space that shares the kernel's part.
  virtual Address make_page_table(bool user) = 0;
  /// Maps a page of user space before the simulation starts.
  virtual void map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) = 0;
  /// Places the mm_struct of a process, or init_mm. The base takes both from the slab allocator.
  virtual MmFields place_mm(const std::string& name, bool user);
  /// First and last on the way between user mode and kernel. For page-table isolation.
  virtual void enter_from_user(cpu::CpuOps&) {}
  virtual void return_to_user(cpu::CpuOps&) {}
  /// Fills in what the architecture keeps in a new mm, before the simulation starts. The base keeps nothing.
  virtual void init_new_context(const AddressSpace&, bool /*user*/) {}
  /// Makes init_mm current on a CPU that comes up. Interrupts are off.
  virtual void setup_cpu(cpu::CpuOps& cpu, const AddressSpace& init_mm);
  /// A user access to `va`, inside the kernel's frame and with interrupts on. The base has none that can succeed
  /// without a UserMemory.
  virtual void handle_page_fault(cpu::CpuOps& cpu, Task& task, Address va, cpu::Access access);

  /// A miss of a user address in the TLBs of a CPU that software refills; interrupts are off. The base does nothing.
  virtual void handle_tlb_miss(cpu::CpuOps&, const AddressSpace&, Address) {}

  /// Path lengths of pipes and sockets; null where the architecture has none: then it has no channels either.
  virtual const IpcCosts* ipc_costs() const { return nullptr; }
  /// The private memory of processes, made at its first use: it places objects and names functions. Null where the
  /// architecture has none; then processes cannot fork either.
  virtual UserMemory* user_memory() { return nullptr; }
  virtual const ProcessCosts& process_costs() const { return no_processes_; }
  /// The physical address of a user address, untimed; 0 when it is not mapped or nobody knows.
  virtual Address user_page(const AddressSpace&, Address /*va*/) const { return 0; }

  /// Runs `service` as a system call of `task`. A template, so that a task that is still blocked when the simulation
  /// ends holds no memory on its stack.
  template <class F>
  void system_call(Task& task, cpu::FunctionId function, F service);
  Vma& add_area(AddressSpace& mm, Address start, std::uint64_t size, MapKind kind);
  /// Makes the spin lock at a kernel address free, before the simulation starts.
  void spin_lock_init(Address lock) { services_.locks.spin_lock_init(*context_.memory, layout_.physical(lock)); }

  /// Made at the first use: it places objects and names functions.
  Files& files();
  Scheduler& scheduler() { return *scheduler_; }

  unsigned cpu_count() const { return static_cast<unsigned>(context_.cpus.size()); }
  const KernelContext& context() const { return context_; }
  const LinuxArch& arch() const { return arch_; }
  const KernelServices& services() const { return services_; }
  const SystemCalls& calls() const { return *calls_; }

 private:
  void interrupt(cpu::CpuOps& cpu, std::uint32_t pending) override;
  void page_fault(cpu::CpuOps& cpu, Address va, cpu::Access access) override;
  void tlb_miss(cpu::CpuOps& cpu, Address va) override;

  void save_registers(cpu::CpuOps& cpu, const Task& task);
  void restore_registers(cpu::CpuOps& cpu, const Task& task);
  void boot_cpu(cpu::CpuOps& cpu);
  Task& new_task(const std::string& name);
  Task& make_task(const std::string& name);
  Task& make_user_task(const std::string& name, AddressSpace& mm, Body body);
  /// Another thread of a process before the simulation: it shares the open files, those to come as well.
  void add_thread_at_start(AddressSpace& mm);
  /// Made at the first use, as files(); `user` is who asks.
  Channels& channels(const std::string& user);
  void set_body(Task& task, Body body);
  Processes& processes(const Task& task);
  /// The page of the page cache that holds the code of a program.
  Address text_page(const std::string& program);
  /// A page that one address space maps, before the simulation starts.
  void count_page(Address pa, unsigned references);
  void put_task_struct(cpu::CpuOps& cpu, Task& task) override;
  void mmdrop(cpu::CpuOps& cpu, AddressSpace& mm) override;
  /// Starts a task before the simulation, and writes down that its run queue has it.
  void start_with_machine(Task& task);
  void run_user_code(Task& task, const Body& body);
  AddressSpace& make_address_space(const std::string& name, bool user);
  void place_data(AddressSpace& mm, Address start, const std::vector<UserData>& data);
  void make_idle_tasks();
  /// Refuses a CPU number that the machine does not have.
  void check_cpu(const std::string& task, std::uint64_t cpu) const;

  const KernelContext context_;
  const LinuxArch arch_;
  const KernelCosts costs_;
  KernelStats stats_;
  Layout layout_;
  cpu::FunctionTable& functions_;
  const SyncPrimitives primitives_;
  const KernelServices services_;
  std::unique_ptr<Smp> smp_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<const SystemCalls> calls_;
  std::unique_ptr<Files> files_;          ///< made with the first open file
  std::unique_ptr<Channels> channels_;    ///< made with the first channel
  std::unique_ptr<Processes> processes_;  ///< made with the first fork
  MmSwitch* mm_switch_ = nullptr;
  TaskMemory task_memory_;
  const ProcessCosts no_processes_{};
  std::map<std::string, Address> text_pages_;  ///< by program
  cpu::FunctionId wait4_ = 0, execve_ = 0, munmap_ = 0;
  cpu::FunctionId read_ = 0, write_ = 0, close_ = 0, poll_ = 0, pipe_ = 0, socketpair_ = 0;
  std::vector<std::unique_ptr<AddressSpace>> spaces_;
  std::vector<std::unique_ptr<ThreadGroup>> groups_;
  std::vector<std::unique_ptr<Task>> tasks_;
  AddressSpace* init_mm_ = nullptr;
};

template <class F>
void Linux::system_call(Task& task, cpu::FunctionId function, F service) {
  {
    const cpu::PrivilegeScope kernel(task.cpu(), cpu::Privilege::supervisor);
    const auto outer = task.cpu().function(calls_->exception);
    enter_from_user(task.cpu());
    save_registers(task.cpu(), task);
    {
      const auto dispatch = task.cpu().function(calls_->system_call);
      task.cpu().execute(costs_.system_call);
      ++stats_.system_calls;
      const auto scope = task.cpu().function(function);
      service();
    }
    restore_registers(task.cpu(), task);
    return_to_user(task.cpu());
  }
  user_checkpoint(task);
}

}  // namespace switchyard::kernel

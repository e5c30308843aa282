// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/tlb_flush.h"
#include "kernel/x86_machine.h"

namespace switchyard::test {

/// Linux on x86 with tasks that shoot down translations of their process at will, and take locks.
struct ShootingLinux : kernel::x86::LinuxX86 {
  using Task = kernel::Task;
  using Address = base::Address;
  kernel::x86::TlbFlusher flusher;
  const cpu::FunctionId take;

  ShootingLinux(const kernel::KernelContext& machine, const kernel::x86::LinuxX86Params& params)
      : LinuxX86(machine, params),
        flusher({}, params.costs, services(), switch_mm(), smp()),
        take(services().functions.add("take_lock", cpu::Domain::kernel)) {}

  kernel::SpinLocks& locks() { return services().locks; }
  Address make_lock(const char* name) { return services().layout.add_data(name, 64, 64); }
  void shoot(Task& task, bool freed_tables = false) {
    system_call(task, calls().madvise,
                [&] { flusher.flush_tlb_mm_range(task.cpu(), *task.mm, 0x400000, 0x401000, freed_tables); });
  }
  /// Holds `lock` while `inside` runs as kernel code.
  template <class F>
  void with_lock(Task& task, Address lock, bool interrupts, F inside) {
    system_call(task, take, [&] {
      cpu::CpuOps& cpu = task.cpu();
      const bool before = cpu.set_interrupts(interrupts);
      {
        const kernel::SpinGuard guard(services().locks, cpu, lock);
        inside(cpu);
      }
      cpu.set_interrupts(before);
    });
  }
  void call_everybody(Task& task, const std::function<void(cpu::CpuOps&)>& call) {
    base::CpuMask all;
    for (unsigned c = 0; c < cpu_count(); ++c) all.set(c);
    system_call(task, calls().madvise, [&] { smp().on_each_cpu_mask(task.cpu(), all, call); });
  }
  bool has_bit(const Task& task, unsigned c) {
    const Address word = task.mm->fields.cpumask() + c / 64 * 8;
    return (context().memory->peek(layout().physical(word)) >> c % 64 & 1) != 0;
  }
};

struct ShootingMachine : X86MachineTest {
  ShootingLinux* linux_ = nullptr;

  void build(unsigned count, kernel::x86::MmVersion version = kernel::x86::MmVersion::v4_14) {
    params.switch_mm.version = version;
    build_machine(count);
    auto made = std::make_unique<ShootingLinux>(context, params);
    linux_ = made.get();
    kernel = std::move(made);
  }
  /// The first thread of a process, on this CPU alone. Others are spawned from it.
  Task& process(const char* name, unsigned c, Task::Body body) {
    return kernel->spawn_process(name, std::move(body), {}, {c});
  }
  Task& thread(Task& parent, const char* name, unsigned c, Task::Body body) {
    return kernel->spawn_thread(parent, name, static_cast<int>(c), std::move(body));
  }
  /// Every call that was made was answered, once, and every interrupt that was sent for calls was taken.
  void check_exact() const {
    BOOST_TEST(count("cross_calls") == count("cross_call_acknowledgements"));
    BOOST_TEST(count("cross_call_ipis") == count("cross_call_interrupts"));
    BOOST_TEST(count("cross_call_ipis") <= count("cross_calls"));
  }
};

}  // namespace switchyard::test

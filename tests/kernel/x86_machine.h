// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interrupt/x2apic.h"
#include "kernel/interval_timer_device.h"
#include "kernel/linux_x86.h"
#include "kernel/small_machine.h"

namespace switchyard::test {

/// Interrupts between CPUs, with a list of who was told.
struct NotedIpi : kernel::IpiSender {
  explicit NotedIpi(const interrupt::IpiFabric& fabric) : inner(fabric) {}
  void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) override {
    targets.for_each([&](unsigned target) { sent.push_back(target); });
    inner.send_ipi(cpu, targets);
  }
  kernel::FabricIpiSender inner;
  std::vector<unsigned> sent;
};

/// A small PC with local APICs and Linux on it.
struct X86MachineTest : SmallMachine {
  using Task = kernel::Task;
  interrupt::X2Apic apic{"apic", {}};
  NotedIpi ipi{apic};
  kernel::IntervalTimerDevice timer{apic};
  kernel::x86::LinuxX86Params params;
  std::unique_ptr<kernel::x86::LinuxX86> kernel;

  /// Idle CPUs watch their flags.
  X86MachineTest() { idle(kernel::IdleKind::mwait); }

  void idle(kernel::IdleKind kind) {
    params.scheduler.idle.states.resize(1);
    params.scheduler.idle.states[0].kind = kind;
  }
  void build(unsigned count) {
    build_machine(count);
    kernel = std::make_unique<kernel::x86::LinuxX86>(context, params);
  }
  /// Everything below the kernel.
  void build_machine(unsigned count) {
    build_hardware(count, apic, [&](cpu::Cpu& cpu) {
      apic.connect_interrupt("intr", cpu.interrupt_in("ssip"));
      apic.connect_interrupt("timer", cpu.interrupt_in("seip"));
    });
    context.ipi_sender = &ipi;
    context.timer = &timer;
  }

  /// A pipe between two processes: `reader` holds end 0, `writer` end 1; returns their descriptors.
  struct Ends {
    unsigned read = 0, write = 0;
  };
  Ends pipe(Task& reader, Task& writer, const std::string& name) {
    std::vector<kernel::ChannelUser> users{{.first = &reader, .holds = {true, false}},
                                           {.first = &writer, .holds = {false, true}}};
    kernel->open_channel(users, name, kernel::ChannelKind::pipe);
    return {users[0].descriptor[0], users[1].descriptor[1]};
  }
  std::uint64_t count(const std::string& name) const { return counter(kernel->stats(), name); }
  /// How often the tasks have called a function, whoever called it.
  std::uint64_t calls(const std::string& function, const std::string& task = "") const {
    std::uint64_t sum = 0;
    for (const auto& one : kernel->tasks())
      if (task.empty() || one->name == task) sum += calls(one->calls_root, function);
    return sum;
  }
  /// What ends the simulation within `ms`.
  std::string failure(double ms) {
    try {
      run_ms(ms);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  }

 private:
  std::uint64_t calls(const cpu::CallNode& node, const std::string& function) const {
    std::uint64_t sum = functions[node.function].name == function ? node.calls : 0;
    for (const auto& child : node.children) sum += calls(*child, function);
    return sum;
  }
};

}  // namespace switchyard::test

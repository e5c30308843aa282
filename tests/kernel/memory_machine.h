// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "interrupt/gic_sgi.h"
#include "interrupt/x2apic.h"
#include "kernel/interval_timer_device.h"
#include "kernel/linux_arm64.h"
#include "kernel/linux_x86.h"
#include "kernel/small_machine.h"

namespace switchyard::test {

/// A kernel with private memory and processes on a small machine.
struct MemoryMachine : SmallMachine {
  using Task = kernel::Task;
  kernel::Linux* kernel = nullptr;

  MemoryMachine() { cpu_params.page_walk.cache_entries = 16; }
  virtual void build(unsigned count, kernel::FlushMutation mutation = kernel::FlushMutation::none) = 0;
  virtual std::uint64_t pages_in_use() = 0;

  std::uint64_t count(const std::string& name) const { return counter(kernel->stats(), name); }
  /// What ends the simulation within `ms`, or whether all tasks have ended.
  std::string outcome(double ms = 100) {
    try {
      run_ms(ms);
    } catch (const std::exception& e) {
      return e.what();
    }
    return kernel->all_ended() ? "ended" : "still running";
  }
  /// A byte of user memory, by a checked access of user code.
  static std::uint64_t byte(Task& task, base::Address va) { return task.cpu().load(va, 1); }

 protected:
  template <class Fabric>
  void wire(unsigned count, Fabric& fabric) {
    build_hardware(count, fabric, [&](cpu::Cpu& cpu) {
      fabric.connect_interrupt("intr", cpu.interrupt_in("ssip"));
      fabric.connect_interrupt("timer", cpu.interrupt_in("seip"));
    });
    sender_ = std::make_unique<kernel::FabricIpiSender>(fabric);
    timer_ = std::make_unique<kernel::IntervalTimerDevice>(fabric);
    context.ipi_sender = sender_.get();
    context.timer = timer_.get();
  }

 private:
  std::unique_ptr<kernel::FabricIpiSender> sender_;
  std::unique_ptr<kernel::IntervalTimerDevice> timer_;
};

struct X86Memory : MemoryMachine {
  struct Open : kernel::x86::LinuxX86 {
    using Linux::services;
    using LinuxX86::LinuxX86;
  };
  interrupt::X2Apic apic{"apic", {}};
  kernel::x86::LinuxX86Params params;
  std::unique_ptr<Open> x86;

  X86Memory() {
    params.scheduler.idle.states.resize(1);
    params.scheduler.idle.states[0].kind = kernel::IdleKind::mwait;
    cpu_params.page_walk.fault_empties = true;
  }
  void build(unsigned count, kernel::FlushMutation mutation = kernel::FlushMutation::none) override {
    wire(count, apic);
    x86 = std::make_unique<Open>(context, params, mutation);
    kernel = x86.get();
  }
  std::uint64_t pages_in_use() override { return x86->services().layout.pages().pages_in_use(); }
};

struct Arm64Memory : MemoryMachine {
  struct Open : kernel::arm64::LinuxArm64 {
    using Linux::services;
    using LinuxArm64::LinuxArm64;
  };
  interrupt::GicSgi gic{"gic", {}};
  kernel::arm64::LinuxArm64Params params;
  std::unique_ptr<Open> arm64;

  void build(unsigned count, kernel::FlushMutation mutation = kernel::FlushMutation::none) override {
    wire(count, gic);
    arm64 = std::make_unique<Open>(context, params, mutation);
    kernel = arm64.get();
  }
  std::uint64_t pages_in_use() override { return arm64->services().layout.pages().pages_in_use(); }
};

/// Runs a test on each architecture.
template <class F>
void on_both(F test) {
  {
    X86Memory x86;
    test(x86);
  }
  {
    Arm64Memory arm64;
    test(arm64);
  }
}

}  // namespace switchyard::test

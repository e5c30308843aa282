// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/linux_x86.h"
#include "kernel/parisc_bench.h"
#include "support/sim_test.h"

namespace switchyard::test {

/// Linux on x86 on recording CPUs, which take no SystemC time: only where a hook waits, another CPU runs. Idle CPUs
/// halt until they are interrupted.
struct FakeX86Test : SimTest {
  using Task = kernel::Task;
  struct OpenLinux : kernel::x86::LinuxX86 {
    using Linux::scheduler;
    using LinuxX86::LinuxX86;
  };
  struct Silent : kernel::TimerDevice {
    void set_timer(cpu::CpuOps&, std::uint64_t) override {}
  };
  struct Interrupts : kernel::IpiSender {
    explicit Interrupts(FakeX86Test& test) : owner(test) {}
    void send_ipi(cpu::CpuOps&, const base::CpuMask& targets) override {
      targets.for_each([&](unsigned target) {
        sent.push_back(target);
        owner.interrupt(target, cpu::kSupervisorSoftware);
      });
    }
    FakeX86Test& owner;
    std::vector<unsigned> sent;
  };

  cpu::FunctionTable functions;
  FakeMemory memory;
  AliasedMemory ram{memory};
  std::vector<std::unique_ptr<FakeCpu>> cpus;
  std::vector<std::unique_ptr<sc_core::sc_event>> interrupted;
  Silent timer;
  Interrupts ipi{*this};
  kernel::KernelContext context;
  kernel::x86::LinuxX86Params params;
  std::unique_ptr<OpenLinux> kernel;

  void build(unsigned count) {
    for (unsigned c = 0; c < count; ++c) {
      cpus.push_back(std::make_unique<FakeCpu>(memory, c));
      interrupted.push_back(std::make_unique<sc_core::sc_event>());
      cpus[c]->on_wfi([this, c](FakeCpu& cpu) {
        if (cpu.pending_interrupts() == 0) sc_core::wait(*interrupted[c]);
      });
      context.cpus.push_back(cpus[c].get());
    }
    context.memory = &ram;
    context.ram_base = 0x10000000;
    context.ram_size = 64 << 20;
    context.functions = &functions;
    context.timer = &timer;
    context.ipi_sender = &ipi;
    kernel = std::make_unique<OpenLinux>(context, params);
  }
  void interrupt(unsigned c, std::uint32_t bits) {
    cpus[c]->raise(bits);
    interrupted[c]->notify();
  }
  /// To be called when all processes and pipes are there.
  void run() {
    ram.show(kernel->layout());
    sc_core::sc_start();
  }
  /// A pipe between processes that hold its read end and others that hold its write end; all get the same descriptor.
  void pipe(const std::vector<Task*>& readers, const std::vector<Task*>& writers, const std::string& name) {
    std::vector<kernel::ChannelUser> users;
    for (Task* reader : readers) users.push_back({.first = reader, .holds = {true, false}});
    for (Task* writer : writers) users.push_back({.first = writer, .holds = {false, true}});
    kernel->open_channel(users, name, kernel::ChannelKind::pipe);
  }
  Address address_of(const std::string& name) const { return symbol(kernel->layout(), name).va; }
  const kernel::RunQueue& queue(unsigned c) { return kernel->scheduler().run_queue(c); }
  /// Entries of a trace that concern these addresses.
  Trace of(unsigned c, const std::vector<Address>& addresses) const {
    Trace result;
    for (const TraceEntry& entry : cpus[c]->trace().entries())
      for (const Address address : addresses)
        if (entry.address == address) result.push_back(entry);
    return result;
  }
};

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu.h"
#include "cpu/translation_check.h"
#include "interrupt/x2apic.h"
#include "kernel/interval_timer_device.h"
#include "kernel/linux_x86.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

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

/// A small PC with Linux on it: private first-level caches, one second level, local APICs.
struct X86MachineTest : SimTest {
  using Task = kernel::Task;
  cpu::FunctionTable functions;
  memory::Bus bus{"bus", {}};
  memory::Memory ram{"ram", {}};
  memory::Cache l2{"l2", l2_params()};
  interrupt::X2Apic apic{"apic", {}};
  std::vector<std::unique_ptr<cpu::Cpu>> cpus;
  std::vector<std::unique_ptr<memory::Cache>> l1;
  NotedIpi ipi{apic};
  kernel::IntervalTimerDevice timer{apic};
  std::unique_ptr<cpu::TranslationCheck> check;
  kernel::KernelContext context;
  kernel::x86::LinuxX86Params params;
  std::unique_ptr<kernel::x86::LinuxX86> kernel;

  static memory::CacheParams l2_params() {
    memory::CacheParams p;
    p.size = base::mib(2);
    p.ways = 16;
    p.latency = base::cycles(12);
    return p;
  }
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
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
    bind_ports(bus.initiator("out"), apic.target("in"));
    bus.route("out", apic.address_range());
    bind_ports(l2.initiator("mem"), bus.target("in"));
    std::vector<cpu::LogicalCpu*> logical;
    for (unsigned i = 0; i < count; ++i) {
      cpus.push_back(std::make_unique<cpu::Cpu>(("cpu" + std::to_string(i)).c_str(), cpu::CpuParams{}));
      cpus[i]->set_id(i);
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), memory::CacheParams{}));
      bind_ports(cpus[i]->initiator("data"), l1[i]->target("cpu"));
      bind_ports(l1[i]->initiator("mem"), l2.target("cpu"));
      apic.connect_interrupt("intr", cpus[i]->interrupt_in("ssip"));
      apic.connect_interrupt("timer", cpus[i]->interrupt_in("seip"));
      logical.push_back(cpus[i].get());
    }
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    check = std::make_unique<cpu::TranslationCheck>(logical, functions);
    context.cpus = logical;
    context.memory = &cpus[0]->debug_memory();
    context.ram_base = 0x80200000;
    context.ram_size = 128 << 20;
    context.functions = &functions;
    context.observer = check.get();
    context.seed = 1;
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
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : kernel->stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  void run_ms(double ms) { sc_core::sc_start(sc_core::sc_time(ms, sc_core::SC_MS)); }
  /// What ends the simulation within `ms`.
  std::string failure(double ms) {
    try {
      run_ms(ms);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  }
};

}  // namespace switchyard::test

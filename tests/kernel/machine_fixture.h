// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu.h"
#include "cpu/translation_check.h"
#include "interrupt/clint.h"
#include "interrupt/opensbi.h"
#include "kernel/linux_riscv.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

namespace switchyard::test {

/// A small machine with OpenSBI and Linux on it: private first-level caches, one second level, CLINT.
struct MachineTest : SimTest {
  cpu::FunctionTable functions;
  memory::Bus bus{"bus", {}};
  memory::Memory ram{"ram", {}};
  memory::Cache l2{"l2", l2_params()};
  interrupt::Clint clint{"clint", {}};
  std::vector<std::unique_ptr<cpu::Cpu>> cpus;
  std::vector<std::unique_ptr<memory::Cache>> l1;
  std::unique_ptr<interrupt::OpenSbi> sbi;
  std::unique_ptr<cpu::TranslationCheck> check;
  kernel::KernelContext context;
  std::unique_ptr<kernel::riscv::LinuxRiscv> kernel;

  static memory::CacheParams l2_params() {
    memory::CacheParams p;
    p.size = base::mib(2);
    p.ways = 16;
    p.latency = base::cycles(12);
    return p;
  }

  void build(unsigned count, const kernel::riscv::LinuxRiscvParams& params = {},
             kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    build_machine(count);
    kernel = std::make_unique<kernel::riscv::LinuxRiscv>(context, params, mutation);
  }

  /// Everything below the kernel.
  void build_machine(unsigned count) {
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
    bind_ports(bus.initiator("out"), clint.target("in"));
    bus.route("out", clint.address_range());
    bind_ports(l2.initiator("mem"), bus.target("in"));
    std::vector<cpu::LogicalCpu*> logical;
    for (unsigned i = 0; i < count; ++i) {
      cpus.push_back(std::make_unique<cpu::Cpu>(("cpu" + std::to_string(i)).c_str(), cpu::CpuParams{}));
      cpus[i]->set_id(i);
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), memory::CacheParams{}));
      bind_ports(cpus[i]->initiator("data"), l1[i]->target("cpu"));
      bind_ports(l1[i]->initiator("mem"), l2.target("cpu"));
      clint.connect_interrupt("msip", cpus[i]->interrupt_in("msip"));
      clint.connect_interrupt("mtip", cpus[i]->interrupt_in("mtip"));
      logical.push_back(cpus[i].get());
    }
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sbi = std::make_unique<interrupt::OpenSbi>(interrupt::FirmwareContext{logical, functions, 0x2000000, {1'000'000}},
                                               interrupt::OpenSbiParams{});
    check = std::make_unique<cpu::TranslationCheck>(logical, functions);
    context.cpus = logical;
    context.sbi = sbi.get();
    context.memory = &cpus[0]->debug_memory();
    context.ram_base = 0x80200000;
    context.ram_size = 128 << 20;
    context.functions = &functions;
    context.observer = check.get();
    context.seed = 1;
  }

  std::uint64_t counter(const base::StatGroup& group, const std::string& name) const {
    for (const auto* counter : group.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  std::uint64_t count(const std::string& name) const { return counter(kernel->stats(), name); }
  void run_ms(double ms) { sc_core::sc_start(sc_core::sc_time(ms, sc_core::SC_MS)); }
};

}  // namespace switchyard::test

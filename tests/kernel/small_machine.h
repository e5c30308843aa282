// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/cpu.h"
#include "cpu/translation_check.h"
#include "kernel/kernel.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

namespace switchyard::test {

/// Hardware for a kernel: private first-level caches, one second level, memory, and a device that interrupts CPUs.
struct SmallMachine : SimTest {
  cpu::CpuParams cpu_params;
  cpu::FunctionTable functions;
  memory::CoherenceCheck coherence;
  memory::Bus bus{"bus", {}};
  memory::Memory ram{"ram", {}};
  memory::Cache l2{"l2", l2_params()};
  std::vector<std::unique_ptr<cpu::Cpu>> cpus;
  std::vector<std::unique_ptr<memory::Cache>> l1;
  std::unique_ptr<cpu::TranslationCheck> check;
  kernel::KernelContext context;

  static memory::CacheParams l2_params() {
    memory::CacheParams p;
    p.size = base::mib(2);
    p.ways = 16;
    p.latency = base::cycles(12);
    return p;
  }

  /// Wires `count` CPUs, ends elaboration and fills the context. connect(cpu) binds the interrupts of a CPU.
  template <class Device, class Connect>
  void build_hardware(unsigned count, Device& device, Connect connect) {
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
    bind_ports(bus.initiator("out"), device.target("in"));
    bus.route("out", device.address_range());
    bind_ports(l2.initiator("mem"), bus.target("in"));
    for (unsigned i = 0; i < count; ++i) {
      cpus.push_back(std::make_unique<cpu::Cpu>(("cpu" + std::to_string(i)).c_str(), cpu_params));
      cpus[i]->set_id(i);
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), memory::CacheParams{}));
      bind_ports(cpus[i]->initiator("data"), l1[i]->target("cpu"));
      bind_ports(l1[i]->initiator("mem"), l2.target("cpu"));
      connect(*cpus[i]);
      context.cpus.push_back(cpus[i].get());
    }
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    check = std::make_unique<cpu::TranslationCheck>(context.cpus, functions);
    for (unsigned i = 0; i < count; ++i) {
      cpus[i]->set_check(&coherence);
      l1[i]->set_check(&coherence);
    }
    l2.set_check(&coherence);
    context.memory = &cpus[0]->debug_memory();
    context.ram_base = 0x80200000;
    context.ram_size = 128 << 20;
    context.functions = &functions;
    context.observer = check.get();
    context.seed = 1;
  }

  static std::uint64_t counter(const base::StatGroup& group, const std::string& name) {
    for (const auto* counter : group.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  void run_ms(double ms) { sc_core::sc_start(sc_core::sc_time(ms, sc_core::SC_MS)); }
};

}  // namespace switchyard::test

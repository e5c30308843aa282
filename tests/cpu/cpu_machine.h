// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

namespace switchyard::test {

using base::Address;
using cpu::Cause;
using cpu::Cpu;
using cpu::CpuParams;
using cpu::Privilege;

/// A flow of control with a call tree of its own.
struct Flow {
  cpu::CallNode root;
  cpu::ExecContext context{&root, nullptr, Privilege::supervisor};
};

/// Trap handlers made of functions.
struct Handler : cpu::TrapHandler {
  std::function<void(cpu::CpuOps&, std::uint32_t)> body;
  void interrupt(cpu::CpuOps& cpu, std::uint32_t pending) override { body(cpu, pending); }
};
struct Faults : cpu::FaultHandler {
  std::function<void(cpu::CpuOps&, Address, cpu::Access)> body;
  void page_fault(cpu::CpuOps& cpu, Address va, cpu::Access access) override { body(cpu, va, access); }
};

inline std::uint64_t cycles_of(const cpu::CallNode& node, Cause cause) {
  std::uint64_t sum = node.cycles[static_cast<std::size_t>(cause)];
  for (const auto& child : node.children) sum += cycles_of(*child, cause);
  return sum;
}
inline std::uint64_t all_cycles(const cpu::CallNode& node) {
  std::uint64_t sum = node.self_cycles();
  for (const auto& child : node.children) sum += all_cycles(*child);
  return sum;
}

/// CPUs of 1 GHz (a cycle is a nanosecond) with private first levels of 3 cycles above a second level of 12, transfers
/// of 20, a bus of 10 ns and memory of 100 ns at address 0. The coherence check is on.
struct CpuTest : SimTest {
  static constexpr std::uint64_t kL1 = 3, kL2 = 12, kTransfer = 20, kMemory = 110, kMiss = kL1 + kL2 + kMemory;
  static constexpr Address kTables = 0x400000;

  memory::Bus bus{"bus", bus_params()};
  memory::Memory ram{"ram", ram_params()};
  memory::Cache l2{"l2", l2_params()};
  memory::CoherenceCheck check;
  cpu::FunctionTable functions;
  std::vector<std::unique_ptr<Cpu>> cpus;
  memory::CacheParams l1_params;
  std::vector<std::unique_ptr<memory::Cache>> l1;
  std::vector<std::unique_ptr<Flow>> flows;
  Address next_table = kTables;

  CpuTest() {
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
    bind_ports(l2.initiator("mem"), bus.target("in"));
    functions.add("boot", cpu::Domain::kernel);
  }
  static memory::BusParams bus_params() {
    memory::BusParams p;
    p.latency = base::nanoseconds(10);
    return p;
  }
  static memory::MemoryParams ram_params() {
    memory::MemoryParams p;
    p.base = 0;
    p.size = base::mib(8);
    return p;
  }
  static memory::CacheParams l2_params() {
    memory::CacheParams p;
    p.size = base::kib(256);
    p.latency = base::cycles(12);
    return p;
  }

  void add_cpu(const CpuParams& params = {}) {
    const std::string number = std::to_string(cpus.size());
    cpus.push_back(std::make_unique<Cpu>(("cpu" + number).c_str(), params));
    cpus.back()->set_id(static_cast<unsigned>(cpus.size() - 1));
    cpus.back()->set_functions(&functions);
    flows.push_back(std::make_unique<Flow>());
  }
  void build(unsigned count, std::uint64_t quantum_ns = 1000, const CpuParams& params = {}) {
    build_threads(count, 1, quantum_ns, params);
  }
  /// `threads` CPUs on each of `cores` first levels; CPU i is thread i % threads of core i / threads.
  void build_threads(unsigned cores, unsigned threads, std::uint64_t quantum_ns = 1000, const CpuParams& params = {}) {
    for (unsigned core = 0; core < cores; ++core) {
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(core)).c_str(), l1_params));
      for (unsigned thread = 0; thread < threads; ++thread) {
        add_cpu(params);
        bind_ports(cpus.back()->initiator("data"), l1.back()->target("cpu"));
      }
      bind_ports(l1.back()->initiator("mem"), l2.target("cpu"));
    }
    start(quantum_ns);
    l2.set_check(&check);
    for (const auto& cache : l1) cache->set_check(&check);
    for (const auto& each : cpus) each->set_check(&check);
  }
  /// CPUs without caches.
  void build_bare(unsigned count, std::uint64_t quantum_ns = 1000) {
    for (unsigned i = 0; i < count; ++i) {
      add_cpu();
      bind_ports(cpus[i]->initiator("data"), bus.target("in"));
    }
    start(quantum_ns);
  }
  static void start(std::uint64_t quantum_ns) {
    tlm::tlm_global_quantum::instance().set(sim::from_ps(quantum_ns * 1000));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  Cpu& cpu(unsigned i = 0) { return *cpus[i]; }
  Flow& flow(unsigned i = 0) { return *flows[i]; }
  std::uint64_t ns(unsigned i = 0) { return cpu(i).now_ps() / 1000; }
  static std::uint64_t sc_ns() { return sim::to_ps(sc_core::sc_time_stamp()) / 1000; }

  /// Runs `body` on CPU `i` from now on, in its flow.
  void on(unsigned i, const std::function<void(Cpu&)>& body) {
    sc_core::sc_spawn([this, i, body] {
      cpu(i).dispatch(flow(i).context);
      body(cpu(i));
    });
  }
  /// Does `action` at `at_ns`, outside of any CPU.
  static void at(std::uint64_t at_ns, const std::function<void()>& action) {
    sc_core::sc_spawn([at_ns, action] {
      sc_core::wait(sim::from_ps(at_ns * 1000));
      action();
    });
  }
  /// Runs to the end. Every cycle of every CPU has been charged then.
  void run() {
    sc_core::sc_start();
    check_accounts();
  }
  void check_accounts() {
    for (unsigned i = 0; i < cpus.size(); ++i) BOOST_TEST(all_cycles(flow(i).root) == cpu(i).cycle());
  }
  /// The report that ends the run.
  static std::string failure() {
    try {
      sc_core::sc_start();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }
  static bool contains(const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) BOOST_TEST_MESSAGE("got: " << text);
    return found;
  }
  std::uint64_t spent(Cause cause, unsigned i = 0) { return cycles_of(flow(i).root, cause); }
  static std::uint64_t count(const Module& module, const std::string& name) {
    for (const auto* counter : module.stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }

  void poke(Address pa, std::uint64_t value) {
    cpu().debug_memory().poke(pa, value);
    check.wrote(pa, value, 8);
  }
  /// Maps the 4 KiB page of `va` to that of `pa` in the Sv39 tables at `root`; rights: R 2, W 4, X 8, U 16, G 32.
  Address map(Address root, Address va, Address pa, std::uint64_t rights = 2 | 4 | 8 | 16) {
    Address table = root;
    for (unsigned level = 2; level > 0; --level) {
      const Address at = table + 8 * (va >> (12 + 9 * level) & 511);
      std::uint64_t pointer = cpu().debug_memory().peek(at);
      if (pointer == 0) poke(at, pointer = (next_table += 4096) >> 12 << 10 | 1);
      table = pointer >> 10 << 12;
    }
    const Address entry = table + 8 * (va >> 12 & 511);
    poke(entry, pa >> 12 << 10 | rights | 1);
    return entry;
  }
  Address new_root() { return next_table += 4096; }
};

}  // namespace switchyard::test

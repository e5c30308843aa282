// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <systemc>
#include <vector>

#include "bench/measure.h"
#include "cpu/cpu.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"

namespace switchyard::bench {

namespace {

constexpr std::uint64_t kTables = 0x80000000;  // page tables, far from the data

/// K CPUs with private first levels below one second level, bus and memory; identity-mapped 4 KiB pages.
class Machine {
 public:
  explicit Machine(unsigned cpus) : bus_("bus", {}), ram_("ram", ram_params()), l2_("l2", l2_params(cpus)) {
    bind_ports(bus_.initiator("out"), ram_.target("in"));
    bus_.route("out", ram_.address_range());
    bind_ports(l2_.initiator("mem"), bus_.target("in"));
    for (unsigned i = 0; i < cpus; ++i) {
      cpus_.push_back(std::make_unique<cpu::Cpu>(("cpu" + std::to_string(i)).c_str(), cpu::CpuParams{}));
      cpus_.back()->set_id(i);
      l1_.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), memory::CacheParams{}));
      bind_ports(cpus_.back()->initiator("data"), l1_.back()->target("cpu"));
      bind_ports(l1_.back()->initiator("mem"), l2_.target("cpu"));
    }
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(10, sc_core::SC_US));
  }

  cpu::Cpu& cpu(unsigned i) { return *cpus_[i]; }

  /// Builds Sv39 tables that map [0, bytes) to itself; call after elaboration.
  void map(std::uint64_t bytes) {
    auto& memory = cpus_.front()->debug_memory();
    const std::uint64_t middle = kTables + 4096;
    memory.poke(kTables, middle >> 12 << 10 | 1);
    for (std::uint64_t page = 0; page < bytes >> 12; ++page) {
      const std::uint64_t leaf = kTables + 8192 + (page >> 9) * 4096;
      memory.poke(middle + (page >> 9) * 8, leaf >> 12 << 10 | 1);
      memory.poke(leaf + (page & 511) * 8, page << 10 | 0xf);
    }
    for (auto& cpu : cpus_) cpu->write_translation_base(kTables, 1);
  }

 private:
  static memory::MemoryParams ram_params() {
    memory::MemoryParams p;
    p.base = 0;
    p.size = base::gib(3);
    return p;
  }
  /// 1 MiB, 16 ways as the ceiling has it up to 16 CPUs; beyond, the private lines of all still fit (the sets are hit
  /// by every CPU's 16 KiB at the same offset).
  static memory::CacheParams l2_params(unsigned cpus) {
    memory::CacheParams p;
    p.size = base::mib(1);
    p.ways = 16;
    p.latency = base::cycles(20);
    while (p.size.value < cpus * AccessStream::kStride) p.size.value *= 2;
    return p;
  }

  memory::Bus bus_;
  memory::Memory ram_;
  memory::Cache l2_;
  std::vector<std::unique_ptr<cpu::Cpu>> cpus_;
  std::vector<std::unique_ptr<memory::Cache>> l1_;
};

struct Load {
  cpu::ExecContext context;
  cpu::CallNode node;
  std::uint64_t sum = 0;
};

void run_accesses(cpu::Cpu& cpu, AccessStream& stream, std::uint64_t n, Load& load) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto access = stream.next();
    if (access.store)
      cpu.store(access.address, i);
    else
      load.sum += cpu.load(access.address);
  }
}

}  // namespace

Result machine(Mix mix, unsigned cpus, std::uint64_t accesses) {
  Machine machine(cpus);
  const std::uint64_t each = accesses / cpus;
  std::vector<Load> loads(cpus);
  unsigned warm = 0, finished = 0;
  double start = 0, end = 0;
  sc_core::sc_event all_warm;
  for (unsigned i = 0; i < cpus; ++i)
    sc_core::sc_spawn([&, i] {
      cpu::Cpu& cpu = machine.cpu(i);
      loads[i].context = {&loads[i].node, nullptr, cpu::Privilege::supervisor};
      cpu.dispatch(loads[i].context);
      AccessStream stream(mix, i);
      run_accesses(cpu, stream, 20'000, loads[i]);
      cpu.synchronise();
      if (++warm == cpus) {
        start = user_seconds();
        all_warm.notify(sc_core::SC_ZERO_TIME);
      }
      sc_core::wait(all_warm);
      run_accesses(cpu, stream, each, loads[i]);
      if (++finished == cpus) end = user_seconds();
    });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  machine.map(footprint(cpus));
  sc_core::sc_start();
  Result result{end - start, each * cpus, 0};
  for (const Load& load : loads) result.checksum += static_cast<double>(load.sum & 0xffff);
  return result;
}

Result idle_machine(unsigned cpus) {
  const auto before = std::chrono::steady_clock::now();
  Machine machine(cpus);
  std::vector<Load> loads(cpus);
  std::uint64_t woken = 0;
  for (unsigned i = 0; i < cpus; ++i)
    sc_core::sc_spawn([&, i] {
      loads[i].context = {&loads[i].node, nullptr, cpu::Privilege::supervisor};
      machine.cpu(i).dispatch(loads[i].context);
      machine.cpu(i).wait_for_interrupt();
      ++woken;
    });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - before;
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(1, sc_core::SC_SEC);
  return {elapsed.count(), 1, static_cast<double>(sc_core::sc_delta_count() - deltas + woken)};
}

Result context_switch(std::uint64_t switches) {
  Machine machine(1);
  cpu::Cpu& cpu = machine.cpu(0);
  Load loads[2];
  sc_core::sc_event resume[2];
  double start = 0, end = 0;
  for (Load& load : loads) load.context = {&load.node, nullptr, cpu::Privilege::supervisor};
  const auto body = [&](unsigned me) {
    if (me == 1) sc_core::wait(resume[1]);
    start = me == 0 ? user_seconds() : start;
    for (std::uint64_t i = 0; i < switches / 2; ++i) {
      cpu.dispatch(loads[1 - me].context);
      cpu.execute(100);
      resume[1 - me].notify(sc_core::SC_ZERO_TIME);
      sc_core::wait(resume[me]);
    }
    end = user_seconds();
    resume[1 - me].notify(sc_core::SC_ZERO_TIME);
  };
  for (unsigned i : {0u, 1u}) sc_core::sc_spawn([&body, i] { body(i); });
  sc_core::sc_start();
  return {end - start, switches, 0};
}

}  // namespace switchyard::bench

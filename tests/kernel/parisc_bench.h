// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/linux_parisc.h"
#include "kernel/sv39.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

using base::Address;

inline constexpr Address kParisc = 0x10000000;  ///< where memory of these tests starts

/// Physical memory of a layout, for recording CPUs that take virtual addresses for physical ones: what is written can
/// be seen at every address that a kernel mapping gives it.
class AliasedMemory : public cpu::DebugMemory {
 public:
  explicit AliasedMemory(FakeMemory& seen) : seen_(seen) {}
  std::uint64_t peek(Address pa, unsigned bytes = 8) override { return physical_.peek(pa, bytes); }
  void poke(Address pa, std::uint64_t value, unsigned bytes = 8) override {
    physical_.poke(pa, value, bytes);
    written_[pa] = bytes;
  }
  /// To be called when everything has been written.
  void show(const kernel::Layout& layout) {
    for (const auto& [pa, bytes] : written_)
      for (const kernel::Mapping& mapping : layout.mappings())
        if (pa >= mapping.pa && pa - mapping.pa < mapping.size)
          seen_.poke(mapping.va + (pa - mapping.pa), physical_.peek(pa, bytes), bytes);
  }

 private:
  FakeMemory& seen_;
  FakeMemory physical_;
  std::map<Address, unsigned> written_;  ///< bytes, by address
};

inline const kernel::Symbol& symbol(const kernel::Layout& layout, const std::string& name) {
  for (const kernel::Symbol& each : layout.symbols())
    if (each.name == name) return each;
  throw std::runtime_error("no symbol " + name);
}

/// Calls of and cycles in a function, all places in a call tree together.
struct Spent {
  std::uint64_t calls = 0, cycles = 0;
  bool found = false;
  cpu::Domain domain = cpu::Domain::idle;
};
inline Spent spent_in(const cpu::CallNode& node, const cpu::FunctionTable& functions, const std::string& name) {
  Spent sum;
  if (functions[node.function].name == name) sum = {node.calls, node.self_cycles(), true, node.domain};
  for (const auto& child : node.children) {
    const Spent part = spent_in(*child, functions, name);
    if (!part.found) continue;
    sum = {sum.calls + part.calls, sum.cycles + part.cycles, true, part.domain};
  }
  return sum;
}

/// The parts of linux-parisc without tasks, on a recording CPU.
struct PariscBench {
  cpu::FunctionTable functions;
  kernel::parisc::LinuxPariscParams params;
  kernel::KernelStats stats;
  FakeMemory memory;
  FakeCpu cpu{memory, 0};
  AliasedMemory ram{memory};
  kernel::parisc::LdcwLocks locks;
  kernel::NativeAtomics no_atomics;
  kernel::Layout layout{{}, kernel::kVirtualMap, kParisc, 64 << 20, 2, 1};
  kernel::KernelServices services{layout, functions, params.costs, locks, no_atomics, stats};

  PariscBench() {
    functions.add("boot", cpu::Domain::kernel);
    cpu.set_functions(&functions);
  }
  Address address_of(const std::string& name) const { return symbol(layout, name).va; }
  std::uint64_t size_of(const std::string& name) const { return symbol(layout, name).size; }
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : stats.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  std::uint64_t word(Address va) { return memory.peek(va, 4); }
  Spent spent(const std::string& function) { return spent_in(cpu.root(), functions, function); }
};

/// Handles interrupts by a function; the recording CPU is the one given.
struct InterruptNote : cpu::TrapHandler {
  std::function<void(std::uint32_t)> body;
  explicit InterruptNote(std::function<void(std::uint32_t)> what) : body(std::move(what)) {}
  void interrupt(cpu::CpuOps&, std::uint32_t pending) override { body(pending); }
};

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/layout.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

/// Physical addresses of a layout, on memory that FakeCpu addresses by any kernel address.
class MappedMemory : public cpu::DebugMemory {
 public:
  MappedMemory(FakeMemory& memory, const kernel::Layout& layout) : memory_(memory), layout_(layout) {}
  std::uint64_t peek(Address pa, unsigned bytes = 8) override {
    Address seen = 0;
    for_each(pa, [&](Address va) { seen = va; });
    return memory_.peek(seen, bytes);
  }
  void poke(Address pa, std::uint64_t value, unsigned bytes = 8) override {
    for_each(pa, [&](Address va) { memory_.poke(va, value, bytes); });
  }

 private:
  template <class F>
  void for_each(Address pa, F f) const {
    for (const kernel::Mapping& mapping : layout_.mappings())
      if (pa >= mapping.pa && pa - mapping.pa < mapping.size) f(mapping.va + (pa - mapping.pa));
  }

  FakeMemory& memory_;
  const kernel::Layout& layout_;
};

inline Trace operator+(Trace left, const Trace& right) {
  for (const TraceEntry& entry : right.entries()) left.push_back(entry);
  return left;
}

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cpu/mmu.h"

namespace switchyard::test {

using cpu::Access;
using cpu::Address;
using cpu::CpuParams;
using cpu::Mmu;
using cpu::TlbFlush;
using cpu::Translation;

inline constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kG = 32;
inline constexpr Address kRoot = 0x10000, kOther = 0x20000;

/// Page tables in a map; notes which entries are read.
struct Tables : cpu::PageTableReader {
  std::map<Address, std::uint64_t> entries;
  std::vector<Address> reads;
  Address next = 0x100000;

  std::uint64_t read_entry(Address pa) override {
    reads.push_back(pa);
    return entries[pa];
  }
  static unsigned index(std::uint64_t page, unsigned level) { return static_cast<unsigned>(page >> (9 * level) & 511); }
  /// The entry for `page` in the table of `level`, with tables above made as needed.
  std::uint64_t& entry(Address root, std::uint64_t page, unsigned level = 0) {
    Address table = root;
    for (unsigned above = 2; above > level; --above) {
      std::uint64_t& pointer = entries[table + 8 * index(page, above)];
      if (pointer == 0) pointer = (next += 4096) >> 12 << 10 | kV;
      table = pointer >> 10 << 12;
    }
    return entries[table + 8 * index(page, level)];
  }
  void map(std::uint64_t page, std::uint64_t ppn, std::uint64_t rights, unsigned level = 0, Address root = kRoot) {
    entry(root, page, level) = ppn << 10 | rights | kV;
  }
};

inline CpuParams small_tlbs() {
  CpuParams p;
  p.itlb = {4, 4};
  p.dtlb = {4, 4};
  p.l2_tlb = {16, 4};
  return p;
}

struct MmuTest {
  base::StatGroup group;
  CpuParams params = small_tlbs();
  std::unique_ptr<Mmu> mmu;
  Tables tables;
  Mmu::Cost cost;

  void build() {
    mmu = std::make_unique<Mmu>(params, group);
    mmu->set_root(kRoot, 1);
  }
  Translation* look(std::uint64_t page, Access access = Access::load) {
    cost = {};
    tables.reads.clear();
    return mmu->translate(page, access, tables, cost);
  }
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : group.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
};

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch_mm.h"
#include "kernel/page_table.h"

namespace switchyard::kernel {

/// Entries and walks of the three-level tables that the simulated MMU walks, whatever the architecture.
class Sv39Mm : public ArchMm {
 public:
  explicit Sv39Mm(PageTable& tables) : tables_(tables) {}

  PteValue decode(std::uint64_t raw) const override {
    return {raw,
            pte_present(raw),
            (raw & kPteAccessed) != 0,
            (raw & kPteDirty) != 0,
            (raw & kPteWrite) != 0,
            pte_address(raw)};
  }
  std::uint64_t user_entry(Address pa, bool dirty) const override { return make_pte(pa, kUserData | dirty_bit(dirty)); }
  std::uint64_t read_only_entry(Address pa, bool text) const override {
    return make_pte(pa, text ? kUserText : kUserData & ~std::uint64_t{kPteWrite});
  }
  std::uint64_t young_entry(std::uint64_t raw, bool dirty) const override {
    return raw | kPteAccessed | dirty_bit(dirty);
  }
  std::uint64_t accessed_bit() const override { return kPteAccessed; }
  std::uint64_t ptep_get_and_clear(cpu::CpuOps& cpu, Address entry) override {
    return cpu.atomic(cpu::AtomicOp::swap, entry, 0);
  }
  void ptep_set_wrprotect(cpu::CpuOps& cpu, Address entry) override {
    cpu.atomic(cpu::AtomicOp::bit_and, entry, ~std::uint64_t{kPteWrite});
  }
  bool ptep_test_and_clear_young(cpu::CpuOps& cpu, Address entry) override {
    constexpr std::uint64_t kAccessed = kPteAccessed;
    if ((cpu.load(entry) & kAccessed) == 0) return false;
    return (cpu.atomic(cpu::AtomicOp::bit_and, entry, ~kAccessed) & kAccessed) != 0;
  }
  Address find_entry(cpu::CpuOps& cpu, const AddressSpace& mm, Address va) override {
    return tables_.find_entry(cpu, mm, va);
  }
  Address make_entry(cpu::CpuOps& cpu, SpinLocks& locks, const AddressSpace& mm, Address va) override {
    return tables_.make_entry(cpu, locks, mm, va);
  }
  Address table_of(Address entry) const override { return tables_.table_of(entry); }
  std::uint64_t table_span() const override { return level_bytes(1); }

 private:
  static std::uint64_t dirty_bit(bool dirty) { return dirty ? std::uint64_t{kPteDirty} : 0; }

  PageTable& tables_;
};

}  // namespace switchyard::kernel

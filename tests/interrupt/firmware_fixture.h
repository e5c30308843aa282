// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "interrupt/clint_map.h"
#include "interrupt/opensbi.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

/// OpenSBI on recording CPUs that share memory, with a CLINT whose wires act at once: a hart that a store interrupts
/// handles it before the store returns, unless it is in machine mode.
struct FirmwareBench {
  static constexpr base::Address kClint = 0x2000000;

  FakeMemory memory;
  cpu::FunctionTable functions;
  std::vector<std::unique_ptr<FakeCpu>> harts;
  std::unique_ptr<interrupt::OpenSbi> sbi;
  bool handle_at_once = true;

  explicit FirmwareBench(unsigned count, const interrupt::OpenSbiParams& params = {}) {
    interrupt::FirmwareContext context{{}, functions, kClint, {1'000'000}};
    for (unsigned h = 0; h < count; ++h) {
      harts.push_back(std::make_unique<FakeCpu>(memory, h));
      harts[h]->set_functions(&functions);
      context.cpus.push_back(harts[h].get());
    }
    sbi = std::make_unique<interrupt::OpenSbi>(context, params);
    for (auto& hart : harts)
      for (unsigned h = 0; h < count; ++h) hart->on_access(msip(h), [this, h](FakeCpu&) { drive_msip(h); });
  }
  FirmwareBench(const FirmwareBench&) = delete;
  FirmwareBench& operator=(const FirmwareBench&) = delete;

  static base::Address msip(unsigned hart) { return kClint + interrupt::clint_map::msip(hart); }
  static base::Address mtimecmp(unsigned hart) { return kClint + interrupt::clint_map::mtimecmp(hart); }
  base::Address type(unsigned hart) const { return sbi->layout().ipi_type(hart); }
  base::Address sync(unsigned hart) const { return sbi->layout().tlb_sync(hart); }
  base::Address lock(unsigned hart) const { return sbi->layout().queue_lock(hart); }
  base::Address ring(unsigned hart) const { return sbi->layout().queue_ring(hart); }
  base::Address entry(unsigned hart, unsigned index) const { return sbi->layout().entry(hart, index); }

  void drive_msip(unsigned hart) {
    if (memory.peek(msip(hart), 4) == 0) return harts[hart]->lower(cpu::kMachineSoftware);
    harts[hart]->raise(cpu::kMachineSoftware);
    if (handle_at_once) harts[hart]->take_interrupts();
  }
  static base::CpuMask mask(std::initializer_list<unsigned> members) {
    base::CpuMask result;
    for (const unsigned h : members) result.set(h);
    return result;
  }
  void fence(unsigned caller, std::initializer_list<unsigned> targets, const interrupt::FenceRange& range = {}) {
    sbi->remote_sfence_vma(*harts[caller], mask(targets), range);
  }
  const Trace& trace(unsigned hart) const { return harts[hart]->trace(); }
  Trace flushes(unsigned hart) const { return harts[hart]->trace(TraceEntry::Kind::flush); }
  std::uint64_t counter(const std::string& name) const {
    for (const auto* counter : sbi->stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
};

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/lws.h"

#include "kernel/arch/parisc/ldcw_locks.h"

namespace switchyard::kernel::parisc {

namespace {

constexpr std::uint64_t kBoundary = 4096;

/// lws_lock_start, `offset` bytes behind a boundary of a page.
Address place_locks(const LwsParams& params, Layout& layout, std::uint64_t locks) {
  const std::uint64_t offset = params.lock_start_offset.value;
  layout.add_data("(.data before lws_lock_start)", offset == 0 ? kBoundary : offset, kBoundary);
  return layout.add_data("lws_lock_start", locks << params.lock_align_bits, 16);
}

}  // namespace

Lws::Lws(const LwsParams& params, const KernelServices& services, cpu::DebugMemory& memory, const PariscCosts& costs)
    : params_(params),
      costs_(costs),
      stats_(services.stats),
      function_(services.functions.add("lws_compare_and_swap32", cpu::Domain::kernel)),
      lock_start_(place_locks(params, services.layout, kLocks)),
      table_(services.layout.add_data("lws_table", 24, 64)) {
  for (std::uint64_t i = 0; i < kLocks; ++i)
    memory.poke(services.layout.physical(lock_start_ + (i << params_.lock_align_bits)), 1, 4);
}

Lws::Result Lws::compare_and_swap32(cpu::CpuOps& cpu, Address word, std::uint64_t old, std::uint64_t value) {
  const cpu::PrivilegeScope gate(cpu, cpu::Privilege::supervisor);
  const auto scope = cpu.function(function_);
  ++stats_.attempts;
  const bool interrupts = cpu.set_interrupts(true);
  cpu.execute(costs_.lws_entry);
  cpu.load(table_);
  cpu.set_interrupts(false);
  Result result;
  const Address lock = lock_of(word);
  if (ldcw(cpu, lock) == 0) {
    ++stats_.busy;
    result.error = kEagain;
  } else {
    cpu.execute(costs_.lws_critical);
    result.previous = cpu.load(word, 4);
    if (result.previous == old)
      cpu.store(word, value, 4);
    else
      ++stats_.changed;
    cpu.store(lock, lock & 0xffffffff, 4);  // any value but 0 frees it
  }
  cpu.set_interrupts(true);
  cpu.execute(costs_.lws_exit);
  cpu.set_interrupts(interrupts);
  return result;
}

}  // namespace switchyard::kernel::parisc

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/hashed_atomics.h"

#include <optional>

namespace switchyard::kernel::parisc {

using cpu::CpuOps;

namespace {

/// The section behind .data that the table lies in, and what it grows by: what else is placed does not move with the
/// size of a table of up to so many bytes.
constexpr std::uint64_t kSectionBytes = 16384;

Address place_table(const AtomicHashParams& params, Layout& layout) {
  const std::uint64_t bytes = params.size * params.spacing();
  const Address table = layout.add_data("__atomic_hash", bytes, kPageSize);
  if (const std::uint64_t rest = round_up(bytes, kSectionBytes) - bytes; rest != 0)
    layout.add_data("(rest of .data..lock_aligned)", rest, 4);
  return table;
}

std::optional<std::uint64_t> stored_if(bool condition, std::uint64_t value) {
  return condition ? std::optional(value) : std::nullopt;
}

}  // namespace

HashedAtomics::HashedAtomics(const AtomicHashParams& params, Layout& layout, cpu::FunctionTable& functions,
                             cpu::DebugMemory& memory, LdcwLocks& locks, const PariscCosts& costs)
    : params_(params),
      locks_(locks),
      costs_(costs),
      function_(functions.add("_atomic_spin_lock_irqsave", cpu::Domain::kernel)),
      table_(place_table(params, layout)) {
  for (std::uint64_t i = 0; i < params_.size; ++i)
    locks_.spin_lock_init(memory, layout.physical(table_ + i * params_.spacing()));
}

/// Stores next(value), unless that is nothing, and returns the old value.
template <class F>
std::uint64_t HashedAtomics::update(CpuOps& cpu, Address v, unsigned bytes, F next) {
  const auto scope = cpu.function(function_);
  const bool interrupts = cpu.set_interrupts(false);
  cpu.execute(costs_.atomic_hash);
  const Address lock = lock_of(v);
  const bool free = LdcwLocks::acquire(cpu, lock);
  if (stats_) {
    ++stats_->ops;
    if (!free) ++stats_->busy;
  }
  const std::uint64_t old = cpu.load(v, bytes);
  const std::optional<std::uint64_t> value = next(old);
  if (value) cpu.store(v, low_bytes(*value, bytes), bytes);
  locks_.spin_unlock(cpu, lock);
  cpu.set_interrupts(interrupts);
  return old;
}

std::uint64_t HashedAtomics::atomic_add(CpuOps& cpu, Address v, std::int64_t delta, unsigned bytes) {
  const auto add = [delta](std::uint64_t old) { return old + static_cast<std::uint64_t>(delta); };
  return low_bytes(add(update(cpu, v, bytes, add)), bytes);
}

std::uint64_t HashedAtomics::xchg(CpuOps& cpu, Address v, std::uint64_t value, unsigned bytes) {
  return update(cpu, v, bytes, [value](std::uint64_t) { return value; });
}

std::uint64_t HashedAtomics::cmpxchg(CpuOps& cpu, Address v, std::uint64_t expected, std::uint64_t value,
                                     unsigned bytes) {
  return update(cpu, v, bytes, [=](std::uint64_t old) { return stored_if(old == expected, value); });
}

std::uint64_t HashedAtomics::fetch_or(CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) {
  return update(cpu, v, bytes, [bits](std::uint64_t old) { return stored_if((old | bits) != old, old | bits); });
}

std::uint64_t HashedAtomics::fetch_and(CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) {
  return update(cpu, v, bytes, [bits](std::uint64_t old) { return stored_if((old & bits) != old, old & bits); });
}

}  // namespace switchyard::kernel::parisc

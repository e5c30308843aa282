// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/arm64/asid.h"

#include <algorithm>
#include <bit>

#include "kernel/cpumask.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel::arm64 {

using cpu::AtomicOp;
using cpu::CpuOps;
using cpu::Domain;

namespace {

/// The L2 of some machines has lines of 128 bytes.
constexpr std::uint64_t kApart = 128;
constexpr std::uint64_t kOddTaken = 0xaaaaaaaaaaaaaaaa;

/// Room for asid_bits and all that follows it, with nothing else on its lines.
std::uint64_t object_bytes(const Layout& layout) {
  return round_up(AsidAllocator::kPendingOffset + (layout.cpus() + 63) / 64 * 8, kApart);
}

}  // namespace

// asid_bits, cpu_asid_lock, asid_generation, the pointer to the map and tlb_flush_pending are one object's .bss. The
// map is found without a load of its pointer, which lies on the line of the lock.
AsidAllocator::AsidAllocator(const AsidParams& params, const Arm64Costs& costs, const KernelServices& services,
                             const PerCpu& per_cpu, FlushMutation mutation)
    : params_(params),
      costs_(costs),
      services_(services),
      per_cpu_(per_cpu),
      mutation_(mutation),
      asids_(std::uint64_t{1} << params.bits),
      unused_word_(params.kpti ? kOddTaken : 0),
      stats_(services.stats),
      bits_(services.layout.add_data("asid_bits", object_bytes(services.layout), kApart)),
      lock_(params.generation_line == GenerationLine::shared
                ? bits_ + kLock
                : services.layout.add_data("cpu_asid_lock", object_bytes(services.layout), kApart) + kLock),
      map_(services.layout.add_slab("asid_map", asids_ / 8, 64)),
      cur_idx_(services.layout.add_data("cur_idx", 4, 64)),
      per_cpu_asids_(services.layout.add_per_cpu("active_asids", 16, 16)),
      bp_hardening_(services.layout.add_per_cpu("bp_hardening_data", 16, 16)),
      check_and_switch_context_(services.functions.add("check_and_switch_context", Domain::kernel)),
      new_context_(services.functions.add("new_context", Domain::kernel)),
      flush_context_(services.functions.add("flush_context", Domain::kernel)) {}

void AsidAllocator::asids_init(cpu::DebugMemory& memory) const {
  const auto poke = [&](Address va, std::uint64_t value, unsigned bytes) {
    memory.poke(services_.layout.physical(va), value, bytes);
  };
  poke(asid_bits(), params_.bits, 4);
  poke(asid_generation(), asids_, 8);
  poke(cur_idx_, 1, 4);
  for (std::uint64_t at = 0; at < asids_ / 8; at += 8) poke(map_ + at, unused_word_, 8);
}

bool AsidAllocator::same_generation(CpuOps& cpu, std::uint64_t context) {
  const std::uint64_t generation = cpu.load(asid_generation());
  return (context ^ generation) >> cpu.load(asid_bits(), 4) == 0;
}

void AsidAllocator::check_and_switch_context(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(check_and_switch_context_);
  cpu.execute(costs_.check_and_switch_context);
  unsigned number = 0;
  if (before()) {
    cpu.execute(costs_.per_cpu_address);
    number = per_cpu_.smp_processor_id(cpu);
  }
  const auto own = [&] {
    return before() ? per_cpu_.per_cpu(cpu, per_cpu_asids_, number) : per_cpu_.this_cpu_ptr(cpu, per_cpu_asids_);
  };
  const std::uint64_t asid = cpu.load(mm.fields.context_id());
  Address mine = own();
  const std::uint64_t old_active_asid = cpu.load(mine);
  bool fast = old_active_asid != 0 && same_generation(cpu, asid);
  if (fast) {
    if (!before()) mine = own();  // the array's word is kept, but this_cpu_ptr() is evaluated again
    fast = services_.atomics.cmpxchg(cpu, mine, old_active_asid, asid) != 0;
  }
  if (!fast) slow_path(cpu, mm, number);
  apply_bp_hardening(cpu);
}

void AsidAllocator::slow_path(CpuOps& cpu, const AddressSpace& mm, unsigned own_number) {
  cpu.execute(costs_.asid_slow_path);
  const SpinGuard guard(services_.locks, cpu, lock_);
  std::uint64_t asid = cpu.load(mm.fields.context_id());
  if (!same_generation(cpu, asid)) {
    ++stats_.new_asids;
    asid = new_context(cpu, mm);
    cpu.store(mm.fields.context_id(), asid);
  }
  const unsigned number = before() ? own_number : per_cpu_.smp_processor_id(cpu);
  if (cpumask_test_and_clear_cpu(services_.atomics, cpu, number, tlb_flush_pending()) &&
      mutation_ != FlushMutation::rollover_local_fence)
    cpu.flush_tlb({});
  cpu.store(before() ? per_cpu_.per_cpu(cpu, per_cpu_asids_, number) : per_cpu_.this_cpu_ptr(cpu, per_cpu_asids_),
            asid);
}

std::uint64_t AsidAllocator::new_context(CpuOps& cpu, const AddressSpace& mm) {
  const auto scope = cpu.function(new_context_);
  cpu.execute(costs_.new_context);
  const std::uint64_t old = cpu.load(mm.fields.context_id());
  std::uint64_t generation = cpu.load(asid_generation());
  if (old != 0) {
    const std::uint64_t renewed = generation | asid_of(old);
    if (check_update_reserved_asid(cpu, old, renewed)) return renewed;
    if (!test_and_set_bit(cpu, asid_of(old))) return renewed;
  }
  std::uint64_t asid = find_next_zero_bit(cpu, cpu.load(cur_idx_, 4));
  if (asid == asids_) {
    generation = services_.atomics.atomic_add(cpu, asid_generation(), static_cast<std::int64_t>(asids_), 8);
    ++stats_.rollovers;
    flush_context(cpu);
    asid = find_next_zero_bit(cpu, 1);
  }
  test_and_set_bit(cpu, asid);
  cpu.store(cur_idx_, asid, 4);
  return generation | asid;
}

void AsidAllocator::flush_context(CpuOps& cpu) {
  const auto scope = cpu.function(flush_context_);
  cpu.execute(costs_.flush_context);
  for (std::uint64_t at = 0; at < asids_ / 8; at += 8) cpu.store(map_ + at, unused_word_);
  for (unsigned c = 0; c < per_cpu_.cpus(); ++c) {
    cpu.execute(costs_.flush_context_cpu);
    const Address active = per_cpu_.per_cpu(cpu, per_cpu_asids_, c);
    std::uint64_t asid = services_.atomics.xchg(cpu, active, 0);
    if (asid == 0) asid = cpu.load(active + kReserved);
    test_and_set_bit(cpu, asid_of(asid));
    cpu.store(active + kReserved, asid);
  }
  for (unsigned first = 0; first < per_cpu_.cpus(); first += 64) {
    const unsigned members = std::min(per_cpu_.cpus() - first, 64u);
    cpu.store(tlb_flush_pending() + first / 8, ~std::uint64_t{0} >> (64 - members));
  }
}

bool AsidAllocator::check_update_reserved_asid(CpuOps& cpu, std::uint64_t asid, std::uint64_t newasid) {
  bool hit = false;
  for (unsigned c = 0; c < per_cpu_.cpus(); ++c) {
    cpu.execute(costs_.reserved_asid);
    const Address reserved = per_cpu_.per_cpu(cpu, per_cpu_asids_, c) + kReserved;
    if (cpu.load(reserved) != asid) continue;
    hit = true;
    cpu.store(reserved, newasid);
  }
  return hit;
}

bool AsidAllocator::test_and_set_bit(CpuOps& cpu, std::uint64_t asid) {
  const Address word = map_ + asid / 64 * 8;
  const std::uint64_t bit = std::uint64_t{1} << (asid % 64);
  const std::uint64_t old = cpu.load(word);
  cpu.store(word, old | bit);
  return (old & bit) != 0;
}

std::uint64_t AsidAllocator::find_next_zero_bit(CpuOps& cpu, std::uint64_t from) {
  for (std::uint64_t word = from / 64; word < asids_ / 64; ++word) {
    std::uint64_t used = cpu.load(map_ + 8 * word);
    if (word == from / 64) used |= (std::uint64_t{1} << (from % 64)) - 1;
    if (~used != 0) return word * 64 + static_cast<unsigned>(std::countr_one(used));
  }
  return asids_;
}

void AsidAllocator::apply_bp_hardening(CpuOps& cpu) {
  if (!params_.harden_branch_predictor) return;
  cpu.load(per_cpu_.this_cpu_ptr(cpu, bp_hardening_) + 8);
  cpu.execute(costs_.bp_hardening);
}

}  // namespace switchyard::kernel::arm64

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/riscv/mm_context.h"

#include <algorithm>
#include <bit>

#include "kernel/cpumask.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel::riscv {

using cpu::AtomicOp;
using cpu::CpuOps;

namespace {

constexpr std::uint64_t kAsidMask = MmContext::kFirstVersion - 1;

constexpr std::uint64_t asid_of(std::uint64_t context) { return context & kAsidMask; }
constexpr std::uint64_t version_of(std::uint64_t context) { return context & ~kAsidMask; }

}  // namespace

MmContext::MmContext(const AsidParams& params, const KernelServices& services, LocalTlb& local,
                     cpu::TranslationObserver* observer, FlushMutation mutation)
    : services_(services),
      local_(local),
      observer_(observer),
      mutation_(mutation),
      asids_(std::uint64_t{1} << params.bits),
      use_asids_(enough_asids(params.bits, services.layout.cpus())),
      lock_(services.layout.add_data("context_lock", 4, 64)),
      version_(services.layout.add_data("current_version", 8, 8)),
      flush_pending_(services.layout.add_data("context_tlb_flush_pending", (services.layout.cpus() + 63) / 64 * 8, 8)),
      cur_idx_(services.layout.add_data("cur_idx", 4, 4)),
      map_(services.layout.add_slab("context_asid_map", std::max<std::uint64_t>(asids_ / 8, 8), 64)),
      active_(services.layout.add_per_cpu("active_context", 8, 8)),
      reserved_(services.layout.add_per_cpu("reserved_context", 8, 8)),
      switch_mm_(services.functions.add("switch_mm", cpu::Domain::kernel)),
      new_context_(services.functions.add("__new_context", cpu::Domain::kernel)) {}

void MmContext::switch_mm(CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) {
  if (&prev == &next) return;
  const auto scope = cpu.function(switch_mm_);
  cpu.execute(services_.costs.call);
  if (mutation_ != FlushMutation::mm_cpumask_set)
    cpumask_set_cpu(services_.atomics, cpu, cpu.id(), next.fields.cpumask());
  if (use_asids_) {
    set_mm_asid(cpu, next);
  } else {
    cpumask_clear_cpu(services_.atomics, cpu, cpu.id(), prev.fields.cpumask());
    set_mm_noasid(cpu, next);
  }
  if (observer_ != nullptr) observer_->switched(cpu, next.root);
}

void MmContext::set_mm_noasid(CpuOps& cpu, const AddressSpace& next) {
  cpu.write_translation_base(next.root, 0);
  if (mutation_ != FlushMutation::switch_mm_local_fence) local_.all(cpu, {});
}

// Version 0 in memory stands for the first version, so that memory may start out as zeros.
std::uint64_t MmContext::version(CpuOps& cpu) { return kFirstVersion + cpu.load(version_); }

void MmContext::set_mm_asid(CpuOps& cpu, const AddressSpace& next) {
  std::uint64_t context = cpu.load(next.fields.context_id());
  const Address mine = active_context(cpu.id());
  const std::uint64_t active = cpu.load(mine);
  bool flush = false;
  const bool fast = active != 0 && version_of(context) == version(cpu) &&
                    cpu.atomic(AtomicOp::compare_swap, mine, context, 8, active) != 0;
  if (!fast) flush = renew_context(cpu, next, context);
  cpu.write_translation_base(next.root, static_cast<std::uint16_t>(asid_of(context)));
  if (flush && mutation_ != FlushMutation::rollover_local_fence) local_.all(cpu, {});
}

bool MmContext::renew_context(CpuOps& cpu, const AddressSpace& next, std::uint64_t& context) {
  const SpinGuard guard(services_.locks, cpu, lock_);
  context = cpu.load(next.fields.context_id());
  if (version_of(context) != version(cpu)) {
    context = new_context(cpu, context);
    cpu.store(next.fields.context_id(), context);
  }
  const bool flush = cpumask_test_and_clear_cpu(services_.atomics, cpu, cpu.id(), flush_pending_);
  cpu.store(active_context(cpu.id()), context);
  return flush;
}

std::uint64_t MmContext::new_context(CpuOps& cpu, std::uint64_t old_context) {
  const auto scope = cpu.function(new_context_);
  cpu.execute(services_.costs.call);
  std::uint64_t current = version(cpu);
  if (old_context != 0) {
    const std::uint64_t renewed = current | asid_of(old_context);
    if (update_reserved(cpu, old_context, renewed)) return renewed;
    if (!test_and_set_asid(cpu, asid_of(old_context))) return renewed;
  }
  std::uint64_t asid = find_free(cpu, std::max<std::uint64_t>(cpu.load(cur_idx_, 4), 1));
  if (asid == asids_) {
    current = cpu.atomic(AtomicOp::add, version_, kFirstVersion) + 2 * kFirstVersion;
    flush_context(cpu);
    asid = find_free(cpu, 1);
  }
  test_and_set_asid(cpu, asid);
  cpu.store(cur_idx_, asid, 4);
  return current | asid;
}

void MmContext::flush_context(CpuOps& cpu) {
  for (std::uint64_t word = 0; word < (asids_ + 63) / 64; ++word) cpu.store(map_ + 8 * word, 0);
  for (unsigned c = 0; c < services_.layout.cpus(); ++c) {
    std::uint64_t context = cpu.atomic(AtomicOp::swap, active_context(c), 0);
    if (context == 0) context = cpu.load(reserved_context(c));
    test_and_set_asid(cpu, asid_of(context));
    cpu.store(reserved_context(c), context);
  }
  for (unsigned c = 0; c < services_.layout.cpus(); ++c) cpumask_set_cpu(services_.atomics, cpu, c, flush_pending_);
}

bool MmContext::update_reserved(CpuOps& cpu, std::uint64_t context, std::uint64_t renewed) {
  bool hit = false;
  for (unsigned c = 0; c < services_.layout.cpus(); ++c) {
    if (cpu.load(reserved_context(c)) != context) continue;
    hit = true;
    cpu.store(reserved_context(c), renewed);
  }
  return hit;
}

bool MmContext::test_and_set_asid(CpuOps& cpu, std::uint64_t asid) {
  const Address word = map_ + asid / 64 * 8;
  const std::uint64_t bit = std::uint64_t{1} << (asid % 64);
  const std::uint64_t old = cpu.load(word);
  cpu.store(word, old | bit);
  return (old & bit) != 0;
}

// Id 0 belongs to boot and is never free.
std::uint64_t MmContext::find_free(CpuOps& cpu, std::uint64_t from) {
  for (std::uint64_t word = from / 64; word < (asids_ + 63) / 64; ++word) {
    std::uint64_t used = cpu.load(map_ + 8 * word);
    if (word == from / 64) used |= (std::uint64_t{1} << (from % 64)) - 1;
    if (used == ~std::uint64_t{0}) continue;
    return std::min<std::uint64_t>(word * 64 + static_cast<unsigned>(std::countr_one(used)), asids_);
  }
  return asids_;
}

}  // namespace switchyard::kernel::riscv

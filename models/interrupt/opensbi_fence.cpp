// SPDX-License-Identifier: Apache-2.0
#include "interrupt/opensbi.h"

namespace switchyard::interrupt {

using base::Address;
using cpu::AtomicOp;
using cpu::Cause;
using cpu::CpuOps;

namespace {
constexpr std::uint64_t kPage = 4096;
}

void OpenSbi::remote_sfence_vma(CpuOps& cpu, const base::CpuMask& targets, const FenceRange& range) {
  const cpu::PrivilegeScope machine(cpu, cpu::Privilege::machine);
  const auto trap = cpu.function(functions_.trap);
  enter(cpu);
  const auto ecall = cpu.function(functions_.ecall);
  pace_.run(cpu, params_.costs.ecall);
  base::CpuMask others = targets;
  others.clear(cpu.id());
  ++(others.empty() ? stats_.local_only : stats_.remote_fences);

  FenceRequest request{effective(range), {}};
  request.sources.set(cpu.id());
  const auto scope = cpu.function(functions_.tlb_request);
  if (params_.fan_out == FanOut::serial)
    fence_one_by_one(cpu, targets, request);
  else
    fence_all_at_once(cpu, targets, request);
}

/// What is flushed for `range`: the same, or more where that is cheaper or the hardware needs it.
FenceRange OpenSbi::effective(const FenceRange& range) const {
  if (params_.full_fence) return {};
  if (range.size == 0 || range.size > params_.fence_limit.value) return {0, FenceRange::kWholeSpace, range.asid};
  return range;
}

void OpenSbi::fence_one_by_one(CpuOps& cpu, const base::CpuMask& targets, const FenceRequest& request) {
  targets.for_each([&](unsigned target) {
    pace_.run(cpu, params_.costs.target);
    if (target == cpu.id()) return local_fence(cpu, request.range);
    while (!queue_fence(cpu, target, request)) process_one_fence(cpu);
    send(cpu, target, kFence);
    wait_for_acknowledgements(cpu);
  });
}

/// Harts without room for the request are tried again in the next round.
void OpenSbi::fence_all_at_once(CpuOps& cpu, const base::CpuMask& targets, const FenceRequest& request) {
  base::CpuMask left = targets;
  bool wait = false;
  while (!left.empty()) {
    const base::CpuMask round = left;
    round.for_each([&](unsigned target) {
      pace_.run(cpu, params_.costs.target);
      if (target == cpu.id()) {
        local_fence(cpu, request.range);
      } else if (queue_fence(cpu, target, request)) {
        cpu.atomic(AtomicOp::add, layout_.tlb_sync(cpu.id()), 1);
        send(cpu, target, kFence);
        wait = true;
      } else {
        process_one_fence(cpu);
        return;
      }
      left.clear(target);
    });
  }
  if (wait) wait_for_acknowledgements(cpu);
}

bool OpenSbi::queue_fence(CpuOps& cpu, unsigned target, const FenceRequest& request) {
  const auto scope = cpu.function(functions_.tlb_update);
  if (queue_.merge(cpu, target, request)) {
    ++stats_.merges;
    return true;
  }
  if (queue_.push(cpu, target, request)) return true;
  ++stats_.fifo_full;
  return false;
}

void OpenSbi::local_fence(CpuOps& cpu, const FenceRange& range) {
  using Scope = cpu::TlbFlush::Scope;
  const auto scope = cpu.function(functions_.local_fence);
  pace_.run(cpu, params_.costs.local_fence);
  cpu::TlbFlush flush{Scope::page, 0, range.asid.value_or(0), !range.asid.has_value()};
  if (range.size > params_.fence_limit.value) {
    flush.scope = range.asid ? Scope::asid : Scope::all;
    ++stats_.full_flushes;
    return cpu.flush_tlb(flush);
  }
  const std::uint64_t pages = (range.start % kPage + range.size + kPage - 1) / kPage;
  for (std::uint64_t page = 0; page < pages; ++page) {
    pace_.run(cpu, 1);
    flush.va = range.start - range.start % kPage + page * kPage;
    ++stats_.page_flushes;
    cpu.flush_tlb(flush);
  }
}

/// Executes the oldest request that waits for this hart; false if there is none. In serial mode the requester has one
/// request out, so its word is a flag; in parallel mode the word counts the harts that still owe an answer.
bool OpenSbi::process_one_fence(CpuOps& cpu) {
  const auto scope = cpu.function(functions_.tlb_process);
  const auto request = queue_.pop(cpu, cpu.id());
  if (!request) return false;
  local_fence(cpu, request->range);
  request->sources.for_each([&](unsigned source) {
    pace_.run(cpu, params_.costs.acknowledge);
    if (params_.fan_out == FanOut::serial)
      cpu.atomic(AtomicOp::swap, layout_.tlb_sync(source), 1);
    else
      cpu.atomic(AtomicOp::add, layout_.tlb_sync(source), ~std::uint64_t{0});
  });
  return true;
}

bool OpenSbi::acknowledged(CpuOps& cpu) {
  const Address sync = layout_.tlb_sync(cpu.id());
  return params_.fan_out == FanOut::serial ? cpu.atomic(AtomicOp::swap, sync, 0) != 0 : cpu.load(sync) == 0;
}

/// Executes what others want from this hart meanwhile: two harts that fence each other would wait for ever, since
/// machine interrupts are off here. The loop looks at the ring without its lock; only a filled one is worth it.
void OpenSbi::wait_for_acknowledgements(CpuOps& cpu) {
  const auto scope = cpu.function(functions_.tlb_sync);
  pace_.run(cpu, params_.costs.wait);
  for (bool done = false; !done;) {
    const auto look = [&] {
      pace_.run(cpu, params_.costs.wait_turn);
      done = acknowledged(cpu);
      return done || queue_.waiting(cpu, cpu.id());
    };
    cpu.spin_until({layout_.tlb_sync(cpu.id()), layout_.queue_ring(cpu.id())}, look, Cause::ack_wait);
    if (!done) process_one_fence(cpu);
  }
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "kernel/tcp_loopback.h"

/// Buffers and sockets; the connection is in tcp_loopback.cpp.
namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kLine = 64;

}  // namespace

Sock::Sock(const KernelServices& services, Scheduler& scheduler, const std::string& name)
    : SockFields{services.layout.add_slab(name + ".tcp_sock", kBytes, 64)},
      wq(services.layout.add_slab(name + ".socket_wq", 64, 64)),
      bucket(services.layout.add_slab(name + ".ehash_bucket", 64, 64)),
      waiting(services, scheduler, wq, "socket " + name),
      for_owner(services, scheduler, lock_wq(), "owner of socket " + name) {}

// Orders and cpu_partial as calculate_order() and set_cpu_partial() choose them for these sizes.
TcpStack::TcpStack(const KernelServices& services, const TcpCosts& costs)
    : services_(services),
      costs_(costs),
      device_(services, costs),
      fclones_(services, costs.slab, {"skbuff_fclone_cache", 512, 2, 13}),
      heads_(services, costs.slab, {"kmalloc-2048", Segment::kHeadBytes, 3, 6}),
      skbs_(services, costs.slab, {"skbuff_head_cache", 256, 1, 13}),
      ack_heads_(services, costs.slab, {"kmalloc-1024", Segment::kAckHeadBytes, 3, 6}),
      tcp_mib_(services.layout.add_per_cpu("tcp_statistics", 128, 64)),
      build_(services.functions.add("__alloc_skb", cpu::Domain::kernel)),
      free_(services.functions.add("__kfree_skb", cpu::Domain::kernel)) {}

void TcpStack::count(CpuOps& cpu) { cpu.store(services_.layout.per_cpu(tcp_mib_, cpu.id()), 1); }

// __alloc_skb clears the sk_buff up to `tail` and the start of the shared info.
Segment& TcpStack::allocate(CpuOps& cpu, Segment::Kind kind) {
  const auto scope = cpu.function(build_);
  cpu.execute(costs_.build_skb);
  if (unused_.empty()) {
    segments_.push_back(std::make_unique<Segment>());
    unused_.push_back(segments_.back().get());
  }
  Segment& segment = *unused_.back();
  unused_.pop_back();
  segment = {};
  segment.kind = kind;
  segment.skb = segment.cloned() ? fclones_.allocate(cpu) : skbs_.allocate(cpu);
  segment.head = segment.cloned() ? heads_.allocate(cpu) : ack_heads_.allocate(cpu);
  for (std::uint64_t at = 0; at < Segment::kSkbBytes; at += kLine) cpu.store(segment.skb + at, 0);
  cpu.store(segment.dataref(), 1, 4);
  if (segment.cloned()) cpu.store(segment.fclone_ref(), 1, 4);
  return segment;
}

void TcpStack::free_clone(CpuOps& cpu, Segment& segment) {
  const auto scope = cpu.function(free_);
  cpu.execute(costs_.free_skb);
  cpu.load(segment.travels() + 24);
  cpu.load(segment.travels() + 192);
  put(cpu, segment);
}

void TcpStack::free_original(CpuOps& cpu, Segment& segment) {
  const auto scope = cpu.function(free_);
  cpu.execute(costs_.free_skb);
  cpu.load(segment.skb + 24);
  cpu.load(segment.skb + 192);
  put(cpu, segment);
}

// skb_release_data and kfree_skbmem: of two sk_buffs, the first to go only counts down.
void TcpStack::put(CpuOps& cpu, Segment& segment) {
  const bool last = services_.atomics.atomic_add(cpu, segment.dataref(), -1) == 0;
  if (last) (segment.cloned() ? heads_ : ack_heads_).free(cpu, segment.head);
  if (segment.cloned() && services_.atomics.atomic_add(cpu, segment.fclone_ref(), -1) != 0) return;
  (segment.cloned() ? fclones_ : skbs_).free(cpu, segment.skb);
  unused_.push_back(&segment);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "kernel/unix_socket.h"

/// Buffers and sockets; what sends and receives is in unix_socket.cpp.
namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kLine = 64;

}  // namespace

UnixSock::UnixSock(const KernelServices& services, Scheduler& scheduler, const std::string& name)
    : SockFields{services.layout.add_slab(name + ".unix_sock", kBytes, 64)},
      socket(services.layout.add_slab(name + ".socket", kSocketBytes, 64)),
      waiting(services, scheduler, socket + 64, "socket " + name),
      reading(services, iolock()) {}

// Orders and cpu_partial as calculate_order() and set_cpu_partial() choose them for these sizes on 46 CPUs.
UnixStack::UnixStack(const KernelServices& services, const UnixCosts& costs)
    : costs_(costs),
      skbs_(services, costs.slab, {"skbuff_head_cache", 256, 1, 13}),
      heads_{SlabCache(services, costs.slab, {"kmalloc-512", 512, 2, 13}),
             SlabCache(services, costs.slab, {"kmalloc-1024", 1024, 3, 6}),
             SlabCache(services, costs.slab, {"kmalloc-2048", 2048, 3, 6}),
             SlabCache(services, costs.slab, {"kmalloc-4096", 4096, 3, 2})},
      inflight_(services.layout.add_data("unix_tot_inflight", 4, 64)) {}

SlabCache& UnixStack::heads(std::uint64_t bytes) {
  const std::uint64_t size = UnixMessage::head_bytes(bytes) / UnixMessage::kSmallestHead;
  return heads_.at(static_cast<std::size_t>(std::countr_zero(size)));
}

// __alloc_skb clears the sk_buff up to `tail` and the start of the shared info.
UnixMessage& UnixStack::allocate(CpuOps& cpu, std::uint64_t bytes) {
  if (unused_.empty()) {
    messages_.push_back(std::make_unique<UnixMessage>());
    unused_.push_back(messages_.back().get());
  }
  UnixMessage& message = *unused_.back();
  unused_.pop_back();
  message = {};
  message.bytes = bytes;
  message.skb = skbs_.allocate(cpu);
  message.head = heads(bytes).allocate(cpu);
  for (std::uint64_t at = 0; at < UnixMessage::kSkbBytes; at += kLine) cpu.store(message.skb + at, 0);
  cpu.store(message.users(), 1, 4);
  cpu.store(message.shared_info(), 0);
  return message;
}

void UnixStack::free(CpuOps& cpu, UnixMessage& message) {
  cpu.execute(costs_.free_skb);
  cpu.load(message.tail());
  cpu.load(message.shared_info());
  heads(message.bytes).free(cpu, message.head);
  skbs_.free(cpu, message.skb);
  unused_.push_back(&message);
}

}  // namespace switchyard::kernel

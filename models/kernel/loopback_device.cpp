// SPDX-License-Identifier: Apache-2.0
#include "kernel/loopback_device.h"

namespace switchyard::kernel {

using cpu::CpuOps;

LoopbackDevice::LoopbackDevice(const KernelServices& services, const TcpCosts& costs)
    : services_(services),
      costs_(costs),
      softnet_(services.layout.add_per_cpu("softnet_data", 256, 64)),
      softirq_pending_(services.layout.add_per_cpu("irq_stat", 64, 64)),
      lstats_(services.layout.add_per_cpu("pcpu_lstats", 32, 32)),
      ip_mib_(services.layout.add_per_cpu("ip_statistics", 64, 64)),
      device_(services.layout.add_slab("lo.net_device", 256, 64)),
      packet_types_(services.layout.add_data("ptype_base", 64, 64)),
      queue_xmit_(services.functions.add("ip_queue_xmit", cpu::Domain::kernel)),
      loopback_xmit_(services.functions.add("loopback_xmit", cpu::Domain::kernel)),
      netif_rx_(services.functions.add("netif_rx", cpu::Domain::kernel)),
      softirq_(services.functions.add("net_rx_action", cpu::Domain::kernel)),
      ip_rcv_(services.functions.add("ip_rcv", cpu::Domain::kernel)) {}

// The route comes from the socket, without a reference (skb_dst_set_noref). lo has no queue discipline.
void LoopbackDevice::transmit(CpuOps& cpu, const Sock& from, const Segment& segment, Address dst) {
  const auto scope = cpu.function(queue_xmit_);
  cpu.execute(costs_.ip_output);
  cpu.load(from.dst_cache());
  cpu.load(dst);       // dev, ops, output
  cpu.load(dst + 40);  // obsolete, flags
  cpu.load(from.inet());
  cpu.load(from.addresses());
  cpu.store(segment.headers(), 0x45);  // IP header, and the Ethernet header before it
  cpu.store(segment.travels() + 88, dst);
  cpu.store(own(cpu, ip_mib_), 1);
  cpu.load(device_);
  loopback_xmit(cpu, from, segment, dst);
}

// skb_orphan gives the sender its memory back, skb_dst_force makes the route's reference a counted one.
void LoopbackDevice::loopback_xmit(CpuOps& cpu, const Sock& from, const Segment& segment, Address dst) {
  const auto scope = cpu.function(loopback_xmit_);
  cpu.execute(costs_.loopback_xmit);
  cpu.load(device_ + 64);
  cpu.load(from.tsq_flags());
  services_.atomics.atomic_add(cpu, from.wmem_alloc(), -1);
  cpu.store(segment.travels() + 24, 0);
  services_.atomics.atomic_add(cpu, dst + 64, 1);  // __refcnt, on a line of its own
  cpu.store(own(cpu, lstats_), 1);
  netif_rx(cpu, segment);
}

void LoopbackDevice::netif_rx(CpuOps& cpu, const Segment& segment) {
  const auto scope = cpu.function(netif_rx_);
  cpu.execute(costs_.netif_rx);
  const Address softnet = own(cpu, softnet_);
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(services_.locks, cpu, softnet + 192);  // input_pkt_queue.lock: rps_lock()
    cpu.store(segment.travels(), softnet + 200);
    cpu.store(softnet + 200, segment.travels());
    cpu.store(softnet + 128, 1);  // backlog.state: NAPI_STATE_SCHED
    cpu.store(softnet, softnet + 136);
    cpu.store(own(cpu, softirq_pending_), 1, 4);
  }
  cpu.set_interrupts(interrupts);
}

void LoopbackDevice::receive(CpuOps& cpu, const Segment& segment) {
  const auto scope = cpu.function(softirq_);
  cpu.execute(costs_.softirq);
  const Address softnet = own(cpu, softnet_);
  cpu.store(own(cpu, softirq_pending_), 0, 4);
  const bool interrupts = cpu.set_interrupts(false);
  cpu.store(softnet, softnet);
  {
    const SpinGuard guard(services_.locks, cpu, softnet + 192);
    cpu.store(softnet + 16, segment.travels());  // process_queue
    cpu.store(softnet + 200, 0);
    cpu.store(softnet + 128, 0);
  }
  cpu.set_interrupts(interrupts);
  const auto inner = cpu.function(ip_rcv_);
  cpu.execute(costs_.ip_rcv);
  cpu.load(segment.travels() + 64);
  cpu.load(packet_types_);
  cpu.load(segment.dataref());  // skb_share_check, skb_shared
  cpu.load(segment.headers());
  cpu.store(segment.travels() + 128, 0);
  cpu.store(own(cpu, ip_mib_) + 8, 1);
}

}  // namespace switchyard::kernel

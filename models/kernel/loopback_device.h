// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/tcp_costs.h"
#include "kernel/kernel_services.h"
#include "kernel/sock.h"

namespace switchyard::kernel {

/// IP and the loopback device of all connections. Sources: Linux v4.14 net/ipv4/{ip_output,ip_input}.c,
/// drivers/net/loopback.c, net/core/dev.c. A packet goes to the backlog of the CPU that sends it, whose softirq runs
/// when the sender enables bottom halves again; there is one packet at a time.
class LoopbackDevice {
 public:
  LoopbackDevice(const KernelServices& services, const TcpCosts& costs);

  /// ip_queue_xmit to netif_rx. `dst` is the route of the connection, which the packet holds a reference to.
  void transmit(cpu::CpuOps& cpu, const Sock& from, const Segment& segment, Address dst);
  /// net_rx_action to ip_local_deliver.
  void receive(cpu::CpuOps& cpu, const Segment& segment);

 private:
  void loopback_xmit(cpu::CpuOps& cpu, const Sock& from, const Segment& segment, Address dst);
  void netif_rx(cpu::CpuOps& cpu, const Segment& segment);
  Address own(const cpu::CpuOps& cpu, Address variable) const { return services_.layout.per_cpu(variable, cpu.id()); }

  const KernelServices services_;
  const TcpCosts& costs_;
  const Address softnet_;  ///< softnet_data: poll_list, process_queue; backlog NAPI; input_pkt_queue
  const Address softirq_pending_, lstats_, ip_mib_;
  const Address device_;  ///< struct net_device of lo: what the transmit path reads
  const Address packet_types_;
  const cpu::FunctionId queue_xmit_, loopback_xmit_, netif_rx_, softirq_, ip_rcv_;
};

}  // namespace switchyard::kernel

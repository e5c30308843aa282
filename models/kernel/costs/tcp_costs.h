// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"
#include "kernel/costs/slab_costs.h"

namespace switchyard::kernel {

/// Path lengths of TCP over the loopback device: instructions besides the modelled accesses. All are assumed, from the
/// size of the functions, not counted in a compiled kernel.
struct TcpCosts : base::ParamSet {
  SlabCosts slab;
  std::uint64_t socket_call = 120;
  std::uint64_t lock_sock = 25;
  std::uint64_t sendmsg = 320;
  std::uint64_t build_skb = 140;
  std::uint64_t transmit = 380;
  std::uint64_t ip_output = 300;
  std::uint64_t loopback_xmit = 160;
  std::uint64_t netif_rx = 70;
  std::uint64_t softirq = 220;
  std::uint64_t ip_rcv = 260;
  std::uint64_t tcp_v4_rcv = 200;
  std::uint64_t rcv_established = 240;
  std::uint64_t ack = 300;
  std::uint64_t data_ready = 25;
  std::uint64_t recvmsg = 330;
  std::uint64_t free_skb = 90;
  std::uint64_t copy_line = 25;

  void visit(base::ParamVisitor& v) override {
    visit_send(v);
    visit_receive(v);
    count_instructions(v, "slab_allocate", slab.allocate, "An object from the slab of this CPU");
    count_instructions(v, "slab_refill", slab.refill, "Another slab for this CPU");
    count_instructions(v, "slab_new", slab.new_slab, "A slab from the page allocator");
    count_instructions(v, "slab_free", slab.free, "An object back to the slab of this CPU");
    count_instructions(v, "slab_free_elsewhere", slab.free_elsewhere, "In addition for an object of another slab");
  }

  /// As KernelCosts::scale_paths(), for all of them.
  void scale_paths(std::uint64_t thousandths) {
    scale({&slab.allocate, &slab.refill, &slab.new_slab, &slab.free,  &slab.free_elsewhere, &socket_call,
           &lock_sock,     &sendmsg,     &build_skb,     &transmit,   &ip_output,           &loopback_xmit,
           &netif_rx,      &softirq,     &ip_rcv,        &tcp_v4_rcv, &rcv_established,     &ack,
           &data_ready,    &recvmsg,     &free_skb,      &copy_line},
          thousandths);
  }

 private:
  void visit_send(base::ParamVisitor& v) {
    count_instructions(v, "socket_call", socket_call, "sock_write_iter or sock_read_iter down to TCP");
    count_instructions(v, "lock_sock", lock_sock, "lock_sock or release_sock without waiting");
    count_instructions(v, "sendmsg", sendmsg, "tcp_sendmsg without what follows");
    count_instructions(v, "build_skb", build_skb, "sk_stream_alloc_skb and skb_entail besides the slab allocator");
    count_instructions(v, "transmit", transmit, "tcp_write_xmit and tcp_transmit_skb, the clone and the TCP header");
    count_instructions(v, "ip_output", ip_output, "ip_queue_xmit to dev_queue_xmit");
    count_instructions(v, "loopback_xmit", loopback_xmit, "dev_hard_start_xmit and loopback_xmit");
    count_instructions(v, "netif_rx", netif_rx, "netif_rx to the backlog");
    count_instructions(v, "copy_line", copy_line, "Copy of up to one cache line between user and kernel");
  }
  void visit_receive(base::ParamVisitor& v) {
    count_instructions(v, "softirq", softirq, "do_softirq, net_rx_action and process_backlog for one packet");
    count_instructions(v, "ip_rcv", ip_rcv, "__netif_receive_skb_core and ip_rcv to ip_local_deliver");
    count_instructions(v, "tcp_v4_rcv", tcp_v4_rcv, "tcp_v4_rcv with the look-up of the socket");
    count_instructions(v, "rcv_established", rcv_established, "tcp_rcv_established of a segment in sequence");
    count_instructions(v, "ack", ack, "tcp_ack of new data, without freeing");
    count_instructions(v, "data_ready", data_ready, "sock_def_readable besides the wake-up");
    count_instructions(v, "recvmsg", recvmsg, "tcp_recvmsg without waiting, with tcp_cleanup_rbuf");
    count_instructions(v, "free_skb", free_skb, "__kfree_skb besides the slab allocator");
  }
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/tcp_costs.h"

namespace switchyard::kernel {

/// Path lengths of AF_UNIX stream sockets: instructions besides the modelled accesses. All are assumed, from the size
/// of the functions, not counted in a compiled kernel.
struct UnixCosts : base::ParamSet {
  SlabCosts slab;
  std::uint64_t socket_call = 120;
  std::uint64_t sendmsg = 110;
  std::uint64_t alloc_skb = 160;
  std::uint64_t queue_tail = 30;
  std::uint64_t data_ready = 25;
  std::uint64_t recvmsg = 150;
  std::uint64_t data_wait = 40;
  std::uint64_t free_skb = 90;
  std::uint64_t wfree = 25;
  std::uint64_t copy_line = 25;
  std::uint64_t socketpair = 1800;
  std::uint64_t release = 500;

  void visit(base::ParamVisitor& v) override {
    count_instructions(v, "socket_call", socket_call, "sock_write_iter or sock_read_iter down to AF_UNIX");
    count_instructions(v, "sendmsg", sendmsg, "unix_stream_sendmsg without what follows");
    count_instructions(v, "alloc_skb", alloc_skb,
                       "sock_alloc_send_pskb and skb_set_owner_w besides the slab allocator");
    count_instructions(v, "queue_tail", queue_tail, "skb_queue_tail or skb_unlink");
    count_instructions(v, "data_ready", data_ready, "sock_def_readable besides the wake-up");
    count_instructions(v, "recvmsg", recvmsg, "unix_stream_read_generic of one sk_buff, without waiting");
    count_instructions(v, "data_wait", data_wait, "unix_stream_data_wait or sock_wait_for_wmem, once around");
    count_instructions(v, "free_skb", free_skb, "consume_skb besides the slab allocator and sock_wfree");
    count_instructions(v, "wfree", wfree, "sock_wfree and unix_write_space besides the wake-up");
    count_instructions(v, "copy_line", copy_line, "Copy of up to one cache line between user and kernel");
    count_instructions(v, "socketpair", socketpair, "socketpair(2), two sockets with their inodes and files");
    count_instructions(v, "release", release, "unix_release_sock and the end of the socket");
    count_instructions(v, "slab_allocate", slab.allocate, "An object from the slab of this CPU");
    count_instructions(v, "slab_refill", slab.refill, "Another slab for this CPU");
    count_instructions(v, "slab_new", slab.new_slab, "A slab from the page allocator");
    count_instructions(v, "slab_free", slab.free, "An object back to the slab of this CPU");
    count_instructions(v, "slab_free_elsewhere", slab.free_elsewhere, "In addition for an object of another slab");
  }

  /// As KernelCosts::scale_paths(), for all of them.
  void scale_paths(std::uint64_t thousandths) {
    scale({&slab.allocate, &slab.refill, &slab.new_slab, &slab.free, &slab.free_elsewhere, &socket_call, &sendmsg,
           &alloc_skb, &queue_tail, &data_ready, &recvmsg, &data_wait, &free_skb, &wfree, &copy_line, &socketpair,
           &release},
          thousandths);
  }
};

/// Path lengths of poll(2), assumed as those above.
struct PollCosts : base::ParamSet {
  std::uint64_t call = 110;
  std::uint64_t file = 25;
  std::uint64_t wait = 25;

  void visit(base::ParamVisitor& v) override {
    count_instructions(v, "call", call, "poll(2) besides its files");
    count_instructions(v, "file", file, "One look at a file besides its poll function");
    count_instructions(v, "wait", wait, "__pollwait: an entry for a wait queue");
  }

  void scale_paths(std::uint64_t thousandths) { scale({&call, &file, &wait}, thousandths); }
};

}  // namespace switchyard::kernel

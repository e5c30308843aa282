// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"
#include "kernel/costs/tcp_costs.h"
#include "kernel/costs/unix_costs.h"

namespace switchyard::kernel {

/// Path lengths of pipes and sockets: instructions besides the modelled accesses.
struct IpcCosts : base::ParamSet {
  std::uint64_t pipe_read = 160;
  std::uint64_t pipe_write = 190;
  std::uint64_t copy_line = 25;
  std::uint64_t alloc_page = 250;
  std::uint64_t free_page = 150;
  std::uint64_t make_pipe = 900;
  TcpCosts tcp;
  UnixCosts unix_stream;
  PollCosts poll;

  void visit(base::ParamVisitor& v) override {
    count_instructions(v, "pipe_read", pipe_read, "pipe_read without waiting");
    count_instructions(v, "pipe_write", pipe_write, "pipe_write without waiting");
    count_instructions(v, "copy_line", copy_line, "Copy of up to one cache line between user and kernel");
    count_instructions(v, "alloc_page", alloc_page, "A free page from the allocator");
    count_instructions(v, "free_page", free_page, "A page back to the allocator");
    count_instructions(v, "make_pipe", make_pipe, "pipe(2): an inode and two files");
    v.object({.key = "tcp", .text = "TCP over loopback"}, tcp);
    v.object({.key = "unix", .text = "AF_UNIX stream sockets"}, unix_stream);
    v.object({.key = "poll", .text = "poll(2)"}, poll);
  }

  /// As KernelCosts::scale_paths(), for all of them.
  void scale_paths(std::uint64_t thousandths) {
    scale({&pipe_read, &pipe_write, &copy_line, &alloc_page, &free_page, &make_pipe}, thousandths);
    tcp.scale_paths(thousandths);
    unix_stream.scale_paths(thousandths);
    poll.scale_paths(thousandths);
  }
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernel/file_ops.h"
#include "kernel/loopback_device.h"
#include "kernel/slab_cache.h"
#include "kernel/sock.h"

namespace switchyard::kernel {

/// What all TCP connections of a kernel share: the device, the slab caches of buffers, counters of each CPU.
class TcpStack {
 public:
  TcpStack(const KernelServices& services, const TcpCosts& costs);

  Segment& allocate(cpu::CpuOps& cpu, Segment::Kind kind);
  /// __kfree_skb of one sk_buff of the segment; the head and the memory of both go with the last one.
  void free_clone(cpu::CpuOps& cpu, Segment& segment);
  void free_original(cpu::CpuOps& cpu, Segment& segment);
  LoopbackDevice& device() { return device_; }
  void count(cpu::CpuOps& cpu);

 private:
  void put(cpu::CpuOps& cpu, Segment& segment);

  const KernelServices services_;
  const TcpCosts& costs_;
  LoopbackDevice device_;
  SlabCache fclones_, heads_, skbs_, ack_heads_;
  const Address tcp_mib_;
  const cpu::FunctionId build_, free_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<Segment*> unused_;
};

/// A connected pair of TCP sockets over loopback; end 0 and end 1 both read and write. Sources: Linux v4.14
/// net/ipv4/{tcp,tcp_input,tcp_output,tcp_ipv4}.c, net/core/sock.c. A send runs the whole receive path in the sender's
/// context. Which lines a function touches is assumed from what it does, not taken from a compiled kernel. Not
/// modelled: timers that expire, congestion and receive windows, segments with page fragments (what does not fit into a
/// head is several segments). ACKs are delayed until the other end has two segments or data to send.
class TcpLoopback : public FileOps {
 public:
  static constexpr std::uint64_t kSendSegments = 64;  ///< what a send buffer holds; assumed

  TcpLoopback(const KernelServices& services, Scheduler& scheduler, const TcpCosts& costs, TcpStack& stack,
              const std::string& name);

  std::uint64_t read(Task& task, unsigned end, std::uint64_t bytes) override;
  bool write(Task& task, unsigned end, std::uint64_t bytes) override;
  PollEvents poll(Task& task, unsigned end, PollTable& table) override;
  void release(Task& task, unsigned end) override;
  const Sock& sock(unsigned end) const { return *socks_.at(end); }

 private:
  void lock_sock(Task& task, Sock& sk);
  void release_sock(cpu::CpuOps& cpu, Sock& sk);
  /// Sleeps without the lock until somebody wakes the socket's sleepers, unless `ready` holds already.
  template <class Ready>
  void wait(Task& task, Sock& sk, Ready ready);

  void send(cpu::CpuOps& cpu, unsigned end, Segment::Kind kind, std::uint64_t bytes);
  void transmit(cpu::CpuOps& cpu, Sock& sk, Segment& segment);
  void tcp_v4_rcv(cpu::CpuOps& cpu, Sock& sk, Segment& segment);
  void rcv_established(cpu::CpuOps& cpu, Sock& sk, Segment& segment);
  void ack(cpu::CpuOps& cpu, Sock& sk, std::uint64_t acknowledged);
  void queue_received(cpu::CpuOps& cpu, Sock& sk, Segment& segment);
  void wake_sleepers(cpu::CpuOps& cpu, Sock& sk, PollEvents key);
  std::uint64_t take(cpu::CpuOps& cpu, Sock& sk, std::uint64_t bytes);
  void copy(cpu::CpuOps& cpu, const Segment& segment, std::uint64_t bytes, cpu::Access access);

  const KernelServices services_;
  Scheduler& scheduler_;
  const TcpCosts& costs_;
  TcpStack& stack_;
  const Address dst_;  ///< the route: both ends were connected on one CPU, whose cached route they use
  const std::array<std::unique_ptr<Sock>, 2> socks_;
  const cpu::FunctionId sendmsg_, recvmsg_, transmit_, v4_rcv_, rcv_established_, ack_, data_ready_, lock_, release_,
      poll_;
};

}  // namespace switchyard::kernel

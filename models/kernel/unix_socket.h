// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernel/costs/unix_costs.h"
#include "kernel/file_ops.h"
#include "kernel/slab_cache.h"
#include "kernel/sock.h"

namespace switchyard::kernel {

/// A sk_buff of one message with its head. Offsets of struct sk_buff: as Segment.
struct UnixMessage {
  static constexpr std::uint64_t kSkbBytes = 232;
  static constexpr std::uint64_t kSharedInfo = 320;                     ///< SKB_DATA_ALIGN(sizeof(skb_shared_info))
  static constexpr std::uint64_t kMostBytes = kPageSize - kSharedInfo;  ///< SKB_MAX_HEAD(0)
  static constexpr std::uint64_t kSmallestHead = 512;

  /// The kmalloc size of the head for so many bytes: with the shared info rounded up to a power of two.
  static constexpr std::uint64_t head_bytes(std::uint64_t bytes) {
    std::uint64_t head = kSmallestHead;
    while (head < (bytes + 63) / 64 * 64 + kSharedInfo) head *= 2;
    return head;
  }
  /// SKB_TRUESIZE of what the head holds: head and sk_buff, rounded up to lines.
  static constexpr std::uint64_t truesize(std::uint64_t bytes) {
    return head_bytes(bytes) + (kSkbBytes + 63) / 64 * 64;
  }

  Address skb = 0, head = 0;
  std::uint64_t bytes = 0, taken = 0;

  Address owner() const { return skb + 24; }    ///< sk
  Address control() const { return skb + 40; }  ///< UNIXCB: pid, uid, gid, fp; consumed
  Address destructor() const { return skb + 96; }
  Address length() const { return skb + 128; }
  Address tail() const { return skb + 200; }  ///< tail, end, head, data
  Address users() const { return skb + 228; }
  Address shared_info() const { return head + head_bytes(bytes) - kSharedInfo; }
};

/// What all AF_UNIX sockets of a kernel share: the slab caches of buffers.
class UnixStack {
 public:
  UnixStack(const KernelServices& services, const UnixCosts& costs);

  /// alloc_skb for up to UnixMessage::kMostBytes.
  UnixMessage& allocate(cpu::CpuOps& cpu, std::uint64_t bytes);
  /// skb_release_data and kfree_skbmem.
  void free(cpu::CpuOps& cpu, UnixMessage& message);
  Address inflight() const { return inflight_; }

 private:
  SlabCache& heads(std::uint64_t bytes);

  const UnixCosts& costs_;
  SlabCache skbs_;
  std::array<SlabCache, 4> heads_;  ///< by size, from UnixMessage::kSmallestHead on
  const Address inflight_;          ///< unix_tot_inflight
  std::vector<std::unique_ptr<UnixMessage>> messages_;
  std::vector<UnixMessage*> unused_;
};

/// One end: struct unix_sock, and the struct socket with its socket_wq. Members: Linux v5.8 include/net/af_unix.h and
/// include/linux/net.h; the offsets of what follows struct sock are assumed.
struct UnixSock : SockFields {
  static constexpr std::uint64_t kBytes = 1024;
  static constexpr std::uint64_t kSocketBytes = 128;

  UnixSock(const KernelServices& services, Scheduler& scheduler, const std::string& name);

  Address iolock() const { return object + 792; }
  Address peer() const { return object + 856; }
  Address lock() const { return object + 888; }
  Address queue_lock() const { return receive_queue() + 20; }

  Address socket;
  Address socket_flags() const { return socket + 8; }
  Address socket_sk() const { return socket + 24; }

  WaitQueue waiting;  ///< sk_sleep()
  SpinMutex reading;  ///< iolock

  // What the object holds; kept here as well, since the memory may be read late. In memory, wmem_alloc counts from 0.
  std::deque<UnixMessage*> received;
  std::uint64_t wmem = 1;  ///< sk_wmem_alloc: truesize of what it has sent and the other end not read
  bool receive_shutdown = false, send_shutdown = false;
};

/// A socketpair of AF_UNIX stream sockets; end 0 and end 1 both read and write, and processes share the ends. Sources:
/// Linux v5.8 net/unix/af_unix.c, net/core/{sock,skbuff}.c. Which lines a function touches follows its statements. A
/// sender waits for its own socket's memory (sk_sndbuf), which the reader of the other end gives back. Not modelled:
/// page fragments (what does not fit into a head of a page is several sk_buffs), descriptors and credentials that
/// travel.
class UnixSocketPair : public FileOps {
 public:
  static constexpr std::uint64_t kSendBuffer = 212992;  ///< sk_sndbuf: net.core.wmem_default

  UnixSocketPair(const KernelServices& services, Scheduler& scheduler, const UnixCosts& costs, UnixStack& stack,
                 const std::string& name);

  std::uint64_t read(Task& task, unsigned end, std::uint64_t bytes) override;
  bool write(Task& task, unsigned end, std::uint64_t bytes) override;
  PollEvents poll(Task& task, unsigned end, PollTable& table) override;
  void release(Task& task, unsigned end) override;
  const UnixSock& sock(unsigned end) const { return *socks_.at(end); }
  /// unix_writable: at most a quarter of the send buffer is used.
  static bool writable(const UnixSock& sk) { return sk.wmem * 4 <= kSendBuffer; }

 private:
  bool has_room(cpu::CpuOps& cpu, const UnixSock& sk) const;
  /// sock_alloc_send_pskb; null when nobody can read any more, or the task is cancelled.
  UnixMessage* alloc_send(Task& task, UnixSock& sk, std::uint64_t bytes);
  void sock_wait_for_wmem(Task& task, UnixSock& sk);
  bool queue_tail(cpu::CpuOps& cpu, UnixSock& sk, UnixSock& other, UnixMessage& message);
  void data_ready(cpu::CpuOps& cpu, UnixSock& sk);
  void write_space(cpu::CpuOps& cpu, UnixSock& sk);
  void wake_sleepers(cpu::CpuOps& cpu, UnixSock& sk, PollEvents key);

  UnixMessage* peek(cpu::CpuOps& cpu, UnixSock& sk);
  void data_wait(Task& task, UnixSock& sk);
  std::uint64_t take(cpu::CpuOps& cpu, UnixSock& sk, UnixSock& other, UnixMessage& message, std::uint64_t bytes);
  void unlink(cpu::CpuOps& cpu, UnixSock& sk, UnixMessage& message);
  void consume(cpu::CpuOps& cpu, UnixSock& sender, UnixMessage& message);
  void copy(cpu::CpuOps& cpu, const UnixMessage& message, std::uint64_t bytes, cpu::Access access);

  const KernelServices services_;
  Scheduler& scheduler_;
  const UnixCosts& costs_;
  UnixStack& stack_;
  const std::array<std::unique_ptr<UnixSock>, 2> socks_;
  const cpu::FunctionId sendmsg_, alloc_, wait_wmem_, data_ready_, read_, data_wait_, consume_, wfree_, poll_, release_;
};

}  // namespace switchyard::kernel

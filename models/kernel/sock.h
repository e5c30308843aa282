// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "kernel/wait_queue.h"

namespace switchyard::kernel {

/// A TCP segment: a sk_buff_fclones with the sk_buff that the write queue keeps and the clone that travels, and the
/// head that both point to. Source: Linux v4.14 include/linux/skbuff.h, sk_buff of 232 bytes. A pure ACK has one
/// sk_buff.
struct Segment {
  static constexpr std::uint64_t kSkbBytes = 232;
  static constexpr std::uint64_t kHeadroom = 320;    ///< MAX_TCP_HEADER
  static constexpr std::uint64_t kSharedInfo = 320;  ///< at the end of the head
  static constexpr std::uint64_t kHeadBytes = 2048;  ///< linear_payload_sz(): what a first segment asks for
  static constexpr std::uint64_t kAckHeadBytes = 1024;
  static constexpr std::uint64_t kPayload = kHeadBytes - kHeadroom - kSharedInfo;

  enum class Kind : std::uint8_t { data, ack, fin };
  Kind kind = Kind::data;
  Address skb = 0;
  Address head = 0;
  std::uint64_t bytes = 0, taken = 0;
  std::uint64_t ack = 0;  ///< how many segments of the other side it acknowledges

  bool cloned() const { return kind == Kind::data; }
  Address travels() const { return cloned() ? skb + kSkbBytes : skb; }
  Address fclone_ref() const { return skb + 2 * kSkbBytes; }
  Address headers() const { return head + kHeadroom - 64; }
  Address payload() const { return head + kHeadroom; }
  Address dataref() const { return head + (cloned() ? kHeadBytes : kAckHeadBytes) - kSharedInfo + 32; }
};

/// struct sock: members of Linux v4.14 include/net/sock.h with IPV6, XFRM and NET_RX_BUSY_POLL, for 64 bits without
/// lock debugging. Those of sk_shutdown, sk_err, sk_state_change and sk_socket are assumed.
struct SockFields {
  Address object = 0;
  Address state() const { return object + 18; }
  Address flags() const { return object + 96; }
  Address receive_queue() const { return object + 200; }  ///< sk_buff_head: next, prev, qlen, lock
  Address sk_wq() const { return object + 272; }
  Address sndbuf() const { return object + 316; }
  Address wmem_alloc() const { return object + 324; }
  Address shutdown() const { return object + 408; }
  Address err() const { return object + 560; }
  Address sk_socket() const { return object + 648; }
  Address data_ready() const { return object + 680; }
  Address write_space() const { return object + 688; }
};

/// One end of a connection: struct tcp_sock with the struct socket_wq that belongs to it. The offsets of what follows
/// struct sock, and the size, are assumed.
struct Sock : SockFields {
  static constexpr std::uint64_t kBytes = 2176;

  Sock(const KernelServices& services, Scheduler& scheduler, const std::string& name);

  Address wq, bucket;  ///< bucket: of the hash table of connections
  Address addresses() const { return object; }
  Address refcnt() const { return object + 128; }
  Address slock() const { return object + 136; }
  Address owned() const { return object + 140; }
  Address lock_wq() const { return object + 144; }
  Address rmem_alloc() const { return object + 224; }
  Address backlog_tail() const { return object + 240; }
  Address forward_alloc() const { return object + 248; }
  Address dst_cache() const { return object + 304; }
  Address wmem_queued() const { return object + 320; }
  Address tsq_flags() const { return object + 328; }
  Address write_queue() const { return object + 344; }
  Address inet() const { return object + 768; }
  Address retransmit_timer() const { return object + 1024; }
  Address icsk_ack() const { return object + 1088; }
  Address header_prediction() const { return object + 1408; }  ///< pred_flags, rcv_nxt, copied_seq, snd_nxt
  Address snd_una() const { return object + 1472; }
  Address rtt() const { return object + 1536; }
  Address packets_out() const { return object + 1600; }
  Address write_seq() const { return object + 1664; }

  WaitQueue waiting;    ///< sk_sleep()
  WaitQueue for_owner;  ///< sk_lock.wq

  // What the object holds; kept here as well, since the memory may be read late. Changes under slock, or by the owner.
  bool is_owned = false, closed = false, peer_closed = false;
  std::deque<Segment*> receive, backlog, unacknowledged;
  std::uint64_t received = 0;      ///< segments with data
  std::uint64_t acknowledged = 0;  ///< of those
  std::uint64_t sent = 0;          ///< segments with data; the last ones are `unacknowledged`
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/tcp_loopback.h"

#include <algorithm>

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

constexpr std::uint64_t kLine = 64;

}  // namespace

TcpLoopback::TcpLoopback(const KernelServices& services, Scheduler& scheduler, const TcpCosts& costs, TcpStack& stack,
                         const std::string& name)
    : services_(services),
      scheduler_(scheduler),
      costs_(costs),
      stack_(stack),
      dst_(services.layout.add_slab(name + ".rtable", 192, 64)),
      socks_{std::make_unique<Sock>(services, scheduler, name + "[0]"),
             std::make_unique<Sock>(services, scheduler, name + "[1]")},
      sendmsg_(services.functions.add("tcp_sendmsg", Domain::kernel)),
      recvmsg_(services.functions.add("tcp_recvmsg", Domain::kernel)),
      transmit_(services.functions.add("tcp_transmit_skb", Domain::kernel)),
      v4_rcv_(services.functions.add("tcp_v4_rcv", Domain::kernel)),
      rcv_established_(services.functions.add("tcp_rcv_established", Domain::kernel)),
      ack_(services.functions.add("tcp_ack", Domain::kernel)),
      data_ready_(services.functions.add("sock_def_readable", Domain::kernel)),
      lock_(services.functions.add("lock_sock_nested", Domain::kernel)),
      release_(services.functions.add("release_sock", Domain::kernel)),
      poll_(services.functions.add("tcp_poll", Domain::kernel)) {}

void TcpLoopback::lock_sock(Task& task, Sock& sk) {
  const auto scope = task.cpu().function(lock_);
  task.cpu().execute(costs_.lock_sock);
  for (;;) {
    CpuOps& cpu = task.cpu();
    services_.locks.spin_lock(cpu, sk.slock());
    cpu.load(sk.owned(), 4);
    if (!sk.is_owned) break;
    sk.for_owner.prepare_to_wait(task);
    services_.locks.spin_unlock(cpu, sk.slock());
    scheduler_.schedule(task);
    sk.for_owner.finish_wait(task);
  }
  sk.is_owned = true;
  task.cpu().store(sk.owned(), 1, 4);
  services_.locks.spin_unlock(task.cpu(), sk.slock());
}

// __release_sock first: what came while the socket was owned is received now, by the owner.
void TcpLoopback::release_sock(CpuOps& cpu, Sock& sk) {
  const auto scope = cpu.function(release_);
  cpu.execute(costs_.lock_sock);
  services_.locks.spin_lock(cpu, sk.slock());
  cpu.load(sk.backlog_tail());
  while (!sk.backlog.empty()) {
    Segment& segment = *sk.backlog.front();
    sk.backlog.pop_front();
    cpu.store(sk.backlog_tail(), 0);
    services_.locks.spin_unlock(cpu, sk.slock());
    rcv_established(cpu, sk, segment);
    services_.locks.spin_lock(cpu, sk.slock());
  }
  cpu.load(sk.tsq_flags());
  sk.is_owned = false;
  cpu.store(sk.owned(), 0, 4);
  cpu.load(sk.lock_wq() + 8);
  if (sk.for_owner.active()) sk.for_owner.wake_up_sync(cpu);
  services_.locks.spin_unlock(cpu, sk.slock());
}

// sk_wait_event with wait_woken: the entry is on the list before the lock goes, and stays until it is taken off.
template <class Ready>
void TcpLoopback::wait(Task& task, Sock& sk, Ready ready) {
  sk.waiting.prepare_to_wait(task);
  release_sock(task.cpu(), sk);
  if (!ready() && task.state != Task::State::running) scheduler_.schedule(task);
  sk.waiting.finish_wait(task);
  lock_sock(task, sk);
}

bool TcpLoopback::write(Task& task, unsigned end, std::uint64_t bytes) {
  const auto scope = task.cpu().function(sendmsg_);
  task.cpu().execute(costs_.socket_call + costs_.sendmsg);
  Sock& sk = *socks_.at(end);
  const auto has_room = [&sk] { return sk.unacknowledged.size() < kSendSegments || sk.peer_closed; };
  lock_sock(task, sk);
  std::uint64_t left = bytes;
  while (left != 0 && !sk.peer_closed && !task.cancelled) {
    task.cpu().load(sk.wmem_queued(), 4);
    if (!has_room()) {
      wait(task, sk, has_room);
      continue;
    }
    const std::uint64_t part = std::min(left, Segment::kPayload);
    send(task.cpu(), end, Segment::Kind::data, part);
    left -= part;
  }
  release_sock(task.cpu(), sk);
  return left == 0;
}

// The caller owns the socket, or closes it.
void TcpLoopback::send(CpuOps& cpu, unsigned end, Segment::Kind kind, std::uint64_t bytes) {
  Sock& sk = *socks_[end];
  Segment& segment = stack_.allocate(cpu, kind);
  segment.bytes = bytes;
  segment.ack = sk.received;
  sk.acknowledged = sk.received;
  if (kind == Segment::Kind::data) {
    copy(cpu, segment, bytes, cpu::Access::store);
    cpu.store(sk.write_queue(), segment.skb);
    cpu.store(sk.wmem_queued(), sk.unacknowledged.size() + 1, 4);
    cpu.store(sk.forward_alloc(), 0, 4);
    cpu.store(sk.write_seq(), 1);
    sk.unacknowledged.push_back(&segment);
    ++sk.sent;
  }
  transmit(cpu, sk, segment);
  stack_.device().receive(cpu, segment);
  tcp_v4_rcv(cpu, *socks_[1 - end], segment);
}

// tcp_write_xmit and tcp_transmit_skb. skb_clone copies the sk_buff into its twin.
void TcpLoopback::transmit(CpuOps& cpu, Sock& sk, Segment& segment) {
  const auto scope = cpu.function(transmit_);
  cpu.execute(costs_.transmit);
  cpu.load(sk.packets_out());
  cpu.load(sk.rtt());
  if (segment.cloned()) {
    for (std::uint64_t at = 0; at < Segment::kSkbBytes; at += kLine) {
      cpu.load(segment.skb + at);
      cpu.store(segment.travels() + at, 0);
    }
    services_.atomics.atomic_add(cpu, segment.fclone_ref(), 1);
    services_.atomics.atomic_add(cpu, segment.dataref(), 1);
  }
  services_.atomics.atomic_add(cpu, sk.wmem_alloc(), 1);
  cpu.load(sk.header_prediction());
  cpu.store(segment.headers() + 32, segment.ack);  // TCP header with time stamps
  cpu.store(sk.header_prediction() + 32, 0);       // rcv_wup, snd_nxt, segs_out
  cpu.store(sk.icsk_ack(), 0);                     // tcp_event_ack_sent, pingpong
  cpu.store(sk.snd_una() + 24, 0);                 // lsndtime
  stack_.count(cpu);
  stack_.device().transmit(cpu, sk, segment, dst_);
  if (!segment.cloned()) return;
  cpu.store(sk.packets_out(), sk.unacknowledged.size(), 4);
  cpu.store(sk.retransmit_timer(), 0);  // mod_timer of a timer that is pending in the same bucket
}

void TcpLoopback::tcp_v4_rcv(CpuOps& cpu, Sock& sk, Segment& segment) {
  const auto scope = cpu.function(v4_rcv_);
  cpu.execute(costs_.tcp_v4_rcv);
  cpu.load(segment.headers() + 32);
  cpu.load(sk.bucket);
  cpu.load(sk.addresses());
  services_.atomics.atomic_add(cpu, sk.refcnt(), 1);
  cpu.load(sk.sk_wq() - 8);  // sk_filter
  {
    const SpinGuard guard(services_.locks, cpu, sk.slock());
    cpu.load(sk.owned(), 4);
    if (!sk.is_owned) {
      rcv_established(cpu, sk, segment);
    } else {
      cpu.store(sk.backlog_tail(), segment.travels());
      sk.backlog.push_back(&segment);
    }
  }
  services_.atomics.atomic_add(cpu, sk.refcnt(), -1);
}

void TcpLoopback::rcv_established(CpuOps& cpu, Sock& sk, Segment& segment) {
  const auto scope = cpu.function(rcv_established_);
  cpu.execute(costs_.rcv_established);
  cpu.load(segment.travels() + 40);  // cb
  cpu.load(sk.header_prediction());
  cpu.load(sk.rtt());
  services_.atomics.atomic_add(cpu, dst_ + 64, -1);  // skb_dst_drop
  ack(cpu, sk, segment.ack);
  if (segment.kind == Segment::Kind::data) return queue_received(cpu, sk, segment);
  if (segment.kind == Segment::Kind::fin) {
    sk.peer_closed = true;
    cpu.store(sk.state(), 8, 1);
    wake_sleepers(cpu, sk, kPollAll);
  }
  stack_.free_clone(cpu, segment);
}

// tcp_ack with tcp_clean_rtx_queue, then tcp_check_space.
void TcpLoopback::ack(CpuOps& cpu, Sock& sk, std::uint64_t acknowledged) {
  std::uint64_t first = sk.sent - sk.unacknowledged.size();
  if (acknowledged <= first) return;
  const auto scope = cpu.function(ack_);
  cpu.execute(costs_.ack);
  const bool was_full = sk.unacknowledged.size() >= kSendSegments;
  cpu.load(sk.write_queue());
  for (; first < acknowledged; ++first) {
    Segment& segment = *sk.unacknowledged.front();
    sk.unacknowledged.pop_front();
    cpu.load(segment.skb + 48);
    cpu.store(sk.write_queue(), 0);
    cpu.store(sk.wmem_queued(), sk.unacknowledged.size(), 4);
    stack_.free_original(cpu, segment);
  }
  cpu.store(sk.snd_una(), acknowledged);
  cpu.store(sk.rtt(), 0);
  cpu.store(sk.packets_out(), sk.unacknowledged.size(), 4);
  cpu.store(sk.retransmit_timer(), 0);
  cpu.load(sk.tsq_flags());
  if (was_full) wake_sleepers(cpu, sk, kPollOut);
}

void TcpLoopback::queue_received(CpuOps& cpu, Sock& sk, Segment& segment) {
  services_.atomics.atomic_add(cpu, sk.rmem_alloc(), 1);
  cpu.store(sk.forward_alloc(), 0, 4);
  cpu.store(segment.travels(), sk.receive_queue());
  cpu.store(sk.receive_queue() + 8, segment.travels());
  sk.receive.push_back(&segment);
  ++sk.received;
  cpu.store(sk.header_prediction() + 16, sk.received);  // rcv_nxt
  cpu.store(sk.icsk_ack(), 1);                          // pending, with the timer of delayed ACKs beside it
  wake_sleepers(cpu, sk, kPollIn);
}

// sock_def_readable and its like: skwq_has_sleeper() looks before the lock of the wait queue is taken.
void TcpLoopback::wake_sleepers(CpuOps& cpu, Sock& sk, PollEvents key) {
  const auto scope = cpu.function(data_ready_);
  cpu.execute(costs_.data_ready);
  cpu.load(sk.data_ready());
  cpu.load(sk.sk_wq());
  cpu.barrier();
  cpu.load(sk.wq + 8);
  if (sk.waiting.active()) sk.waiting.wake_up_sync(cpu, key);
}

std::uint64_t TcpLoopback::read(Task& task, unsigned end, std::uint64_t bytes) {
  const auto scope = task.cpu().function(recvmsg_);
  task.cpu().execute(costs_.socket_call + costs_.recvmsg);
  Sock& sk = *socks_.at(end);
  const auto has_data = [&sk] { return !sk.receive.empty() || sk.peer_closed; };
  lock_sock(task, sk);
  for (;;) {
    task.cpu().load(sk.receive_queue());
    if (has_data() || task.cancelled) break;
    wait(task, sk, has_data);
  }
  const std::uint64_t got = take(task.cpu(), sk, bytes);
  if (sk.received - sk.acknowledged >= 2 && !sk.peer_closed) send(task.cpu(), end, Segment::Kind::ack, 0);
  release_sock(task.cpu(), sk);
  return got;
}

std::uint64_t TcpLoopback::take(CpuOps& cpu, Sock& sk, std::uint64_t bytes) {
  std::uint64_t left = bytes;
  while (left != 0 && !sk.receive.empty()) {
    Segment& segment = *sk.receive.front();
    cpu.load(segment.travels() + 40);
    cpu.load(segment.travels() + 128);
    const std::uint64_t part = std::min(left, segment.bytes - segment.taken);
    copy(cpu, segment, part, cpu::Access::load);
    segment.taken += part;
    left -= part;
    cpu.store(sk.header_prediction() + 24, 0);  // copied_seq
    if (segment.taken < segment.bytes) break;
    sk.receive.pop_front();
    cpu.store(sk.receive_queue(), 0);
    services_.atomics.atomic_add(cpu, sk.rmem_alloc(), -1);
    cpu.store(sk.forward_alloc(), 0, 4);
    stack_.free_clone(cpu, segment);
  }
  cpu.load(sk.icsk_ack());
  return bytes - left;
}

void TcpLoopback::copy(CpuOps& cpu, const Segment& segment, std::uint64_t bytes, cpu::Access access) {
  const std::uint64_t first = (segment.payload() + segment.taken) / kLine * kLine;
  for (Address at = first; at < segment.payload() + segment.taken + bytes; at += kLine) {
    if (access == cpu::Access::store)
      cpu.store(at, 0);
    else
      cpu.load(at);
    cpu.execute(costs_.copy_line);
  }
}

// sock_poll and tcp_poll, which take no lock of the socket.
PollEvents TcpLoopback::poll(Task& task, unsigned end, PollTable& table) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(poll_);
  cpu.execute(services_.costs.call);
  Sock& sk = *socks_.at(end);
  cpu.load(sk.sk_wq());
  table.wait(sk.waiting);
  cpu.load(sk.state(), 1);
  cpu.load(sk.header_prediction() + 16);  // rcv_nxt, copied_seq
  cpu.load(sk.wmem_queued(), 4);
  const bool room = sk.unacknowledged.size() < kSendSegments;
  return (!sk.receive.empty() || sk.peer_closed ? kPollIn : 0) | (room ? kPollOut : 0) |
         (sk.peer_closed ? kPollHangup : 0);
}

void TcpLoopback::release(Task& task, unsigned end) {
  Sock& sk = *socks_.at(end);
  lock_sock(task, sk);
  sk.closed = true;
  if (!sk.peer_closed) send(task.cpu(), end, Segment::Kind::fin, 0);
  release_sock(task.cpu(), sk);
}

}  // namespace switchyard::kernel

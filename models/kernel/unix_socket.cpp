// SPDX-License-Identifier: Apache-2.0
#include "kernel/unix_socket.h"

#include <algorithm>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

namespace {

constexpr std::uint64_t kLine = 64;

/// The spin lock of a queue, with interrupts off.
template <class F>
void under_queue_lock(SpinLocks& locks, CpuOps& cpu, const UnixSock& sk, F f) {
  const bool interrupts = cpu.set_interrupts(false);
  {
    const SpinGuard guard(locks, cpu, sk.queue_lock());
    f();
  }
  cpu.set_interrupts(interrupts);
}

}  // namespace

UnixSocketPair::UnixSocketPair(const KernelServices& services, Scheduler& scheduler, const UnixCosts& costs,
                               UnixStack& stack, const std::string& name)
    : services_(services),
      scheduler_(scheduler),
      costs_(costs),
      stack_(stack),
      socks_{std::make_unique<UnixSock>(services, scheduler, name + "[0]"),
             std::make_unique<UnixSock>(services, scheduler, name + "[1]")},
      sendmsg_(services.functions.add("unix_stream_sendmsg", Domain::kernel)),
      alloc_(services.functions.add("sock_alloc_send_pskb", Domain::kernel)),
      wait_wmem_(services.functions.add("sock_wait_for_wmem", Domain::kernel)),
      data_ready_(services.functions.add("sock_def_readable", Domain::kernel)),
      read_(services.functions.add("unix_stream_read_generic", Domain::kernel)),
      data_wait_(services.functions.add("unix_stream_data_wait", Domain::kernel)),
      consume_(services.functions.add("consume_skb", Domain::kernel)),
      wfree_(services.functions.add("sock_wfree", Domain::kernel)),
      poll_(services.functions.add("unix_poll", Domain::kernel)),
      release_(services.functions.add("unix_release_sock", Domain::kernel)) {}

bool UnixSocketPair::write(Task& task, unsigned end, std::uint64_t bytes) {
  const auto scope = task.cpu().function(sendmsg_);
  UnixSock &sk = *socks_.at(end), &other = *socks_.at(1 - end);
  task.cpu().execute(costs_.socket_call + costs_.sendmsg);
  task.cpu().load(sk.socket_sk());
  task.cpu().load(stack_.inflight(), 4);
  task.cpu().load(sk.peer());
  task.cpu().load(sk.shutdown(), 1);
  if (sk.send_shutdown) return false;
  for (std::uint64_t left = bytes; left != 0;) {
    const std::uint64_t part = std::min(left, UnixMessage::kMostBytes);
    UnixMessage* const message = alloc_send(task, sk, part);
    if (message == nullptr) return false;
    CpuOps& cpu = task.cpu();
    cpu.store(message->control(), 0);
    cpu.store(message->tail(), part, 4);
    cpu.store(message->length(), part, 4);
    copy(cpu, *message, part, cpu::Access::store);
    if (!queue_tail(cpu, sk, other, *message)) return false;
    data_ready(cpu, other);
    left -= part;
  }
  return true;
}

bool UnixSocketPair::has_room(CpuOps& cpu, const UnixSock& sk) const {
  cpu.load(sk.wmem_alloc(), 4);
  cpu.load(sk.sndbuf(), 4);
  return sk.wmem < kSendBuffer;
}

UnixMessage* UnixSocketPair::alloc_send(Task& task, UnixSock& sk, std::uint64_t bytes) {
  const auto scope = task.cpu().function(alloc_);
  task.cpu().execute(costs_.alloc_skb);
  for (;;) {
    task.cpu().load(sk.err(), 4);
    task.cpu().load(sk.shutdown(), 1);
    if (sk.send_shutdown || task.cancelled) return nullptr;
    if (has_room(task.cpu(), sk)) break;
    sock_wait_for_wmem(task, sk);
  }
  CpuOps& cpu = task.cpu();
  UnixMessage& message = stack_.allocate(cpu, bytes);
  cpu.store(message.owner(), sk.object);
  cpu.store(message.destructor(), 1);
  const std::uint64_t truesize = UnixMessage::truesize(bytes);
  sk.wmem += truesize;
  services_.atomics.atomic_add(cpu, sk.wmem_alloc(), static_cast<std::int64_t>(truesize));
  return &message;
}

void UnixSocketPair::sock_wait_for_wmem(Task& task, UnixSock& sk) {
  const auto scope = task.cpu().function(wait_wmem_);
  for (;;) {
    task.cpu().execute(costs_.data_wait);
    services_.atomics.fetch_or(task.cpu(), sk.socket_flags(), 4);  // SOCK_NOSPACE
    sk.waiting.prepare_to_wait(task);
    if (has_room(task.cpu(), sk)) break;
    task.cpu().load(sk.shutdown(), 1);
    if (sk.send_shutdown || task.cancelled) break;
    scheduler_.schedule(task);
  }
  sk.waiting.finish_wait(task);
}

// False when the other end has been closed: nobody gets the message.
bool UnixSocketPair::queue_tail(CpuOps& cpu, UnixSock& sk, UnixSock& other, UnixMessage& message) {
  bool dead = false;
  {
    const SpinGuard guard(services_.locks, cpu, other.lock());
    cpu.load(other.flags());
    cpu.load(other.shutdown(), 1);
    dead = other.receive_shutdown;
    if (!dead) {
      cpu.load(sk.socket_flags());  // SOCK_PASSCRED of either
      cpu.load(other.sk_socket());
      cpu.load(other.socket_flags());
      cpu.execute(costs_.queue_tail);
      under_queue_lock(services_.locks, cpu, other, [&] {
        const Address last = other.received.empty() ? other.receive_queue() : other.received.back()->skb;
        cpu.load(other.receive_queue() + 8);
        cpu.store(message.skb, other.receive_queue());
        cpu.store(message.skb + 8, last);
        cpu.store(other.receive_queue() + 8, message.skb);
        cpu.store(last, message.skb);
        other.received.push_back(&message);
        cpu.store(other.receive_queue() + 16, other.received.size(), 4);
      });
    }
  }
  if (dead) consume(cpu, sk, message);
  return !dead;
}

// skwq_has_sleeper() looks before the lock of the wait queue is taken.
void UnixSocketPair::wake_sleepers(CpuOps& cpu, UnixSock& sk, PollEvents key) {
  cpu.load(sk.sk_wq());
  cpu.barrier();
  cpu.load(sk.socket + 64 + 8);
  if (sk.waiting.active()) sk.waiting.wake_up_sync(cpu, key);
}

void UnixSocketPair::data_ready(CpuOps& cpu, UnixSock& sk) {
  const auto scope = cpu.function(data_ready_);
  cpu.execute(costs_.data_ready);
  cpu.load(sk.data_ready());
  wake_sleepers(cpu, sk, kPollIn);
}

void UnixSocketPair::copy(CpuOps& cpu, const UnixMessage& message, std::uint64_t bytes, cpu::Access access) {
  const std::uint64_t first = (message.head + message.taken) / kLine * kLine;
  for (Address at = first; at < message.head + message.taken + bytes; at += kLine) {
    if (access == cpu::Access::store)
      cpu.store(at, 0);
    else
      cpu.load(at);
    cpu.execute(costs_.copy_line);
  }
}

// skb_peek under the lock of the socket's state. The caller holds iolock, so that only it takes messages away.
UnixMessage* UnixSocketPair::peek(CpuOps& cpu, UnixSock& sk) {
  const SpinGuard guard(services_.locks, cpu, sk.lock());
  cpu.load(sk.flags());
  cpu.load(sk.receive_queue());
  if (!sk.received.empty()) return sk.received.front();
  cpu.load(sk.err(), 4);
  cpu.load(sk.shutdown(), 1);
  return nullptr;
}

std::uint64_t UnixSocketPair::read(Task& task, unsigned end, std::uint64_t bytes) {
  const auto scope = task.cpu().function(read_);
  UnixSock &sk = *socks_.at(end), &other = *socks_.at(1 - end);
  task.cpu().execute(costs_.socket_call);
  task.cpu().load(sk.socket_sk());
  task.cpu().load(sk.state(), 1);
  sk.reading.lock(task);
  std::uint64_t left = bytes;
  while (left != 0) {
    if (UnixMessage* const message = peek(task.cpu(), sk)) {
      left -= take(task.cpu(), sk, other, *message, left);
      continue;
    }
    if (left != bytes || sk.receive_shutdown || task.cancelled) break;
    sk.reading.unlock(task);
    data_wait(task, sk);
    sk.reading.lock(task);
  }
  sk.reading.unlock(task);
  return bytes - left;
}

// unix_stream_data_wait, which the caller enters without a message.
void UnixSocketPair::data_wait(Task& task, UnixSock& sk) {
  const auto scope = task.cpu().function(data_wait_);
  services_.locks.spin_lock(task.cpu(), sk.lock());
  for (;;) {
    task.cpu().execute(costs_.data_wait);
    sk.waiting.prepare_to_wait(task);
    task.cpu().load(sk.receive_queue() + 8);
    task.cpu().load(sk.err(), 4);
    task.cpu().load(sk.shutdown(), 1);
    if (!sk.received.empty() || sk.receive_shutdown || task.cancelled) break;
    services_.locks.spin_unlock(task.cpu(), sk.lock());
    scheduler_.schedule(task);
    services_.locks.spin_lock(task.cpu(), sk.lock());
    task.cpu().load(sk.flags());
  }
  sk.waiting.finish_wait(task);
  services_.locks.spin_unlock(task.cpu(), sk.lock());
}

// skb_get and consume_skb around the copy; what has been read to its end goes.
std::uint64_t UnixSocketPair::take(CpuOps& cpu, UnixSock& sk, UnixSock& other, UnixMessage& message,
                                   std::uint64_t bytes) {
  cpu.execute(costs_.recvmsg);
  cpu.load(sk.socket_flags());
  cpu.load(message.length(), 4);
  cpu.load(message.control() + 32, 4);
  const std::uint64_t part = std::min(bytes, message.bytes - message.taken);
  services_.atomics.atomic_add(cpu, message.users(), 1);
  copy(cpu, message, part, cpu::Access::load);
  services_.atomics.atomic_add(cpu, message.users(), -1);
  message.taken += part;
  cpu.store(message.control() + 32, message.taken, 4);
  if (message.taken == message.bytes) {
    unlink(cpu, sk, message);
    consume(cpu, other, message);
  }
  return part;
}

void UnixSocketPair::unlink(CpuOps& cpu, UnixSock& sk, UnixMessage& message) {
  SWITCHYARD_ASSERT(sk.received.front() == &message, "messages are read in order, under iolock");
  cpu.execute(costs_.queue_tail);
  under_queue_lock(services_.locks, cpu, sk, [&] {
    sk.received.pop_front();
    const Address next = sk.received.empty() ? sk.receive_queue() : sk.received.front()->skb;
    cpu.store(sk.receive_queue() + 16, sk.received.size(), 4);
    cpu.load(message.skb);
    cpu.store(message.skb, 0);
    cpu.store(message.skb + 8, 0);
    cpu.store(next + 8, sk.receive_queue());
    cpu.store(sk.receive_queue(), next);
  });
}

// The last reference. sock_wfree takes all but 1 before write_space, and the 1 after it.
void UnixSocketPair::consume(CpuOps& cpu, UnixSock& sender, UnixMessage& message) {
  const auto scope = cpu.function(consume_);
  cpu.load(message.users(), 4);
  cpu.load(message.destructor());
  {
    const auto wfree = cpu.function(wfree_);
    cpu.execute(costs_.wfree);
    cpu.load(message.owner());
    cpu.load(message.users() - 4, 4);  // truesize
    cpu.load(sender.flags());
    const std::uint64_t truesize = UnixMessage::truesize(message.bytes);
    sender.wmem -= truesize - 1;
    services_.atomics.atomic_add(cpu, sender.wmem_alloc(), 1 - static_cast<std::int64_t>(truesize));
    write_space(cpu, sender);
    --sender.wmem;
    services_.atomics.atomic_add(cpu, sender.wmem_alloc(), -1);
  }
  stack_.free(cpu, message);
}

// unix_write_space.
void UnixSocketPair::write_space(CpuOps& cpu, UnixSock& sk) {
  cpu.load(sk.write_space());
  cpu.load(sk.state(), 1);
  cpu.load(sk.wmem_alloc(), 4);
  cpu.load(sk.sndbuf(), 4);
  if (writable(sk)) wake_sleepers(cpu, sk, kPollOut);
}

PollEvents UnixSocketPair::poll(Task& task, unsigned end, PollTable& table) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(poll_);
  cpu.execute(services_.costs.call);
  UnixSock& sk = *socks_.at(end);
  cpu.load(sk.socket_sk());
  table.wait(sk.waiting);
  cpu.load(sk.err(), 4);
  cpu.load(sk.shutdown(), 1);
  cpu.load(sk.receive_queue());
  cpu.load(sk.wmem_alloc(), 4);
  cpu.load(sk.sndbuf(), 4);
  return (!sk.received.empty() || sk.receive_shutdown ? kPollIn : 0) | (writable(sk) ? kPollOut : 0) |
         (sk.receive_shutdown && sk.send_shutdown ? kPollHangup : 0);
}

// The other end can neither send nor receive any more; what it has not been able to deliver is freed.
void UnixSocketPair::release(Task& task, unsigned end) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(release_);
  cpu.execute(costs_.release);
  UnixSock &sk = *socks_.at(end), &other = *socks_.at(1 - end);
  for (UnixSock* one : {&sk, &other}) {
    const SpinGuard guard(services_.locks, cpu, one->lock());
    cpu.store(one->shutdown(), 3, 1);
    one->receive_shutdown = one->send_shutdown = true;
  }
  cpu.load(other.sk_wq());
  if (other.waiting.active()) other.waiting.wake_up_sync(cpu);
  while (!sk.received.empty()) {
    UnixMessage& message = *sk.received.front();
    unlink(cpu, sk, message);
    consume(cpu, other, message);
  }
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/tcp_loopback.h"

#include <algorithm>
#include <functional>

#include "kernel/x86_machine.h"

namespace switchyard::test {

using kernel::Task;

namespace {

/// A client with end 0 of a connection and a server with end 1.
struct TcpTest : X86MachineTest {
  using Body = std::function<void(Task&)>;
  unsigned client_end = 0, server_end = 0;

  void run(const Body& client, const Body& server, unsigned cpu_count = 2) {
    build(cpu_count);
    std::vector<kernel::ChannelUser> users(2);
    users[0].first = &kernel->spawn_process("client", client);
    users[1].first = &kernel->spawn_process("server", server);
    users[0].holds[0] = users[1].holds[1] = true;
    kernel->open_channel(users, "connection", kernel::ChannelKind::tcp);
    client_end = users[0].descriptor[0];
    server_end = users[1].descriptor[1];
    run_ms(50);
  }
  void send(Task& task, std::uint64_t bytes) { kernel->write(task, end_of(task), bytes); }
  void receive(Task& task, std::uint64_t bytes) { kernel->read(task, end_of(task), bytes); }
  std::uint64_t now(const Task& task) const { return task.cpu().now_ps(); }

 private:
  unsigned end_of(const Task& task) const { return task.name == "client" ? client_end : server_end; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tcp_loopback, TcpTest)

BOOST_AUTO_TEST_CASE(a_transaction_is_four_system_calls_and_two_wake_ups) {
  constexpr unsigned kTransactions = 50;
  run(
      [this](Task& task) {
        for (unsigned i = 0; i < kTransactions; ++i) {
          send(task, 1);
          receive(task, 1);
        }
      },
      [this](Task& task) {
        for (unsigned i = 0; i < kTransactions; ++i) {
          receive(task, 1);
          send(task, 1);
        }
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(coherence.checked() > 10000u);
  BOOST_TEST(count("system_calls") == 4 * kTransactions);
  BOOST_TEST(calls("tcp_transmit_skb") == 2 * kTransactions + 2);  // each end closes once, at most
  BOOST_TEST(calls("__wake_up_sync_key", "client") <= kTransactions + 1);
  BOOST_TEST(calls("__wake_up_sync_key", "server") <= kTransactions + 1);
  BOOST_TEST(calls("__wake_up_sync_key") >= 2 * kTransactions - 2);
}

BOOST_AUTO_TEST_CASE(a_reader_waits_until_somebody_writes) {
  std::uint64_t written = 0, read = 0;
  run(
      [&](Task& task) {
        kernel->nanosleep(task, 1'000'000'000);
        written = now(task);
        send(task, 1);
      },
      [&](Task& task) {
        receive(task, 1);
        read = now(task);
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(written > 0u);
  BOOST_TEST(read > written);
  BOOST_TEST(calls("try_to_wake_up", "client") == 1u);
}

BOOST_AUTO_TEST_CASE(who_does_not_sleep_is_not_woken) {
  run(
      [&](Task& task) {
        for (unsigned i = 0; i < 5; ++i) send(task, 1);
        kernel->nanosleep(task, 2'000'000'000);
      },
      [&](Task& task) {
        kernel->nanosleep(task, 1'000'000'000);
        receive(task, 5);
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(calls("__wake_up_sync_key") == 0u);
  BOOST_TEST(count("system_calls") == 8u);
}

BOOST_AUTO_TEST_CASE(a_stream_keeps_its_bytes_whatever_the_sizes_of_writes_and_reads) {
  std::uint64_t received = 0;
  run(
      [&](Task& task) {
        for (unsigned i = 0; i < 100; ++i) send(task, 700 + 13 * i);
      },
      [&](Task& task) {
        for (std::uint64_t left = 100 * 700 + 13 * 4950; left != 0;) {
          const std::uint64_t part = std::min<std::uint64_t>(left, 997);
          receive(task, part);
          received += part;
          left -= part;
        }
        receive(task, 1);
        received += 1;  // never: there are no more
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(received == 100u * 700 + 13 * 4950);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_while_its_buffer_is_full) {
  std::uint64_t written = 0, first_read = 0;
  run(
      [&](Task& task) {
        send(task, 2 * kernel::TcpLoopback::kSendSegments * kernel::Segment::kPayload);
        written = now(task);
      },
      [&](Task& task) {
        kernel->nanosleep(task, 3'000'000'000);
        first_read = now(task);
        receive(task, 2 * kernel::TcpLoopback::kSendSegments * kernel::Segment::kPayload);
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(written > first_read);
}

BOOST_AUTO_TEST_CASE(who_waits_for_an_end_that_closes_ends_as_well) {
  bool came_back = false;
  run([&](Task& task) { kernel->nanosleep(task, 1'000'000'000); },
      [&](Task& task) {
        receive(task, 1);
        came_back = true;
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

BOOST_AUTO_TEST_CASE(who_writes_to_an_end_that_has_closed_ends_as_well) {
  bool came_back = false;
  run([&](Task& task) { send(task, 1); },
      [&](Task& task) {
        kernel->nanosleep(task, 1'000'000'000);
        receive(task, 1);  // what came before the end
        send(task, 1);
        came_back = true;
      });
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

BOOST_AUTO_TEST_CASE(both_ends_on_one_cpu_take_turns) {
  run(
      [this](Task& task) {
        for (unsigned i = 0; i < 20; ++i) {
          send(task, 1);
          receive(task, 1);
        }
      },
      [this](Task& task) {
        for (unsigned i = 0; i < 20; ++i) {
          receive(task, 1);
          send(task, 1);
        }
      },
      1);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(count("system_calls") == 80u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

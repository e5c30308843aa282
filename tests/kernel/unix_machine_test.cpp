// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "kernel/channels.h"
#include "kernel/x86_machine.h"

/// Processes that talk through AF_UNIX socketpairs and poll, on simulated hardware.
namespace switchyard::test {

using kernel::ChannelKind;
using kernel::ChannelUser;
using kernel::PollSet;
using kernel::Task;
using kernel::UnixMessage;
using kernel::UnixSocketPair;

namespace {

constexpr std::uint64_t kMs = 1'000'000'000;
/// Messages of 100 bytes that a socket takes: the last one is let in while less than the buffer is used.
constexpr unsigned kFit = 1 + (UnixSocketPair::kSendBuffer - 2) / UnixMessage::truesize(100);

struct UnixMachineTest : X86MachineTest {
  using Body = std::function<void(Task&)>;
  struct Program {
    Body body;
    unsigned end = 0;
  };
  std::vector<ChannelUser> users;

  /// Processes with an end each of one channel, which run to their end.
  void run(const std::vector<Program>& programs, ChannelKind kind = ChannelKind::unix_stream, unsigned count = 2,
           double ms = 100) {
    build(count);
    for (const Program& program : programs) {
      ChannelUser user;
      user.first = &kernel->spawn_process("p" + std::to_string(users.size()), program.body);
      user.holds[program.end] = true;
      users.push_back(user);
    }
    kernel->open_channel(users, "channel", kind);
    run_ms(ms);
  }
  unsigned mine(const Task& task) const {
    for (const ChannelUser& user : users)
      if (user.first == &task) return user.descriptor[user.holds[0] ? 0 : 1];
    throw std::logic_error("no user of the channel");
  }
  void send(Task& task, std::uint64_t bytes = 100) { kernel->write(task, mine(task), bytes); }
  void receive(Task& task, std::uint64_t bytes = 100) { kernel->read(task, mine(task), bytes); }
  void poll(Task& task, kernel::PollEvents events = kernel::kPollIn) {
    PollSet set;
    set.files[set.count++] = {mine(task), events};
    kernel->poll(task, set);
  }
  std::uint64_t now(const Task& task) const { return task.cpu().now_ps(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unix_on_a_machine, UnixMachineTest)

BOOST_AUTO_TEST_CASE(a_message_is_two_system_calls) {
  run({{[this](Task& task) {
          for (int i = 0; i < 30; ++i) send(task);
        },
        1},
       {[this](Task& task) {
          for (int i = 0; i < 30; ++i) receive(task);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(coherence.checked() > 1000u);
  BOOST_TEST(count("system_calls") == 60u);
}

BOOST_AUTO_TEST_CASE(a_reader_sleeps_until_somebody_writes) {
  std::uint64_t written = 0, read = 0;
  run({{[&](Task& task) {
          kernel->nanosleep(task, kMs);
          written = now(task);
          send(task);
        },
        1},
       {[&](Task& task) {
          receive(task);
          read = now(task);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(read > written);
  BOOST_TEST(calls("try_to_wake_up", "p0") == 1u);
}

BOOST_AUTO_TEST_CASE(who_does_not_sleep_is_not_woken) {
  run({{[&](Task& task) {
          for (int i = 0; i < 5; ++i) send(task);
          kernel->nanosleep(task, 2 * kMs);
        },
        1},
       {[&](Task& task) {
          kernel->nanosleep(task, kMs);
          receive(task, 500);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(calls("__wake_up_sync_key") == 0u);
}

// The writer stops with the buffer full, and goes on when a quarter of it or less is used, not with the first read.
BOOST_AUTO_TEST_CASE(a_full_writer_is_woken_when_a_quarter_is_left) {
  unsigned sent = 0, sent_before = 0, sent_after = 0;
  const unsigned reads = kFit - 69;  // a quarter holds 69: 4 (1 + 768 n) <= 212992
  run({{[&](Task& task) {
          for (; sent < kFit + 1; ++sent) send(task);
        },
        1},
       {[&](Task& task) {
          kernel->nanosleep(task, 5 * kMs);
          sent_before = sent;
          for (unsigned i = 0; i + 1 < reads; ++i) receive(task);
          kernel->nanosleep(task, kMs);
          sent_after = sent;
          receive(task);
          kernel->nanosleep(task, kMs);
          receive(task);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(kFit == 278u);
  BOOST_TEST(sent_before == kFit);
  BOOST_TEST(sent_after == kFit);
  BOOST_TEST(sent == kFit + 1);
}

BOOST_AUTO_TEST_CASE(all_writers_that_wait_for_one_buffer_are_woken) {
  unsigned sent = 0;
  const auto writer = [&](Task& task) {
    for (unsigned i = 0; i < kFit; ++i, ++sent) send(task);
  };
  run({{writer, 1},
       {writer, 1},
       {writer, 1},
       {[&](Task& task) {
          for (unsigned i = 0; i < 3 * kFit; ++i) receive(task);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(sent == 3 * kFit);
  BOOST_TEST(coherence.checked() > 1000u);
}

BOOST_AUTO_TEST_CASE(a_writer_that_waits_ends_when_the_reader_does) {
  bool came_back = false;
  run({{[&](Task& task) {
          for (unsigned i = 0; i < kFit + 1; ++i) send(task);
          came_back = true;
        },
        1},
       {[&](Task& task) { kernel->nanosleep(task, 5 * kMs); }, 0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

BOOST_AUTO_TEST_CASE(a_reader_ends_when_the_last_writer_does) {
  bool came_back = false;
  run({{[&](Task& task) { kernel->nanosleep(task, kMs); }, 1},
       {[&](Task& task) { kernel->nanosleep(task, 2 * kMs); }, 1},
       {[&](Task& task) {
          receive(task);
          came_back = true;
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

BOOST_AUTO_TEST_CASE(poll_waits_until_there_is_something_to_read_and_takes_nothing) {
  std::uint64_t written = 0, polled = 0;
  run({{[&](Task& task) {
          kernel->nanosleep(task, kMs);
          written = now(task);
          send(task);
        },
        1},
       {[&](Task& task) {
          poll(task);
          polled = now(task);
          receive(task);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(polled > written);
  BOOST_TEST(calls("do_sys_poll") == 1u);
}

BOOST_AUTO_TEST_CASE(one_byte_in_a_pipe_lets_all_pollers_go) {
  constexpr unsigned kPollers = 2 * kernel::WaitQueue::kWalkBreak + 2;  // the waker lets the lock go twice
  params.layout.max_tasks = 200;
  unsigned gone = 0;
  std::vector<Program> programs(kPollers, {[&](Task& task) {
                                             poll(task);
                                             ++gone;
                                           },
                                           0});
  programs.push_back({[&](Task& task) {
                        kernel->nanosleep(task, 20 * kMs);
                        BOOST_TEST(gone == 0u);
                        send(task, 1);
                        kernel->nanosleep(task, 20 * kMs);
                        BOOST_TEST(gone == kPollers);  // not only when the end of this process closes the pipe
                      },
                      1});
  run(programs, ChannelKind::pipe, 4, 200);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(gone == kPollers);
  BOOST_TEST(coherence.checked() > 1000u);
}

BOOST_AUTO_TEST_CASE(a_poller_for_room_is_not_woken_by_data) {
  unsigned polled = 0, before = 0;
  run({{[&](Task& task) {
          for (unsigned i = 0; i < kFit; ++i) send(task);
          poll(task, kernel::kPollOut);
          ++polled;
        },
        1},
       {[&](Task& task) {
          kernel->nanosleep(task, 5 * kMs);
          send(task);  // the other direction
          kernel->nanosleep(task, kMs);
          before = polled;
          receive(task, 100 * kFit);
        },
        0}});
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(before == 0u);
  BOOST_TEST(polled == 1u);
}

BOOST_AUTO_TEST_CASE(poll_of_several_returns_with_the_first_that_is_ready) {
  build(2);
  std::vector<ChannelUser> silent(1), spoken(2);
  bool done = false;
  silent[0].first = spoken[0].first = &kernel->spawn_process("poller", [&](Task& task) {
    PollSet set;
    set.files[set.count++] = {silent[0].descriptor[0], kernel::kPollIn};
    set.files[set.count++] = {spoken[0].descriptor[0], kernel::kPollIn};
    kernel->poll(task, set);
    done = true;
  });
  spoken[1].first = &kernel->spawn_process("writer", [&](Task& task) {
    kernel->nanosleep(task, kMs);
    kernel->write(task, spoken[1].descriptor[1], 1);
  });
  silent[0].holds = {true, true};
  spoken[0].holds[0] = spoken[1].holds[1] = true;
  kernel->open_channel(silent, "silent", ChannelKind::unix_stream);
  kernel->open_channel(spoken, "spoken", ChannelKind::pipe);
  run_ms(10);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(done);
}

BOOST_AUTO_TEST_CASE(poll_of_tcp_waits_for_data) {
  std::uint64_t written = 0, polled = 0;
  run({{[&](Task& task) {
          poll(task);
          polled = now(task);
          receive(task, 1);
        },
        0},
       {[&](Task& task) {
          kernel->nanosleep(task, kMs);
          written = now(task);
          send(task, 1);
        },
        1}},
      ChannelKind::tcp);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(polled > written);
}

BOOST_AUTO_TEST_CASE(a_poller_that_nobody_wakes_is_a_deadlock_with_its_name) {
  build(2);
  std::vector<ChannelUser> both(1);
  both[0].first = &kernel->spawn_process("main", [&](Task& task) {
    PollSet set;
    set.files[set.count++] = {both[0].descriptor[0], kernel::kPollIn};
    kernel->poll(task, set);
  });
  both[0].holds = {true, true};
  kernel->open_channel(both, "alone", ChannelKind::unix_stream);
  BOOST_TEST(failure(50).find("main waits for poll of socket alone[0]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_process_makes_a_socketpair_and_its_child_has_both_ends) {
  build(2);
  bool got = false;
  kernel->spawn_process("main", [&](Task& task) {
    const auto ends = kernel->make_channel(task, "pair", ChannelKind::unix_stream);
    kernel->fork(task, "child", [&, ends](Task& child) {
      kernel->close(child, ends[0]);
      kernel->nanosleep(child, kMs);
      kernel->write(child, ends[1], 100);
    });
    kernel->close(task, ends[1]);
    kernel->read(task, ends[0], 100);
    got = true;
    kernel->wait_for_child(task);
    kernel->read(task, ends[0], 1);  // nobody can write any more: main ends here
    got = false;
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(got);
}

BOOST_AUTO_TEST_CASE(a_descriptor_that_was_closed_is_given_out_again) {
  build(1);
  std::vector<unsigned> given;
  kernel->spawn_process("main", [&](Task& task) {
    for (int i = 0; i < 100; ++i) {
      const auto ends = kernel->make_channel(task, "pair", ChannelKind::pipe);
      given = {ends[0], ends[1]};
      kernel->close(task, ends[1]);
      kernel->close(task, ends[0]);
    }
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(given == (std::vector<unsigned>{0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

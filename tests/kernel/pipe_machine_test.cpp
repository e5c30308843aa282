// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "kernel/x86_machine.h"

namespace switchyard::test {

namespace {

/// Processes that talk through pipes on a machine.
struct PipeMachineTest : X86MachineTest {
  Ends ends;
  /// `read` and `write` are the user code of two processes that hold the ends of one pipe, named words.
  template <class Read, class Write>
  void start(unsigned count, Read read, Write write) {
    build(count);
    Task& reader = kernel->spawn_process("reader", read);
    Task& writer = kernel->spawn_process("writer", write);
    ends = pipe(reader, writer, "words");
  }
  void send_much(unsigned count) {
    bool read = false, wrote = false;
    start(
        count,
        [&](Task& task) {
          kernel->read(task, ends.read, 100 * 4096);
          read = true;
        },
        [&](Task& task) {
          kernel->write(task, ends.write, 100 * 4096);
          wrote = true;
        });
    run_ms(50);
    BOOST_TEST(read);
    BOOST_TEST(wrote);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pipe_machine, PipeMachineTest)

BOOST_AUTO_TEST_CASE(a_reader_waits_until_all_its_bytes_have_come) {
  std::uint64_t wrote = 0, read = 0;
  start(
      2,
      [&](Task& task) {
        kernel->read(task, ends.read, 12);
        read = task.cpu().now_ps();
      },
      [&](Task& task) {
        for (int i = 0; i < 3; ++i) {
          kernel->nanosleep(task, 100'000'000);
          wrote = task.cpu().now_ps();
          kernel->write(task, ends.write, 4);
        }
      });
  run_ms(5);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(read > wrote);
  BOOST_TEST(wrote >= 300'000'000u);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_while_the_pipe_is_full) {
  std::uint64_t filled = 0, done = 0, began = 0;
  start(
      2,
      [&](Task& task) {
        kernel->nanosleep(task, 1'000'000'000);
        began = task.cpu().now_ps();
        kernel->read(task, ends.read, 17 * 4096);
      },
      [&](Task& task) {
        kernel->write(task, ends.write, 16 * 4096);
        filled = task.cpu().now_ps();
        kernel->write(task, ends.write, 4096);
        done = task.cpu().now_ps();
      });
  run_ms(10);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(filled < began);
  BOOST_TEST(done > began);
}

BOOST_AUTO_TEST_CASE(more_than_a_pipe_holds_goes_through_it_on_one_cpu) { send_much(1); }
BOOST_AUTO_TEST_CASE(more_than_a_pipe_holds_goes_through_it_on_two_cpus) { send_much(2); }

BOOST_AUTO_TEST_CASE(a_reader_ends_when_the_last_writer_has) {
  bool came_back = false;
  start(
      2,
      [&](Task& task) {
        kernel->read(task, ends.read, 8);
        came_back = true;
      },
      [&](Task& task) { kernel->write(task, ends.write, 4); });
  run_ms(5);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

BOOST_AUTO_TEST_CASE(a_writer_ends_when_the_last_reader_has) {
  std::uint64_t writes = 0;
  start(
      2, [&](Task& task) { kernel->read(task, ends.read, 4); },
      [&](Task& task) {
        for (;;) {
          kernel->write(task, ends.write, 4096);
          ++writes;
        }
      });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(writes >= 1u);
}

BOOST_AUTO_TEST_CASE(an_end_stays_open_while_a_thread_of_its_process_lives) {
  bool got = false;
  start(
      2,
      [&](Task& task) {
        kernel->read(task, ends.read, 4);
        got = true;
      },
      [&](Task& task) {
        kernel->spawn_thread(task, "late", -1, [&](Task& me) {
          kernel->nanosleep(me, 1'000'000'000);
          kernel->write(me, ends.write, 4);
        });
      });
  run_ms(10);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(got);
}

BOOST_AUTO_TEST_CASE(a_thread_that_is_cancelled_before_it_runs_closes_its_files) {
  bool came_back = false;
  start(
      1,
      [&](Task& task) {
        kernel->read(task, ends.read, 4);
        came_back = true;
      },
      [&](Task& task) {
        Task& thread = kernel->spawn_thread(task, "never", -1, [&](Task& me) { kernel->write(me, ends.write, 4); });
        kernel->cancel(task, thread);
      });
  run_ms(10);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(!came_back);
}

// Both sides at every distance: with one byte at a time each write can meet a reader on its way to sleep.
BOOST_AUTO_TEST_CASE(no_wake_up_is_lost) {
  std::uint64_t got = 0;
  start(
      2,
      [&](Task& task) {
        for (std::uint64_t i = 0; i < 400; ++i, ++got) {
          kernel->read(task, ends.read, 1);
          kernel->compute(task, 20 + i * 37 % 1500);
        }
      },
      [&](Task& task) {
        for (std::uint64_t i = 0; i < 400; ++i) {
          kernel->write(task, ends.write, 1);
          kernel->compute(task, 20 + i * 53 % 1700);
        }
      });
  run_ms(50);
  BOOST_TEST(got == 400u);
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_CASE(a_deadlock_names_the_pipes) {
  build(2);
  Ends there, back;
  Task& a = kernel->spawn_process("a", [&](Task& task) { kernel->read(task, back.read, 4); });
  Task& b = kernel->spawn_process("b", [&](Task& task) { kernel->read(task, there.read, 4); });
  there = pipe(b, a, "there");
  back = pipe(a, b, "back");
  const std::string text = failure(20);
  BOOST_TEST(text.find("a waits for pipe back, b waits for pipe there") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_a_process_may_not_have_is_refused) {
  build(2);
  BOOST_CHECK_EXCEPTION(kernel->spawn_process("main", [](Task&) {}, {}, {0, 2}), base::ConfigError,
                        [](const base::ConfigError& error) {
                          return std::string(error.what()) == "main: cannot be pinned to CPU 2: the machine has 2";
                        });
}

BOOST_AUTO_TEST_CASE(a_machine_without_local_interrupt_controllers_is_refused) {
  build_machine(1);
  const auto refused = [&] {
    BOOST_CHECK_EXCEPTION(kernel::x86::LinuxX86(context, params), base::ConfigError, [](const base::ConfigError& e) {
      return std::string(e.what()) ==
             "kernel.type: linux-x86 needs interrupts between CPUs and timers, the machine has none; add a module of "
             "type x2apic";
    });
  };
  context.timer = nullptr;
  refused();
  context.timer = &timer;
  context.ipi_sender = nullptr;
  refused();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

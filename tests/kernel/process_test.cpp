// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/errors.h"
#include "kernel/memory_machine.h"

/// fork, exit, wait and exec on x86 and arm64.
namespace switchyard::test {

using base::Address;
using cpu::Access;
using kernel::MapKind;
using kernel::Task;

namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

BOOST_AUTO_TEST_SUITE(processes)

BOOST_AUTO_TEST_CASE(parent_and_child_have_the_same_memory_until_one_of_them_writes) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = m.kernel->mmap(task, 2 * kPage, MapKind::private_anonymous);
      task.cpu().store(p, 1, 1);
      task.cpu().store(p + kPage, 2, 1);
      m.kernel->fork(task, "child", [&m, p](Task& me) {
        BOOST_TEST(m.byte(me, p) == 1u);
        me.cpu().store(p, 11, 1);
        m.kernel->nanosleep(me, 1'000'000'000);
        BOOST_TEST(m.byte(me, p) == 11u);
        BOOST_TEST(m.byte(me, p + kPage) == 2u);  // the parent has written meanwhile
      });
      m.kernel->nanosleep(task, 500'000'000);
      BOOST_TEST(m.byte(task, p) == 1u);
      task.cpu().store(p + kPage, 22, 1);
      BOOST_TEST(m.kernel->wait_for_child(task));
      BOOST_TEST(m.byte(task, p) == 1u);
      BOOST_TEST(m.byte(task, p + kPage) == 22u);
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(m.count("cow_faults") == 2u);
  });
}

BOOST_AUTO_TEST_CASE(a_page_that_nobody_else_maps_any_more_is_written_without_a_copy) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = m.kernel->mmap(task, kPage, MapKind::private_anonymous);
      task.cpu().store(p, 1, 1);
      m.kernel->fork(task, "child", [](Task&) {});
      m.kernel->wait_for_child(task);
      const std::uint64_t faults = m.count("page_faults");
      task.cpu().store(p, 2, 1);
      BOOST_TEST(m.count("page_faults") == faults + 1);
      task.cpu().store(p, 3, 1);
      BOOST_TEST(m.count("page_faults") == faults + 1);
      BOOST_TEST(m.byte(task, p) == 3u);
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(m.count("cow_faults") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(static_data_are_looked_up_where_each_process_has_them) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    m.kernel->spawn_process("main",
                            [&](Task& task) {
                              const Address n = m.kernel->data(task, "n");
                              task.cpu().store(n, 5, 8);
                              m.kernel->fork(task, "child", [&m, n](Task& me) {
                                me.cpu().store(n, 6, 8);
                                BOOST_TEST(m.kernel->peek(me, n, 8) == 6u);
                              });
                              m.kernel->wait_for_child(task);
                              BOOST_TEST(m.kernel->peek(task, n, 8) == 5u);
                              task.cpu().store(n, 7, 8);
                              BOOST_TEST(m.kernel->peek(task, n, 8) == 7u);
                            },
                            {{.name = "n", .size = 8}});
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(wait_returns_when_a_child_has_ended_and_says_when_there_is_none) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    std::uint64_t ended = 0, seen = 0;
    m.kernel->spawn_process("main", [&](Task& task) {
      BOOST_TEST(!m.kernel->wait_for_child(task));
      m.kernel->fork(task, "child", [&](Task& me) {
        m.kernel->nanosleep(me, 1'000'000'000);
        ended = me.cpu().now_ps();
      });
      BOOST_TEST(m.kernel->wait_for_child(task));
      seen = task.cpu().now_ps();
      BOOST_TEST(!m.kernel->wait_for_child(task));
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(ended >= 1'000'000'000u);
    BOOST_TEST(seen > ended);
  });
}

BOOST_AUTO_TEST_CASE(children_start_on_the_cpus_with_the_fewest_tasks) {
  on_both([](MemoryMachine& m) {
    m.build(4);
    std::set<unsigned> used;
    m.kernel->spawn_process("main", [&](Task& task) {
      for (int i = 0; i < 3; ++i)
        m.kernel->fork(task, "child", [&](Task& me) {
          used.insert(me.cpu().id());
          m.kernel->compute(me, 1'000'000);
        });
      while (m.kernel->wait_for_child(task)) {
      }
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(used.size() == 3u);
    BOOST_TEST(used.count(0) == 0u);  // the parent's
  });
}

BOOST_AUTO_TEST_CASE(memory_of_processes_that_are_gone_is_used_again) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    std::uint64_t before = 0, after = 0;
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = m.kernel->mmap(task, 8 * kPage, MapKind::private_anonymous);
      m.kernel->touch(task, p, 8 * kPage, kPage, Access::store);
      const auto once = [&] {
        m.kernel->fork(task, "child", [&m, p](Task& me) { m.kernel->touch(me, p, 8 * kPage, kPage, Access::store); });
        m.kernel->wait_for_child(task);
      };
      for (int i = 0; i < 50; ++i) once();
      before = m.pages_in_use();
      for (int i = 0; i < 150; ++i) once();  // far more than layout.max_tasks
      after = m.pages_in_use();
    });
    BOOST_TEST(m.outcome(1000) == "ended");
    BOOST_TEST(m.count("forks") == 200u);
    BOOST_TEST(m.count("reaped") == 200u);
    // Fifteen pages of each CPU may be on their way to an LRU list.
    BOOST_TEST(after <= before + 2 * 15);
    BOOST_TEST(m.kernel->tasks().size() <= 2u + 1u + 2u);  // idle tasks, main, and a child that had not left its CPU
  });
}

BOOST_AUTO_TEST_CASE(more_tasks_at_one_time_than_there_are_stacks_for_are_refused) {
  X86Memory m;
  m.params.layout.max_tasks = 3;
  m.build(1);
  m.kernel->spawn_process("main", [&](Task& task) {
    for (;;) m.kernel->fork(task, "child", [&](Task& me) { m.kernel->nanosleep(me, 1'000'000'000'000); });
  });
  BOOST_TEST(m.outcome().find("layout.max_tasks") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(children_of_a_process_that_has_ended_end_without_being_waited_for) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    m.kernel->spawn_process("main", [&](Task& task) {
      m.kernel->fork(task, "middle", [&](Task& me) {
        m.kernel->fork(me, "quick", [](Task&) {});
        m.kernel->fork(me, "slow", [&](Task& last) { m.kernel->nanosleep(last, 2'000'000'000); });
        m.kernel->nanosleep(me, 1'000'000'000);
      });
      m.kernel->wait_for_child(task);
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(m.count("exits") == 3u);
    BOOST_TEST(m.count("reaped") == 3u);
  });
}

BOOST_AUTO_TEST_CASE(a_child_may_have_threads_and_ends_with_the_last_of_them) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    std::uint64_t ended = 0, seen = 0;
    m.kernel->spawn_process("main", [&](Task& task) {
      for (int i = 0; i < 3; ++i) {
        m.kernel->fork(task, "child", [&](Task& me) {
          m.kernel->spawn_thread(me, "thread", -1, [&](Task& thread) {
            m.kernel->nanosleep(thread, 1'000'000'000);
            ended = thread.cpu().now_ps();
          });
        });
        BOOST_TEST(m.kernel->wait_for_child(task));
        seen = task.cpu().now_ps();
        BOOST_TEST(seen > ended);
      }
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(m.count("reaped") == 3u);
  });
}

BOOST_AUTO_TEST_CASE(exec_drops_the_memory_and_starts_with_the_code_of_another_program) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    std::uint64_t faults = 0;
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = m.kernel->mmap(task, kPage, MapKind::private_anonymous);
      task.cpu().store(p, 1, 1);
      m.kernel->fork(task, "child", [&m, p, &faults](Task& me) {
        const kernel::AddressSpace* const before = me.mm;
        m.kernel->exec(me, "other");
        BOOST_TEST(me.mm != before);
        BOOST_TEST(me.mm->name == "other");
        BOOST_TEST(me.mm->areas.size() == 1u);
        BOOST_TEST(m.kernel->mmap(me, kPage, MapKind::private_anonymous) == p);
        BOOST_TEST(m.byte(me, p) == 0u);
        faults = m.count("page_faults");
      });
      m.kernel->wait_for_child(task);
      BOOST_TEST(m.byte(task, p) == 1u);
    });
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(m.count("execs") == 1u);
  });
}

BOOST_AUTO_TEST_CASE(descriptors_are_shared_by_children_and_closed_by_their_end) {
  on_both([](MemoryMachine& m) {
    m.build(2);
    std::vector<kernel::ChannelUser> users(1);
    std::uint64_t got = 0;
    Task& main = m.kernel->spawn_process("main", [&](Task& task) {
      m.kernel->fork(task, "child", [&](Task& me) { m.kernel->write(me, users[0].descriptor[1], 8); });
      m.kernel->read(task, users[0].descriptor[0], 8);
      got = 8;
      m.kernel->wait_for_child(task);
    });
    users[0] = {.first = &main, .holds = {true, true}};
    m.kernel->open_channel(users, "pipe", kernel::ChannelKind::pipe);
    BOOST_TEST(m.outcome() == "ended");
    BOOST_TEST(got == 8u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

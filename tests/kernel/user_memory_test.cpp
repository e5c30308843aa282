// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "kernel/memory_machine.h"

/// Private memory on x86 and arm64: demand faults, and how it is given back.
namespace switchyard::test {

using base::Address;
using cpu::Access;
using kernel::MapKind;
using kernel::Task;

namespace {

constexpr std::uint64_t kPage = 4096;

Address map(MemoryMachine& m, Task& task, std::uint64_t pages) {
  return m.kernel->mmap(task, pages * kPage, MapKind::private_anonymous);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(user_memory)

BOOST_AUTO_TEST_CASE(a_page_comes_at_its_first_access_and_is_full_of_zeros) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = map(m, task, 2);
      BOOST_TEST(m.count("page_faults") == 0u);
      task.cpu().store(p, 0x55, 1);
      BOOST_TEST(m.count("page_faults") == 1u);
      BOOST_TEST(m.byte(task, p) == 0x55u);
      BOOST_TEST(task.cpu().load(p + 8) == 0u);
      BOOST_TEST(m.count("page_faults") == 1u);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(reads_share_the_zero_page_until_a_write_copies_it) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = map(m, task, 3);
      map(m, task, 1);
      m.kernel->touch(task, p, kPage, kPage, Access::load);  // the tables are there now
      const std::uint64_t before = m.pages_in_use();
      m.kernel->touch(task, p, 3 * kPage, kPage, Access::load);
      BOOST_TEST(m.pages_in_use() == before);
      BOOST_TEST(m.count("zero_page_faults") == 3u);
      task.cpu().store(p, 7, 1);
      BOOST_TEST(m.pages_in_use() == before + 1);
      BOOST_TEST(m.byte(task, p) == 7u);
      BOOST_TEST(m.byte(task, p + kPage) == 0u);
      BOOST_TEST(m.count("cow_faults") == 1u);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(munmap_gives_pages_and_page_tables_back) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      const auto once = [&](std::uint64_t pages) {
        const Address p = map(m, task, pages);
        m.kernel->touch(task, p, pages * kPage, kPage, Access::store);
        m.kernel->munmap(task, p, pages * kPage);
        return p;
      };
      const Address first = once(15);
      const std::uint64_t before = m.pages_in_use();
      BOOST_TEST(once(600) == first);  // more than one table, and more than a batch of pages
      BOOST_TEST(m.pages_in_use() == before);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(memory_is_zeros_again_after_madvise_and_after_another_mmap) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      Address p = map(m, task, 1);
      task.cpu().store(p + 64, 9, 1);
      m.kernel->madvise_dontneed(task, p, kPage);
      BOOST_TEST(m.byte(task, p + 64) == 0u);
      task.cpu().store(p + 64, 9, 1);
      m.kernel->munmap(task, p, kPage);
      p = map(m, task, 1);
      task.cpu().store(p, 1, 1);
      BOOST_TEST(m.byte(task, p + 64) == 0u);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(a_hole_divides_an_area_and_its_ends_keep_their_contents) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = map(m, task, 5);
      for (std::uint64_t i = 0; i < 5; ++i) task.cpu().store(p + i * kPage, 10 + i, 1);
      m.kernel->munmap(task, p + kPage, 2 * kPage);
      BOOST_TEST(m.byte(task, p) == 10u);
      BOOST_TEST(m.byte(task, p + 3 * kPage) == 13u);
      BOOST_TEST(map(m, task, 2) == p + kPage);  // the hole is the lowest room for two pages
      BOOST_TEST(m.byte(task, p + kPage) == 0u);
      m.kernel->madvise_dontneed(task, p + 3 * kPage, kPage);
      BOOST_TEST(m.byte(task, p + 3 * kPage) == 0u);
      BOOST_TEST(m.byte(task, p + 4 * kPage) == 14u);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(an_access_to_what_was_unmapped_is_an_error_of_the_program) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      const Address p = map(m, task, 1);
      task.cpu().store(p, 1, 1);
      m.kernel->munmap(task, p, kPage);
      task.cpu().load(p, 1);
    });
    BOOST_TEST(m.outcome().find("main: access to 0x2000000000, where nothing is mapped") != std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(what_is_no_page_or_shared_is_refused) {
  on_both([](MemoryMachine& m) {
    m.build(1);
    m.kernel->spawn_process("main", [&](Task& task) {
      BOOST_CHECK_THROW(m.kernel->mmap(task, kPage, MapKind::shared_anonymous), base::ConfigError);
      BOOST_CHECK_THROW(m.kernel->munmap(task, 5, kPage), base::ConfigError);
      BOOST_CHECK_THROW(m.kernel->madvise_dontneed(task, 5, kPage), base::ConfigError);
    });
    BOOST_TEST(m.outcome() == "ended");
  });
}

BOOST_AUTO_TEST_CASE(threads_that_map_touch_and_unmap_at_once_leave_nothing_behind) {
  on_both([](MemoryMachine& m) {
    m.build(4);
    std::uint64_t before = 0;
    m.kernel->spawn_process("main", [&](Task& task) {
      const auto rounds = [&m](Task& me) {
        for (int i = 0; i < 20; ++i) {
          const Address p = map(m, me, 8);
          m.kernel->touch(me, p, 8 * kPage, kPage, Access::store);
          m.kernel->madvise_dontneed(me, p, 4 * kPage);
          m.kernel->touch(me, p, 8 * kPage, kPage, Access::store);
          m.kernel->munmap(me, p, 8 * kPage);
        }
      };
      rounds(task);
      before = m.pages_in_use();
      std::array<Task*, 3> threads{};
      for (int i = 0; i < 3; ++i)
        threads[static_cast<std::size_t>(i)] = &m.kernel->spawn_thread(task, "t", i + 1, rounds);
      for (Task* thread : threads) m.kernel->join(task, *thread);
    });
    BOOST_TEST(m.outcome() == "ended");
    // Pages that a CPU has not yet put on an LRU list stay with it, fifteen at most; slabs grow with the threads.
    BOOST_TEST(m.pages_in_use() <= before + 3 * 15 + 16);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

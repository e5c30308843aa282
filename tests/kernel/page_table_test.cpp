// SPDX-License-Identifier: Apache-2.0
// Page tables that are added while the kernel runs.
#include <algorithm>
#include <utility>

#include "kernel/kernel_bench.h"
#include "kernel/sv39.h"

namespace switchyard::test {

using cpu::AtomicOp;

namespace {

constexpr Address kVa = 0x2000005000;

struct PageTableTest : KernelBench {
  kernel::AddressSpace* mm = nullptr;
  PageTableTest() {
    build(2);
    mm = &make_mm("mm");
    clear();
  }
  std::uint64_t used() const { return layout->pages().pages_in_use(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(page_table, PageTableTest)

// Two levels are missing below the root.
BOOST_AUTO_TEST_CASE(missing_tables_are_added_under_the_lock_of_the_address_space) {
  const std::uint64_t before = used();
  const Address entry = tables->make_entry(cpu(), locks, *mm, kVa);
  BOOST_TEST(entry == tables->find_entry(cpu(), *mm, kVa));
  BOOST_TEST(used() == before + 2);
  const auto& trace = cpu().trace().entries();
  const auto takes = std::count(trace.begin(), trace.end(), atomic(AtomicOp::add, mm->fields.page_table_lock()));
  BOOST_TEST(takes == 2);
}

BOOST_AUTO_TEST_CASE(tables_that_are_there_need_no_lock) {
  tables->make_entry(cpu(), locks, *mm, kVa);
  clear();
  tables->make_entry(cpu(), locks, *mm, kVa + 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::atomic).size() == 0u);
}

// CPU 1 comes for the same entry while CPU 0 is about to take the lock.
BOOST_AUTO_TEST_CASE(of_two_cpus_that_miss_the_same_table_the_second_takes_that_of_the_first) {
  const std::uint64_t before = used();
  Address first = 0;
  bool has_come = false;
  cpu(0).on_access(mm->fields.page_table_lock(), [&](FakeCpu&) {
    if (std::exchange(has_come, true)) return;
    const std::uint64_t word = memory.peek(mm->fields.page_table_lock(), 4);
    memory.poke(mm->fields.page_table_lock(), 0, 4);  // CPU 1 was before
    first = tables->make_entry(cpu(1), locks, *mm, kVa);
    memory.poke(mm->fields.page_table_lock(), word, 4);
  });
  const Address second = tables->make_entry(cpu(0), locks, *mm, kVa);
  BOOST_TEST(has_come);
  BOOST_TEST(first == second);
  BOOST_TEST(used() == before + 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

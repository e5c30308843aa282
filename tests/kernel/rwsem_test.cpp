// SPDX-License-Identifier: Apache-2.0
#include "kernel/rwsem.h"

#include <boost/test/unit_test.hpp>

#include "support/fake_cpu.h"

namespace switchyard::test {

using kernel::Rwsem;

namespace {

constexpr base::Address kCount = 0x1000;

struct RwsemTest {
  FakeMemory memory;
  FakeCpu cpu{memory, 0}, other{memory, 1};
  kernel::NativeAtomics atomics;
  Rwsem sem{atomics, kCount};
  std::uint64_t word() { return memory.peek(kCount, 8); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rwsem, RwsemTest)

BOOST_AUTO_TEST_CASE(a_free_semaphore_is_one_atomic_operation_each_way) {
  using cpu::AtomicOp;
  sem.down_read(cpu);
  BOOST_TEST(word() == 256u);
  sem.up_read(cpu);
  sem.down_write(cpu);
  BOOST_TEST(word() == Rwsem::kWriter);
  sem.up_write(cpu);
  BOOST_TEST(word() == 0u);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::add, kCount), atomic(AtomicOp::add, kCount),
                                   atomic(AtomicOp::compare_swap, kCount), atomic(AtomicOp::bit_and, kCount)}));
}

BOOST_AUTO_TEST_CASE(readers_wait_for_the_writer) {
  sem.down_write(other);
  cpu.on_spin([&](FakeCpu&) { sem.up_write(other); });
  sem.down_read(cpu);
  BOOST_TEST(word() == 256u);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_all_readers) {
  sem.down_read(other);
  sem.down_read(other);
  cpu.on_spin([&](FakeCpu&) { sem.up_read(other); });
  sem.down_write(cpu);
  BOOST_TEST(word() == Rwsem::kWriter);
}

BOOST_AUTO_TEST_CASE(a_reader_that_comes_while_a_writer_waits_goes_behind_it) {
  sem.down_read(other);
  bool tried = false;
  cpu.on_spin([&](FakeCpu&) {
    if (std::exchange(tried, true)) return;
    FakeCpu third(memory, 2);
    third.on_spin([&](FakeCpu&) {
      BOOST_TEST(word() == (256u | Rwsem::kWaiting));
      sem.up_read(other);
      throw 1;
    });
    BOOST_CHECK_THROW(sem.down_read(third), int);
  });
  sem.down_write(cpu);
  BOOST_TEST(word() == Rwsem::kWriter);
}

BOOST_AUTO_TEST_CASE(a_writer_that_becomes_a_reader_lets_readers_in) {
  sem.down_write(cpu);
  sem.downgrade_write(cpu);
  sem.down_read(other);
  BOOST_TEST(word() == 2 * 256u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/parisc/tlb_purge.h"

#include "kernel/arch/parisc/ldcw_locks.h"
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::FlushMutation;
using kernel::parisc::TlbPurge;
using kernel::parisc::TlbPurgeParams;
using Kind = TraceEntry::Kind;

namespace {

constexpr Address kVa = 0x2000005000;

/// The purges of linux-parisc on recording CPUs.
struct PurgeTest : KernelBench {
  kernel::parisc::LdcwLocks ldcw;
  kernel::PariscCosts costs;
  TlbPurgeParams tlb;
  std::unique_ptr<kernel::KernelServices> parisc;
  std::unique_ptr<kernel::parisc::SpaceIds> ids;
  std::unique_ptr<TlbPurge> purge;
  kernel::AddressSpace* mm = nullptr;
  std::uint16_t space = 0;

  void make(unsigned count, FlushMutation mutation = FlushMutation::none) {
    build(count);
    parisc = std::make_unique<kernel::KernelServices>(
        kernel::KernelServices{*layout, functions, costs, ldcw, atomics, stats});
    ids = std::make_unique<kernel::parisc::SpaceIds>(*parisc, &observer);
    purge = std::make_unique<TlbPurge>(tlb, *parisc, *linear, *tables, *smp, *ids, costs, mutation);
    for (const Address lock : {purge->pa_tlb_lock(), purge->sid_lock()}) memory.poke(lock, 1, 4);
    mm = &make_mm("mm");
    memory.poke(mm->fields.page_table_lock(), 1, 4);
    space = ids->space_of(*mm);
    clear();
  }
  std::uint64_t counted(const std::string& name) const {
    for (const auto* counter : stats.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  TraceEntry id_load() const { return load(mm->fields.context_id()); }
  TraceEntry take(Address lock) const { return atomic(AtomicOp::swap, lock); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tlb_purge, PurgeTest)

BOOST_AUTO_TEST_CASE(a_page_is_one_broadcast_under_the_lock) {
  make(2);
  purge->flush_tlb_page(cpu(), *mm, kVa);
  const Address lock = purge->pa_tlb_lock();
  BOOST_TEST(trace() == (Trace{id_load(), take(lock), broadcast_flush_page(kVa, space), store(lock, 1)}));
  BOOST_TEST(trace(1).size() == 0u);
  BOOST_TEST(sbi.ipis.empty());
}

BOOST_AUTO_TEST_CASE(with_split_tlbs_both_are_purged_under_one_hold_of_the_lock) {
  tlb.split_tlb = true;
  make(1);
  purge->flush_tlb_page(cpu(), *mm, kVa);
  const Address lock = purge->pa_tlb_lock();
  BOOST_TEST(trace() == (Trace{id_load(), take(lock), broadcast_flush_page(kVa, space),
                               broadcast_flush_page(kVa, space), store(lock, 1)}));
}

BOOST_AUTO_TEST_CASE(interrupts_are_off_while_the_lock_is_held_and_as_before_afterwards) {
  make(1);
  bool open = false;
  cpu().on_access(purge->pa_tlb_lock(), [&](FakeCpu& me) { open |= me.interrupts_enabled(); });
  purge->flush_tlb_page(cpu(), *mm, kVa);
  BOOST_TEST(!open);
  BOOST_TEST(cpu().interrupts_enabled());
  cpu().set_interrupts(false);
  purge->flush_tlb_page(cpu(), *mm, kVa);
  BOOST_TEST(!cpu().interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(a_range_takes_the_lock_for_each_page) {
  make(1);
  purge->flush_tlb_range(cpu(), *mm, kVa, kVa + 3 * 4096);
  const Address lock = purge->pa_tlb_lock();
  Trace expected{id_load()};
  for (Address va = kVa; va < kVa + 3 * 4096; va += 4096)
    for (const TraceEntry& entry : {take(lock), broadcast_flush_page(va, space), store(lock, 1)})
      expected.push_back(entry);
  BOOST_TEST(trace() == expected);
  BOOST_TEST(counted("tlb_purges") == 3u);
  BOOST_TEST(counted("tlb_flush_all") == 0u);
}

BOOST_AUTO_TEST_CASE(an_empty_range_purges_nothing) {
  make(1);
  purge->flush_tlb_range(cpu(), *mm, kVa, kVa);
  BOOST_TEST(trace() == Trace{id_load()});
}

BOOST_AUTO_TEST_CASE(a_range_of_the_threshold_flushes_everything_and_one_below_does_not) {
  tlb.flush_threshold = {2 * 4096};
  make(1);
  purge->flush_tlb_range(cpu(), *mm, kVa, kVa + 2 * 4096);
  const Address lock = purge->sid_lock();
  BOOST_TEST(trace() == (Trace{id_load(), take(lock), load(purge->dirty_space_ids()), store(lock, 1), flush_all()}));
  clear();
  purge->flush_tlb_range(cpu(), *mm, kVa, kVa + 4096);
  BOOST_TEST(cpu().trace(Kind::broadcast_flush).size() == 1u);
  BOOST_TEST(counted("tlb_flush_all") == 1u);
}

BOOST_AUTO_TEST_CASE(an_address_space_is_flushed_by_an_interrupt_on_every_cpu) {
  make(2);
  cpu(0).on_spin([this](FakeCpu&) { smp->handle(cpu(1)); });
  purge->flush_tlb_mm(cpu(0), *mm);
  BOOST_TEST(cpu(0).trace(Kind::flush) == Trace{flush_all()});
  BOOST_TEST(cpu(1).trace(Kind::flush) == Trace{flush_all()});
  BOOST_TEST(cpu(0).trace(Kind::broadcast_flush).size() == 0u);
  BOOST_TEST_REQUIRE(sbi.ipis.size() == 1u);
  BOOST_TEST((sbi.ipis.front() == mask({1})));
}

BOOST_AUTO_TEST_CASE(the_miss_handler_reads_the_entry_under_the_lock) {
  make(1);
  const Address entry = tables->make_entry(cpu(), ldcw, *mm, kVa);
  memory.poke(entry, kernel::make_pte(0x80300000, kernel::kUserData));
  clear();
  tables->find_entry(cpu(), *mm, kVa);
  Trace expected = trace();
  clear();
  purge->tlb_miss(cpu(), *mm, kVa);
  const Address lock = purge->pa_tlb_lock();
  for (const TraceEntry& step : {take(lock), load(entry), store(lock, 1)}) expected.push_back(step);
  BOOST_TEST(trace() == expected);
}

BOOST_AUTO_TEST_CASE(the_miss_handler_makes_an_old_entry_young) {
  make(1);
  const Address entry = tables->make_entry(cpu(), ldcw, *mm, kVa);
  const std::uint64_t young = kernel::make_pte(0x80300000, kernel::kUserData);
  memory.poke(entry, young & ~std::uint64_t{kernel::kPteAccessed});
  purge->tlb_miss(cpu(), *mm, kVa);
  BOOST_TEST(memory.peek(entry) == young);
}

BOOST_AUTO_TEST_CASE(the_miss_handler_tries_again_with_ldcw_while_the_lock_is_taken) {
  make(1);
  tables->make_entry(cpu(), ldcw, *mm, kVa);
  const Address lock = purge->pa_tlb_lock();
  memory.poke(lock, 0, 4);
  unsigned tries = 0;
  cpu().on_access(lock, [&](FakeCpu&) {
    if (++tries == 3) memory.poke(lock, 1, 4);
  });
  clear();
  purge->tlb_miss(cpu(), *mm, kVa);
  BOOST_TEST(cpu().trace(Kind::atomic) == (Trace{take(lock), take(lock), take(lock), take(lock)}));
}

BOOST_AUTO_TEST_CASE(without_the_lock_the_miss_handler_only_reads_the_entry) {
  tlb.lock = kernel::parisc::MissLock::none;
  make(1);
  tables->make_entry(cpu(), ldcw, *mm, kVa);
  clear();
  purge->tlb_miss(cpu(), *mm, kVa);
  BOOST_TEST(cpu().trace(Kind::atomic).size() == 0u);
  BOOST_TEST(cpu().trace(Kind::store).size() == 0u);
}

BOOST_AUTO_TEST_CASE(where_no_table_is_the_miss_handler_leaves_it_to_the_page_fault) {
  make(1);
  purge->tlb_miss(cpu(), *mm, kVa);
  BOOST_TEST(cpu().trace(Kind::atomic).size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_purge_without_its_broadcast_is_of_the_own_tlb) {
  make(2, FlushMutation::broadcast);
  purge->flush_tlb_page(cpu(), *mm, kVa);
  BOOST_TEST(cpu().trace(Kind::flush) == Trace{flush_page(kVa, space)});
  BOOST_TEST(cpu().trace(Kind::broadcast_flush).size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

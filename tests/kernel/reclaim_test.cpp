// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/errors.h"
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using cpu::Access;
using cpu::AtomicOp;
using kernel::AddressSpace;
using kernel::Folio;
using kernel::SwapKind;
using kernel::Vma;

namespace {

constexpr Address kVa = 0x2000000000;

/// One mm on two CPUs with a shared mapping whose pages were all written once.
struct ReclaimBench : KernelBench {
  AddressSpace* mm = nullptr;
  Vma* vma = nullptr;

  void start(std::uint64_t pages, std::initializer_list<unsigned> users, Address va = kVa) {
    build(2);
    mm = &make_mm("mm");
    vma = &map_shared(*mm, va, pages);
    set_mask(*mm, users);
    touch(*mm, *vma, Access::store);
    clear();
  }
  void pageout() {
    clear();
    reclaim->madvise_pageout(cpu(), thread, *vma, vma->start, vma->end);
  }
  void read_all() { touch(*mm, *vma, Access::load); }
  Address entry(unsigned page) { return tables->find_entry(cpu(), *mm, vma->start + page * 4096); }
  std::uint64_t pte(unsigned page) { return memory.peek(entry(page)); }
  /// Positions in CPU 0's trace of the accesses to `address`.
  std::vector<std::size_t> accesses(Address address) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < trace().size(); ++i)
      if (trace()[i].address == address && trace()[i].kind != TraceEntry::Kind::flush) result.push_back(i);
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reclaim, ReclaimBench)

BOOST_AUTO_TEST_CASE(a_write_fault_maps_a_dirty_page) {
  start(2, {0});
  for (const unsigned page : {0u, 1u}) {
    BOOST_TEST((pte(page) & kernel::kPteDirty) != 0u);
    BOOST_TEST((pte(page) & kernel::kPteAccessed) != 0u);
    BOOST_TEST((pte(page) & kernel::kPteUser) != 0u);
  }
  BOOST_TEST(stats.page_faults.value() == 2u);
}

BOOST_AUTO_TEST_CASE(unbatched_each_page_is_flushed_before_the_next_is_unmapped) {
  params.reclaim.clear_accessed = false;
  start(3, {0, 1});
  pageout();
  BOOST_TEST(sbi.fences.size() == 3u);
  BOOST_TEST(stats.remote_flush_page.value() == 3u);
  BOOST_TEST(observer.calls == (std::vector<std::string>{"unmapped 33554432 ptep_clear_flush", "relied on",
                                                         "unmapped 33554433 ptep_clear_flush", "relied on",
                                                         "unmapped 33554434 ptep_clear_flush", "relied on"}));
  for (const unsigned page : {0u, 1u, 2u}) BOOST_TEST(pte(page) == 0u);
}

BOOST_AUTO_TEST_CASE(batched_dirty_pages_are_flushed_one_by_one_before_their_io) {
  params.unmap.batched = true;
  params.reclaim.clear_accessed = false;
  start(3, {0, 1});
  pageout();
  BOOST_TEST(stats.remote_flush_batch.value() == 3u);
  BOOST_TEST(sbi.fences.size() == 3u);
}

BOOST_AUTO_TEST_CASE(batched_clean_pages_are_flushed_once_at_the_end_and_once_before_the_next_walk) {
  params.unmap.batched = true;
  params.reclaim.clear_accessed = false;
  start(3, {0, 1});
  pageout();
  read_all();
  pageout();
  BOOST_TEST(stats.remote_flush_mm.value() == 1u);
  BOOST_TEST(sbi.fences.size() == 2u);
  BOOST_TEST(observer.calls == (std::vector<std::string>{"relied on", "unmapped 33554432 try_to_unmap_flush",
                                                         "unmapped 33554433 try_to_unmap_flush",
                                                         "unmapped 33554434 try_to_unmap_flush", "relied on"}));
}

BOOST_AUTO_TEST_CASE(old_entries_are_flushed_as_a_range_at_the_end) {
  params.unmap.batched = true;
  start(3, {0, 1});
  pageout();
  BOOST_TEST(stats.remote_flush_range.value() == 1u);
  BOOST_TEST(sbi.fences.back().range.start == kVa);
  BOOST_TEST(sbi.fences.back().range.size == 3 * 4096u);
}

BOOST_AUTO_TEST_CASE(alone_no_flush_leaves_the_cpu) {
  for (const bool batched : {false, true}) {
    ReclaimBench bench;
    bench.params.unmap.batched = batched;
    bench.start(3, {0});
    bench.pageout();
    bench.read_all();
    bench.pageout();
    BOOST_TEST(bench.sbi.fences.empty());
    BOOST_TEST(bench.stats.local_only_flushes.value() > 0u);
  }
}

BOOST_AUTO_TEST_CASE(without_swap_pages_stay_and_one_read_fault_maps_the_window) {
  start(32, {0, 1});
  const std::uint64_t in_use = layout->pages().pages_in_use();
  pageout();
  BOOST_TEST(layout->pages().pages_in_use() == in_use);
  BOOST_TEST(stats.pages_reclaimed.value() == 0u);
  const std::uint64_t before = stats.page_faults.value();
  read_all();
  BOOST_TEST(stats.page_faults.value() - before == 2u);
  for (unsigned page = 0; page < 32; ++page) {
    BOOST_TEST((pte(page) & kernel::kPteValid) != 0u);
    BOOST_TEST((pte(page) & kernel::kPteDirty) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(the_fault_around_window_is_aligned_and_ends_with_the_mapping) {
  start(20, {0}, kVa + 8 * 4096);
  pageout();
  const std::uint64_t before = stats.page_faults.value();
  fault->do_page_fault(cpu(), thread, *mm, vma->start + 8 * 4096, Access::load);
  for (unsigned page = 0; page < 20; ++page) BOOST_TEST((pte(page) != 0) == (page >= 8 && page < 20));
  fault->do_page_fault(cpu(), thread, *mm, vma->start + 3 * 4096, Access::load);
  for (unsigned page = 0; page < 20; ++page) BOOST_TEST(pte(page) != 0u);
  BOOST_TEST(stats.page_faults.value() - before == 2u);
}

BOOST_AUTO_TEST_CASE(a_mapping_over_two_page_tables_is_reclaimed_in_two_lists) {
  params.unmap.batched = true;
  params.reclaim.clear_accessed = false;
  start(4, {0, 1}, kVa + 510 * 4096);
  pageout();
  read_all();
  const std::uint64_t before = stats.remote_flush_mm.value();
  pageout();
  BOOST_TEST(stats.remote_flush_mm.value() - before == 2u);  // the first list's batch counts as pending for the second
  BOOST_TEST(sbi.fences.size() == 4u);
}

BOOST_AUTO_TEST_CASE(with_swap_pages_are_freed_after_the_flush_and_read_back_one_by_one) {
  params.reclaim.swap = SwapKind::zram;
  params.unmap.batched = true;
  start(16, {0, 1});
  const std::uint64_t in_use = layout->pages().pages_in_use();
  pageout();
  BOOST_TEST(layout->pages().pages_in_use() == in_use - 16);
  BOOST_TEST(stats.pages_reclaimed.value() == 16u);
  const std::uint64_t before = stats.page_faults.value();
  read_all();
  BOOST_TEST(stats.page_faults.value() - before == 16u);
  BOOST_TEST(layout->pages().pages_in_use() == in_use);
  pageout();
  BOOST_TEST(stats.pages_reclaimed.value() == 32u);
}

BOOST_AUTO_TEST_CASE(a_batched_page_is_unmapped_by_one_swap_and_counted_in_the_mm) {
  params.unmap.batched = true;
  params.reclaim.clear_accessed = false;
  start(1, {0, 1});
  pageout();
  read_all();
  const Address slot = entry(0);
  const Folio folio = node->folio_of(kernel::pte_address(pte(0)));
  pageout();
  const auto at = accesses(slot);
  BOOST_TEST_REQUIRE(!at.empty());
  BOOST_TEST(trace()[at.back()] == atomic(AtomicOp::swap, slot));
  const Address counter = mm->fields.tlb_flush_batched();
  Trace after;
  for (std::size_t i = at.back() + 1; i <= at.back() + 10; ++i) after.push_back(trace()[i]);
  BOOST_TEST(after == (Trace{load(thread.batch_cpumask()), load(mm->fields.cpumask()), store(thread.batch_cpumask(), 3),
                             store(thread.batch_flush_required(), 1), load(counter), atomic(AtomicOp::add, counter),
                             load(mm->fields.hiwater_rss()), load(mm->fields.rss_stat(kernel::kShmemPages)), after[8],
                             after[9]}));
  BOOST_TEST(accesses(folio.mapcount()).size() >= 2u);
}

BOOST_AUTO_TEST_CASE(an_access_to_no_mapping_names_program_and_address) {
  start(1, {0});
  BOOST_CHECK_EXCEPTION(fault->do_page_fault(cpu(), thread, *mm, 0x1000, Access::load), base::ConfigError,
                        [](const base::ConfigError& e) {
                          return std::string(e.what()) == "mm: access to 0x1000, where nothing is mapped";
                        });
}

BOOST_AUTO_TEST_CASE(rest_per_page_is_spent_once_per_page_and_loop) {
  const auto cycles_of_a_loop = [](std::uint64_t cost, SwapKind kind) {
    ReclaimBench bench;
    bench.params.costs.rest_per_page = base::cycles(cost);
    bench.params.reclaim.swap = kind;
    bench.start(4, {0});
    bench.pageout();
    bench.read_all();
    const std::uint64_t before = bench.cpu().cycles(cpu::Cause::instructions);
    bench.pageout();
    bench.read_all();
    return bench.cpu().cycles(cpu::Cause::instructions) - before;
  };
  for (const SwapKind kind : {SwapKind::none, SwapKind::zram})
    BOOST_TEST(cycles_of_a_loop(1001, kind) - cycles_of_a_loop(0, kind) == 4 * 1001u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arm64_bench.h"

namespace switchyard::test {

using kernel::AddressSpace;
using kernel::FlushMutation;
using kernel::arm64::TlbFlusher;

namespace {

constexpr Address kVa = 0x400000, kPage = 4096;

struct TlbTest : Arm64Bench {
  const AddressSpace* a = nullptr;
  void start(FlushMutation mutation = FlushMutation::none) {
    build(2, mutation);
    a = &make_mm("a");
    run(*a);
    clear();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arm64_tlb, TlbTest)

BOOST_AUTO_TEST_CASE(a_page_is_flushed_everywhere_between_two_barriers) {
  start();
  flusher->flush_tlb_page(cpu(), *a, kVa + 5);
  BOOST_TEST(trace() == (Trace{context_id(*a), barrier(), broadcast_flush_page(kVa, 1), broadcast_wait()}));
  BOOST_TEST(trace(1).size() == 0u);
}

BOOST_AUTO_TEST_CASE(an_mm_is_flushed_by_its_asid) {
  start();
  flusher->flush_tlb_mm(cpu(), *a);
  BOOST_TEST(trace() == (Trace{context_id(*a), barrier(), broadcast_flush_asid(1), broadcast_wait()}));
}

BOOST_AUTO_TEST_CASE(a_range_is_flushed_page_by_page_with_one_wait) {
  start();
  flusher->flush_tlb_range(cpu(), *a, kVa, kVa + 2 * kPage + 1);
  BOOST_TEST(trace() ==
             (Trace{context_id(*a), barrier(), broadcast_flush_page(kVa, 1), broadcast_flush_page(kVa + kPage, 1),
                    broadcast_flush_page(kVa + 2 * kPage, 1), broadcast_wait()}));
}

BOOST_AUTO_TEST_CASE(a_range_of_512_pages_goes_by_asid) {
  start();
  flusher->flush_tlb_range(cpu(), *a, kVa, kVa + 511 * kPage);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::broadcast_flush).size() == 511u);
  clear();
  flusher->flush_tlb_range(cpu(), *a, kVa, kVa + 512 * kPage);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::broadcast_flush) == (Trace{broadcast_flush_asid(1)}));
}

BOOST_AUTO_TEST_CASE(with_kpti_each_goes_to_both_asids) {
  params.kpti = true;
  start();
  flusher->flush_tlb_page(cpu(), *a, kVa);
  BOOST_TEST(trace() == (Trace{context_id(*a), barrier(), broadcast_flush_page(kVa, 2), broadcast_flush_page(kVa, 3),
                               broadcast_wait()}));
  clear();
  flusher->flush_tlb_mm(cpu(), *a);
  BOOST_TEST(trace() ==
             (Trace{context_id(*a), barrier(), broadcast_flush_asid(2), broadcast_flush_asid(3), broadcast_wait()}));
}

BOOST_AUTO_TEST_CASE(mutations_leave_out_one_thing_each) {
  params.kpti = true;
  const auto page = [](FlushMutation mutation) {
    TlbTest test;
    test.params.kpti = true;
    test.start(mutation);
    test.flusher->flush_tlb_page(test.cpu(), *test.a, kVa);
    return test.trace().entries();
  };
  start();
  const std::vector<TraceEntry> rest{context_id(*a), barrier()};
  const auto with = [&](std::initializer_list<TraceEntry> more) {
    std::vector<TraceEntry> all = rest;
    all.insert(all.end(), more);
    return all;
  };
  BOOST_TEST(
      (page(FlushMutation::broadcast_wait) == with({broadcast_flush_page(kVa, 2), broadcast_flush_page(kVa, 3)})));
  BOOST_TEST((page(FlushMutation::user_asid) == with({broadcast_flush_page(kVa, 2), broadcast_wait()})));
  BOOST_TEST((page(FlushMutation::broadcast) == with({flush_page(kVa, 2), flush_page(kVa, 3), broadcast_wait()})));
  BOOST_TEST(page(FlushMutation::flush_tlb_page).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

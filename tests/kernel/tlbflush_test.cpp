// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using kernel::AddressSpace;
using kernel::riscv::RemoteFenceKind;

namespace {
constexpr Address kVa = 0x2000000000;
}

BOOST_FIXTURE_TEST_SUITE(tlbflush, KernelBench)

BOOST_AUTO_TEST_CASE(an_empty_mask_needs_no_flush) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask())}));
  BOOST_TEST(sbi.fences.empty());
}

BOOST_AUTO_TEST_CASE(a_mask_of_this_cpu_alone_needs_a_local_fence) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa + 8);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), flush_page(kVa)}));
  BOOST_TEST(sbi.fences.empty());
  BOOST_TEST(stats.local_only_flushes.value() == 1u);
}

BOOST_AUTO_TEST_CASE(other_cpus_are_reached_by_one_call_whose_mask_includes_the_caller) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0, 2, 3});
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), load(hart_id(0)), load(hart_id(2)), load(hart_id(3))}));
  BOOST_TEST_REQUIRE(sbi.fences.size() == 1u);
  BOOST_TEST((sbi.fences[0].targets == mask({0, 2, 3})));
  BOOST_TEST(sbi.fences[0].range.start == kVa);
  BOOST_TEST(sbi.fences[0].range.size == 4096u);
  BOOST_TEST(!sbi.fences[0].range.asid.has_value());
  BOOST_TEST(stats.remote_flush_page.value() == 1u);
}

BOOST_AUTO_TEST_CASE(a_mask_of_another_cpu_alone_is_remote) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {2});
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST_REQUIRE(sbi.fences.size() == 1u);
  BOOST_TEST((sbi.fences[0].targets == mask({2})));
}

BOOST_AUTO_TEST_CASE(with_asids_the_id_is_read_and_passed_on) {
  params.asid.bits = 16;
  build(4);
  const AddressSpace& mm = make_mm("mm");
  memory.poke(mm.fields.context_id(), 0x10007);
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), load(mm.fields.context_id()), flush_page(kVa, 7)}));
  set_mask(mm, {0, 1});
  flusher->flush_tlb_mm(cpu(), mm);
  BOOST_TEST_REQUIRE(sbi.fences.size() == 1u);
  BOOST_TEST((sbi.fences[0].range.asid == std::uint16_t{7}));
  BOOST_TEST(sbi.fences[0].range.size == interrupt::FenceRange::kWholeSpace);
}

BOOST_AUTO_TEST_CASE(a_local_range_up_to_the_threshold_is_fenced_page_by_page) {
  params.tlb.tlb_flush_all_threshold = 3;
  build(1);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 3 * 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) ==
             (Trace{flush_page(kVa), flush_page(kVa + 4096), flush_page(kVa + 8192)}));
}

BOOST_AUTO_TEST_CASE(a_longer_local_range_becomes_one_full_flush) {
  params.tlb.tlb_flush_all_threshold = 3;
  build(1);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 4 * 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == (Trace{flush_all()}));
}

BOOST_AUTO_TEST_CASE(the_6_1_form_flushes_all_from_two_pages_on) {
  params.tlb.tlb_flush_all_threshold = 1;
  build(1);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 4096);
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 8192);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == (Trace{flush_page(kVa), flush_all()}));
}

BOOST_AUTO_TEST_CASE(the_default_threshold_is_64_pages) {
  build(1);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 64 * 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush).size() == 64u);
  clear();
  flusher->flush_tlb_range(cpu(), mm, kVa, kVa + 65 * 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == (Trace{flush_all()}));
}

BOOST_AUTO_TEST_CASE(flush_tlb_mm_alone_is_one_full_local_fence) {
  build(2);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_mm(cpu(), mm);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), flush_all()}));
}

BOOST_AUTO_TEST_CASE(the_erratum_turns_a_fence_by_address_into_a_full_one) {
  params.tlb.cip_1200 = true;
  build(1);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0});
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), flush_all()}));
}

BOOST_AUTO_TEST_CASE(each_new_entry_costs_one_local_fence) {
  build(1);
  mm_ops->update_mmu_cache_range(cpu(), kVa, 3);
  BOOST_TEST(trace() == (Trace{flush_page(kVa), flush_page(kVa + 4096), flush_page(kVa + 8192)}));
  BOOST_TEST(stats.local_fences.value() == 3u);
}

BOOST_AUTO_TEST_CASE(svvptc_needs_no_fence_for_new_entries) {
  params.tlb.svvptc = true;
  build(1);
  mm_ops->update_mmu_cache_range(cpu(), kVa, 3);
  BOOST_TEST(trace().size() == 0u);
}

BOOST_AUTO_TEST_CASE(with_more_than_64_cpus_every_mask_word_is_read) {
  build(70);
  const AddressSpace& mm = make_mm("mm");
  memory.poke(mm.fields.cpumask() + 8, 1 << 2);
  clear();
  flusher->flush_tlb_page(cpu(), mm, kVa);
  BOOST_TEST(trace() == (Trace{load(mm.fields.cpumask()), load(mm.fields.cpumask() + 8), load(hart_id(66))}));
  BOOST_TEST_REQUIRE(sbi.fences.size() == 1u);
  BOOST_TEST((sbi.fences[0].targets == mask({66})));
}

BOOST_AUTO_TEST_CASE(interrupts_between_kernels_queue_a_call_on_each_target_and_wait_for_all) {
  using cpu::AtomicOp;
  params.tlb.remote = RemoteFenceKind::ipi;
  build(3);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0, 1, 2});
  clear();
  cpu(0).on_spin([&](FakeCpu&) {
    for (const unsigned c : {1u, 2u}) smp->handle(cpu(c));
  });
  flusher->flush_tlb_page(cpu(), mm, kVa);
  const Address d1 = smp->call_data(0, 1);
  const Address d2 = smp->call_data(0, 2);
  BOOST_TEST(
      trace(0) ==
      (Trace{load(mm.fields.cpumask()), load(d1), store(d1, 1), store(d1 + 16, 1),
             atomic(AtomicOp::swap, smp->call_queue(1)), load(d2), store(d2, 1), store(d2 + 16, 1),
             atomic(AtomicOp::swap, smp->call_queue(2)), atomic(AtomicOp::bit_or, smp->message_bits(1)),
             atomic(AtomicOp::bit_or, smp->message_bits(2)), flush_page(kVa), load(d1), spin(d1), load(d1), load(d2)}));
  BOOST_TEST(trace(1) ==
             (Trace{sip(cpu::kSupervisorSoftware, false), atomic(AtomicOp::swap, smp->message_bits(1)),
                    atomic(AtomicOp::swap, smp->call_queue(1)), load(d1 + 16), flush_page(kVa), store(d1, 0)}));
  BOOST_TEST_REQUIRE(sbi.ipis.size() == 1u);
  BOOST_TEST((sbi.ipis[0] == mask({1, 2})));
  BOOST_TEST(sbi.fences.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::AddressSpace;
using kernel::Rmap;

BOOST_FIXTURE_TEST_SUITE(tlbbatch, KernelBench)

BOOST_AUTO_TEST_CASE(add_pending_collects_the_mask_of_the_mm) {
  params.unmap.batched = true;
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {1, 3});
  memory.poke(thread.batch_cpumask(), 1);
  clear();
  mm_ops->arch_tlbbatch_add_pending(cpu(), thread, mm);
  BOOST_TEST(trace() ==
             (Trace{load(thread.batch_cpumask()), load(mm.fields.cpumask()), store(thread.batch_cpumask(), 11)}));
}

BOOST_AUTO_TEST_CASE(the_batch_is_flushed_as_a_whole_without_id_and_cleared) {
  params.asid.bits = 16;
  build(4);
  memory.poke(thread.batch_cpumask(), 6);
  clear();
  mm_ops->arch_tlbbatch_flush(cpu(), thread);
  BOOST_TEST(trace() == (Trace{load(thread.batch_cpumask()), load(hart_id(1)), load(hart_id(2)),
                               store(thread.batch_cpumask(), 0)}));
  BOOST_TEST_REQUIRE(sbi.fences.size() == 1u);
  BOOST_TEST((sbi.fences[0].targets == mask({1, 2})));
  BOOST_TEST(sbi.fences[0].range.size == interrupt::FenceRange::kWholeSpace);
  BOOST_TEST(!sbi.fences[0].range.asid.has_value());
  BOOST_TEST(stats.remote_flush_batch.value() == 1u);
}

BOOST_AUTO_TEST_CASE(deferring_is_a_matter_of_the_kernel_version_alone) {
  for (const bool batched : {false, true}) {
    KernelBench bench;
    bench.params.unmap.batched = batched;
    bench.build(1);
    BOOST_TEST(bench.mm_ops->arch_tlbbatch_should_defer(bench.cpu(), bench.make_mm("mm")) == batched);
  }
}

BOOST_AUTO_TEST_CASE(nothing_pending_is_not_flushed_again) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0, 1});
  const Address counter = mm.fields.tlb_flush_batched();
  memory.poke(counter, 5 | 5 << Rmap::kFlushedShift, 4);
  clear();
  rmap->flush_tlb_batched_pending(cpu(), mm);
  BOOST_TEST(trace() == (Trace{load(counter)}));
  BOOST_TEST(observer.calls.empty());
}

BOOST_AUTO_TEST_CASE(an_open_batch_is_flushed_and_marked_done) {
  build(4);
  const AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0, 1});
  const Address counter = mm.fields.tlb_flush_batched();
  memory.poke(counter, 7 | 5 << Rmap::kFlushedShift, 4);
  clear();
  rmap->flush_tlb_batched_pending(cpu(), mm);
  BOOST_TEST(trace() == (Trace{load(counter), load(mm.fields.cpumask()), load(hart_id(0)), load(hart_id(1)),
                               atomic(AtomicOp::compare_swap, counter)}));
  BOOST_TEST(memory.peek(counter, 4) == (7u | 7u << Rmap::kFlushedShift));
  BOOST_TEST(sbi.fences.size() == 1u);
  BOOST_TEST(observer.calls == std::vector<std::string>{"relied on"});
}

BOOST_AUTO_TEST_CASE(without_a_required_flush_the_end_of_a_list_costs_one_load) {
  build(4);
  rmap->try_to_unmap_flush(cpu(), thread);
  BOOST_TEST(trace() == (Trace{load(thread.batch_flush_required())}));
  clear();
  rmap->try_to_unmap_flush_dirty(cpu(), thread);
  BOOST_TEST(trace() == (Trace{load(thread.batch_writable())}));
  BOOST_TEST(sbi.fences.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

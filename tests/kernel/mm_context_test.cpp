// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::AddressSpace;

BOOST_FIXTURE_TEST_SUITE(mm_context, KernelBench)

BOOST_AUTO_TEST_CASE(without_asids_the_bit_moves_and_the_whole_tlb_is_fenced) {
  build(4);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  set_mask(a, {0, 1});
  clear();
  context->switch_mm(cpu(), a, b);
  BOOST_TEST(trace() == (Trace{atomic(AtomicOp::bit_or, b.fields.cpumask()),
                               atomic(AtomicOp::bit_and, a.fields.cpumask()), sysreg(b.root, 0), flush_all()}));
  BOOST_TEST(memory.peek(a.fields.cpumask()) == 2u);
  BOOST_TEST(memory.peek(b.fields.cpumask()) == 1u);
  BOOST_TEST(observer.calls == std::vector<std::string>{"switched"});
}

BOOST_AUTO_TEST_CASE(the_same_mm_is_no_switch) {
  build(1);
  const AddressSpace& a = make_mm("a");
  clear();
  context->switch_mm(cpu(), a, a);
  BOOST_TEST(trace().size() == 0u);
}

BOOST_AUTO_TEST_CASE(asids_are_used_when_there_are_more_than_two_per_cpu) {
  using kernel::riscv::MmContext;
  BOOST_TEST(!MmContext::enough_asids(0, 1));
  BOOST_TEST(!MmContext::enough_asids(3, 4));
  BOOST_TEST(MmContext::enough_asids(4, 4));
  BOOST_TEST(MmContext::enough_asids(16, 64));
}

BOOST_AUTO_TEST_CASE(with_asids_the_first_switch_allocates_under_the_lock) {
  params.asid.bits = 4;
  build(1);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  set_mask(a, {0});
  clear();
  context->switch_mm(cpu(), a, b);
  const Address lock = context->context_lock();
  const Address id = b.fields.context_id();
  const Address map = context->asid_map();
  const std::uint64_t first = kernel::riscv::MmContext::kFirstVersion | 1;
  const Address idx = context->flush_pending() + 8;
  BOOST_TEST(trace() ==
             (Trace{atomic(AtomicOp::bit_or, b.fields.cpumask()), load(id), load(context->active_context(0)),
                    atomic(AtomicOp::add, lock), load(id), load(context->current_version()),
                    load(context->current_version()), load(idx), load(map), load(map), store(map, 2), store(idx, 1),
                    store(id, first), atomic(AtomicOp::bit_and, context->flush_pending()),
                    store(context->active_context(0), first), load(lock), store(lock, 1), sysreg(b.root, 1)}));
  BOOST_TEST(memory.peek(a.fields.cpumask()) == 1u);
}

BOOST_AUTO_TEST_CASE(with_asids_a_known_mm_is_switched_to_without_lock_or_fence) {
  params.asid.bits = 4;
  build(1);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  context->switch_mm(cpu(), b, a);
  context->switch_mm(cpu(), a, b);
  clear();
  context->switch_mm(cpu(), b, a);
  BOOST_TEST(trace() == (Trace{atomic(AtomicOp::bit_or, a.fields.cpumask()), load(a.fields.context_id()),
                               load(context->active_context(0)), load(context->current_version()),
                               atomic(AtomicOp::compare_swap, context->active_context(0)), sysreg(a.root, 1)}));
  BOOST_TEST(memory.peek(b.fields.cpumask()) == 1u);
}

BOOST_AUTO_TEST_CASE(a_rollover_fences_each_cpu_once_and_keeps_running_ids) {
  params.asid.bits = 2;  // ids 1 to 3 for one CPU
  build(1);
  std::vector<AddressSpace*> mms;
  for (int i = 0; i < 5; ++i) mms.push_back(&make_mm("mm" + std::to_string(i)));
  for (int i = 0; i < 4; ++i)
    context->switch_mm(cpu(), *mms[static_cast<unsigned>(i + 4) % 5], *mms[static_cast<unsigned>(i)]);
  // The third id was running when the fourth mm found none free: it stays taken.
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == (Trace{flush_all()}));
  const std::uint64_t second_version = 2 * kernel::riscv::MmContext::kFirstVersion;
  BOOST_TEST(memory.peek(mms[3]->fields.context_id()) == (second_version | 1));
  BOOST_TEST(memory.peek(context->reserved_context(0)) == (kernel::riscv::MmContext::kFirstVersion | 3));
  clear();
  context->switch_mm(cpu(), *mms[3], *mms[2]);
  BOOST_TEST(memory.peek(mms[2]->fields.context_id()) == (second_version | 3));
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush).size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_rollover_elsewhere_is_paid_for_at_the_next_switch) {
  params.asid.bits = 3;
  build(2);
  std::vector<AddressSpace*> mms;
  for (int i = 0; i < 9; ++i) mms.push_back(&make_mm("mm" + std::to_string(i)));
  context->switch_mm(cpu(1), *mms[1], *mms[0]);
  for (unsigned i = 1; i < 8; ++i) context->switch_mm(cpu(0), *mms[i - 1], *mms[i]);
  BOOST_TEST(cpu(0).trace(TraceEntry::Kind::flush) == (Trace{flush_all()}));
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::flush).size() == 0u);
  context->switch_mm(cpu(1), *mms[0], *mms[8]);
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::flush) == (Trace{flush_all()}));
}

BOOST_AUTO_TEST_CASE(the_switch_mutation_leaves_out_the_fence_and_nothing_else) {
  build(1, kernel::FlushMutation::switch_mm_local_fence);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  clear();
  context->switch_mm(cpu(), a, b);
  BOOST_TEST(trace() == (Trace{atomic(AtomicOp::bit_or, b.fields.cpumask()),
                               atomic(AtomicOp::bit_and, a.fields.cpumask()), sysreg(b.root, 0)}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/x86_bench.h"

namespace switchyard::test {

using kernel::AddressSpace;
using kernel::x86::MmVersion;

BOOST_FIXTURE_TEST_SUITE(x86_mm_layout, X86Bench)

BOOST_AUTO_TEST_CASE(up_to_4_18_the_mask_shares_a_line_with_id_and_generation) {
  build(MmVersion::v4_14, 48);
  const AddressSpace& a = make_mm("a");
  const Address mask = a.fields.cpumask();
  BOOST_TEST(mm->mm_layout().ctx_id(a) == mask + 8);
  BOOST_TEST(mm->mm_layout().tlb_gen(a) == mask + 16);
  BOOST_TEST(mask / 64 == mm->mm_layout().tlb_gen(a) / 64);
  BOOST_TEST(a.fields.pgd() / 64 == a.fields.mm_count() / 64);
}

BOOST_AUTO_TEST_CASE(off_the_stack_a_pointer_is_read_and_the_mask_lies_in_another_line) {
  params.cpumask_offstack = true;
  build(MmVersion::v4_14, 48);
  const AddressSpace& a = make_mm("a");
  const Address pointer = mm->mm_layout().cpu_vm_mask_var(a);
  BOOST_TEST(pointer + 8 == mm->mm_layout().ctx_id(a));
  BOOST_TEST(word(pointer) == a.fields.cpumask());
  BOOST_TEST(a.fields.cpumask() > mm->mm_layout().flags(a));
  BOOST_TEST(a.fields.cpumask() / 64 != pointer / 64);
  run(a);
  BOOST_TEST(run(a, a) == (entry() + Trace{load(pointer), test_bit(a)}));
  const Trace to_idle = idle(a);
  const Trace masks{load(pointer), clear_bit(a), load(mm->mm_layout().cpu_vm_mask_var(*init)), set_bit(*init)};
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(to_idle[6 + i] == masks[i]);
}

BOOST_AUTO_TEST_CASE(from_4_19_on_the_mask_is_the_tail_whatever_the_option) {
  for (const bool offstack : {false, true}) {
    const kernel::x86::MmLayout at(MmVersion::v4_19, offstack, 48);
    BOOST_TEST(!at.has_mask_pointer());
    kernel::Layout layout_of({}, kernel::kVirtualMap, 0x80000000, 64 << 20, 48, 1);
    AddressSpace space;
    space.fields = at.place(layout_of, "x", true);
    BOOST_TEST(space.fields.cpumask() > at.flags(space));
    BOOST_TEST(layout_of.symbols().back().size == space.fields.cpumask() - space.fields.base + 8);
  }
}

BOOST_AUTO_TEST_CASE(large_masks_on_the_stack_are_refused) {
  BOOST_CHECK_EXCEPTION(kernel::x86::MmLayout(MmVersion::v4_14, false, 513), base::ConfigError,
                        [](const base::ConfigError& e) {
                          return std::string(e.what()) ==
                                 "cpumask_offstack: kernels with 513 CPUs keep masks off the stack: it must be true "
                                 "above 512";
                        });
  kernel::x86::MmLayout(MmVersion::v4_14, true, 513);
}

BOOST_AUTO_TEST_CASE(init_mm_is_a_variable_and_every_tlb_state_has_lines_of_its_own) {
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  for (const kernel::Symbol& each : layout->symbols()) {
    if (each.va == init->fields.base) BOOST_TEST(each.section == ".data");
    if (each.va == a.fields.base) BOOST_TEST(each.section == "slab");
    if (each.va == own(1).loaded_mm()) BOOST_TEST(each.size == 128u);
  }
  BOOST_TEST(own(1).loaded_mm() % 64 == 0u);
  BOOST_TEST(own(0).loaded_mm() / 64 == own(0).cr4() / 64);
  BOOST_TEST(own(0).loaded_mm() / 64 + 1 == own(0).tlb_gen(5) / 64);
}

BOOST_AUTO_TEST_CASE(ids_start_at_1_with_init_mm_and_are_never_used_again) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  BOOST_TEST(word(mm->mm_layout().ctx_id(*init)) == 1u);
  BOOST_TEST(word(mm->mm_layout().ctx_id(a)) == 2u);
  const AddressSpace& b = make("b", true);
  clear();
  mm->init_new_context(cpu(), b);
  BOOST_TEST(trace() == (Trace{atomic(cpu::AtomicOp::add, mm->last_mm_ctx_id()), store(mm->mm_layout().ctx_id(b), 3),
                               store(mm->mm_layout().tlb_gen(b), 0)}));
}

BOOST_AUTO_TEST_CASE(a_cpu_that_comes_up_starts_in_slot_0) {
  build(MmVersion::v4_14);
  clear();
  mm->initialize_tlbstate_and_flush(cpu());
  Trace expected{load(own().loaded_mm()),
                 tlb_gen(*init),
                 pgd(*init),
                 sysreg_flush(init->root, 1),
                 ctx_id(*init),
                 store(own().last_user(), 1),
                 store(own().loaded_mm_asid(), 0),
                 store(own().next_asid(), 1),
                 store(own().ctx_id(0), 1),
                 store(own().tlb_gen(0), 0)};
  for (unsigned asid = 1; asid < 6; ++asid) expected.push_back(store(own().ctx_id(asid), 0));
  BOOST_TEST(trace() == expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

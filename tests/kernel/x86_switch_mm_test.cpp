// SPDX-License-Identifier: Apache-2.0
#include "kernel/x86_bench.h"

namespace switchyard::test {

using kernel::AddressSpace;
using kernel::FlushMutation;
using kernel::x86::MmVersion;
using kernel::x86::SwitchMm;
using kernel::x86::SwitchMmParams;

BOOST_FIXTURE_TEST_SUITE(x86_switch_mm, X86Bench)

// 4.13

BOOST_AUTO_TEST_CASE(v4_13_idle_only_marks_the_cpu_lazy) {
  build(MmVersion::v4_13);
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(idle(a) == (Trace{load(own().state()), store(own().state(), SwitchMm::kStateLazy)}));
  BOOST_TEST(word(a.fields.cpumask()) == 1u);
  BOOST_TEST(idle(a) == (Trace{load(own().state())}));
}

BOOST_AUTO_TEST_CASE(v4_13_back_to_the_same_mm_tests_the_own_bit) {
  build(MmVersion::v4_13);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  BOOST_TEST(run(a, a) == (Trace{load(own().loaded_mm()), store(own().state(), SwitchMm::kStateOk), test_bit(a)}));
  BOOST_TEST(observer.calls.empty());
}

BOOST_AUTO_TEST_CASE(v4_13_another_mm_sets_its_bit_writes_cr3_and_clears_the_old_bit) {
  build(MmVersion::v4_13);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  run(a);
  idle(a);
  const Trace expected = Trace{load(own().loaded_mm()), store(own().state(), SwitchMm::kStateOk)} + stack_check(b) +
                         Trace{store(own().loaded_mm(), b.fields.base),
                               test_bit(b),
                               set_bit(b),
                               pgd(b),
                               sysreg_flush(b.root, 0),
                               test_bit(a),
                               clear_bit(a)} +
                         control(a, b);
  BOOST_TEST(run(a, b) == expected);
  BOOST_TEST(word(a.fields.cpumask()) == 0u);
  BOOST_TEST(word(b.fields.cpumask()) == 1u);
  BOOST_TEST(observer.calls == std::vector<std::string>{"switched"});
  BOOST_TEST(word(own().loaded_mm()) == b.fields.base);
}

BOOST_AUTO_TEST_CASE(v4_13_deep_idle_goes_to_init_mm_once) {
  build(MmVersion::v4_13);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  const Trace expected = Trace{load(own().loaded_mm()), load(own().state()), load(own().loaded_mm()),
                               store(own().state(), SwitchMm::kStateOk)} +
                         stack_check(*init) +
                         Trace{store(own().loaded_mm(), init->fields.base),
                               test_bit(*init),
                               set_bit(*init),
                               pgd(*init),
                               sysreg_flush(init->root, 0),
                               test_bit(a),
                               clear_bit(a)} +
                         control(a, *init);
  BOOST_TEST(deep_idle() == expected);
  BOOST_TEST(deep_idle() == (Trace{load(own().loaded_mm())}));
}

BOOST_AUTO_TEST_CASE(v4_13_uses_no_pcid_even_where_there_are_some) {
  params.pcid = true;
  build(MmVersion::v4_13);
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 0)}));
}

// 4.14 to 4.18 with PCIDs: eager.

BOOST_AUTO_TEST_CASE(v4_14_a_new_mm_takes_the_next_slot_and_flushes_it) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  const Trace expected = entry() + stack_check(a) + Trace{clear_bit(*init), set_bit(a), tlb_gen(a)} + scan(a, 6) +
                         Trace{load(own().next_asid()), store(own().next_asid(), 2)} + fill_slot(a, 1, 2, 0) +
                         Trace{pgd(a), sysreg_flush(a.root, 2), ctx_id(a), store(own().last_user(), 2)} +
                         now_loaded(a, 1) + control(*init, a);
  BOOST_TEST(run(a) == expected);
  BOOST_TEST(observer.calls == std::vector<std::string>{"switched"});
}

BOOST_AUTO_TEST_CASE(v4_14_idle_switches_to_init_mm_without_a_flush) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  const Trace expected = Trace{load(own().loaded_mm())} + entry() + stack_check(*init) +
                         Trace{clear_bit(a), set_bit(*init), tlb_gen(*init)} + scan(*init, 1) +
                         Trace{load(own().tlb_gen(0)), pgd(*init), sysreg(init->root, 1)} + now_loaded(*init, 0) +
                         control(a, *init);
  BOOST_TEST(idle(a) == expected);
  BOOST_TEST(word(a.fields.cpumask()) == 0u);
  BOOST_TEST(word(init->fields.cpumask()) == 1u);
  BOOST_TEST(idle(a) == (Trace{load(own().loaded_mm())}));
  BOOST_TEST(deep_idle() == (Trace{load(own().loaded_mm())}));
}

BOOST_AUTO_TEST_CASE(v4_14_back_from_idle_finds_the_slot_and_does_not_flush) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  const Trace expected =
      entry() + stack_check(a) + Trace{clear_bit(*init), set_bit(a), tlb_gen(a)} + scan(a, 2) +
      Trace{load(own().tlb_gen(1)), pgd(a), sysreg(a.root, 2), ctx_id(a), store(own().last_user(), 2)} +
      now_loaded(a, 1) + control(*init, a);
  BOOST_TEST(run(a, a) == expected);
}

BOOST_AUTO_TEST_CASE(v4_14_back_to_an_mm_that_moved_on_flushes_its_slot) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  memory.poke(mm->mm_layout().tlb_gen(a), 3);
  const Trace expected = entry() + stack_check(a) + Trace{clear_bit(*init), set_bit(a), tlb_gen(a)} + scan(a, 2) +
                         Trace{load(own().tlb_gen(1))} + fill_slot(a, 1, 2, 3) +
                         Trace{pgd(a), sysreg_flush(a.root, 2), ctx_id(a), store(own().last_user(), 2)} +
                         now_loaded(a, 1) + control(*init, a);
  BOOST_TEST(run(a, a) == expected);
  idle(a);
  run(a, a);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg(a.root, 2)}));
}

BOOST_AUTO_TEST_CASE(v4_14_from_task_to_task_both_masks_change) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  run(b);
  run(b, a);
  const Trace expected =
      entry() + stack_check(b) + Trace{clear_bit(a), set_bit(b), tlb_gen(b)} + scan(b, 2) +
      Trace{load(own().tlb_gen(1)), pgd(b), sysreg(b.root, 2), ctx_id(b), store(own().last_user(), 3)} +
      now_loaded(b, 1) + control(a, b);
  BOOST_TEST(run(a, b) == expected);
}

BOOST_AUTO_TEST_CASE(v4_14_a_thread_of_the_same_mm_tests_the_own_bit) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
}

BOOST_AUTO_TEST_CASE(slots_are_reused_in_turn) {
  build(MmVersion::v4_14);
  std::vector<const AddressSpace*> mms;
  for (int i = 0; i < 8; ++i) mms.push_back(&make_mm("mm" + std::to_string(i)));
  std::vector<std::uint16_t> pcids;
  for (const AddressSpace* each : mms) {
    const Trace all = run(*each);
    pcids.push_back(static_cast<std::uint16_t>(cpu().trace(TraceEntry::Kind::sysreg)[0].value));
    BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(each->root, pcids.back())}));
  }
  // The sixth takes init_mm's slot: the counter starts over at slot 0, which costs a second store.
  BOOST_TEST(pcids == (std::vector<std::uint16_t>{2, 3, 4, 5, 6, 1, 2, 3}));
  BOOST_TEST(word(own().next_asid(), 2) == 3u);
  idle(*mms[7]);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(init->root, 4)}));
}

BOOST_AUTO_TEST_CASE(the_counter_of_slots_starts_over_with_a_second_store) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  memory.poke(own().next_asid(), 6, 2);
  const Trace all = run(a);
  const Trace expected = entry() + stack_check(a) + Trace{clear_bit(*init), set_bit(a), tlb_gen(a)} + scan(a, 6) +
                         Trace{load(own().next_asid()), store(own().next_asid(), 7), store(own().next_asid(), 1)} +
                         fill_slot(a, 0, 2, 0) +
                         Trace{pgd(a), sysreg_flush(a.root, 1), ctx_id(a), store(own().last_user(), 2)} +
                         now_loaded(a, 0) + control(*init, a);
  BOOST_TEST(all == expected);
}

BOOST_AUTO_TEST_CASE(the_barrier_test_reads_the_last_id_and_the_flags_of_another_mm) {
  params.ibpb = true;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  const Trace test{load(own().last_user()), ctx_id(a), load(mm->mm_layout().flags(a))};
  const Trace all = run(a);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(all[3 + i] == test[i]);
  const Trace to_idle = idle(a);
  BOOST_TEST(to_idle[4] == pgd(*init));  // no task, no test
  const Trace back = run(a, a);
  BOOST_TEST(back[3] == load(own().last_user()));
  BOOST_TEST(back[4] == ctx_id(a));
  BOOST_TEST(back[5] == pgd(a));
}

// 4.14 to 4.18: who defers.

BOOST_AUTO_TEST_CASE(v4_14_without_pcids_idle_is_lazy) {
  params.pcid = false;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(idle(a) == (Trace{load(own().loaded_mm()), store(own().is_lazy(), 1)}));
  BOOST_TEST(word(a.fields.cpumask()) == 1u);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
}

BOOST_AUTO_TEST_CASE(v4_14_without_pcids_every_other_mm_flushes_id_0) {
  params.pcid = false;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  run(b);
  run(b, a);
  const Trace expected =
      entry() + stack_check(b) + Trace{clear_bit(a), set_bit(b), tlb_gen(b)} + fill_slot(b, 0, 3, 0) +
      Trace{pgd(b), sysreg_flush(b.root, 0), ctx_id(b), store(own().last_user(), 3)} + now_loaded(b, 0) + control(a, b);
  BOOST_TEST(run(a, b) == expected);
}

BOOST_AUTO_TEST_CASE(v4_14_the_inverted_test_makes_cpus_with_pcids_lazy) {
  params.defer_inverted = true;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(idle(a) == (Trace{load(own().loaded_mm()), store(own().is_lazy(), 1)}));
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
  // The generation is not looked at: a lazy CPU gets the interrupts of flushes.
  idle(a);
  memory.poke(mm->mm_layout().tlb_gen(a), 1);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
}

BOOST_AUTO_TEST_CASE(v4_14_the_inverted_test_makes_cpus_without_pcids_eager) {
  params.defer_inverted = true;
  params.pcid = false;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  const Trace expected = Trace{load(own().loaded_mm())} + entry() + stack_check(*init) +
                         Trace{clear_bit(a), set_bit(*init), tlb_gen(*init)} + fill_slot(*init, 0, 1, 0) +
                         Trace{pgd(*init), sysreg_flush(init->root, 0)} + now_loaded(*init, 0) + control(a, *init);
  BOOST_TEST(idle(a) == expected);
}

BOOST_AUTO_TEST_CASE(a_lazy_cpu_leaves_in_deep_idle) {
  params.defer_inverted = true;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  const Trace expected = Trace{load(own().loaded_mm()), load(own().is_lazy())} + entry() + stack_check(*init) +
                         Trace{clear_bit(a), set_bit(*init), tlb_gen(*init)} + scan(*init, 1) +
                         Trace{load(own().tlb_gen(0)), pgd(*init), sysreg(init->root, 1)} + now_loaded(*init, 0) +
                         control(a, *init);
  BOOST_TEST(deep_idle() == expected);
  BOOST_TEST(word(own().is_lazy(), 1) == 0u);
}

BOOST_AUTO_TEST_CASE(v4_14_skipping_init_mm_leaves_its_mask_alone) {
  params.skip_init_mm = true;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  const Trace to_idle = Trace{load(own().loaded_mm())} + entry() + stack_check(*init) +
                        Trace{clear_bit(a), tlb_gen(*init)} + scan(*init, 1) +
                        Trace{load(own().tlb_gen(0)), pgd(*init), sysreg(init->root, 1)} + now_loaded(*init, 0) +
                        control(a, *init);
  BOOST_TEST(idle(a) == to_idle);
  const Trace back = entry() + stack_check(a) + Trace{set_bit(a), tlb_gen(a)} + scan(a, 2) +
                     Trace{load(own().tlb_gen(1)), pgd(a), sysreg(a.root, 2), ctx_id(a), store(own().last_user(), 2)} +
                     now_loaded(a, 1) + control(*init, a);
  BOOST_TEST(run(a, a) == back);
  BOOST_TEST(word(init->fields.cpumask()) == 0u);
}

// 4.19

BOOST_AUTO_TEST_CASE(v4_19_marks_the_switch_and_leaves_the_mask_of_init_mm_alone) {
  build(MmVersion::v4_19);
  const AddressSpace& a = make_mm("a");
  run(a);
  const Trace to_idle =
      Trace{load(own().loaded_mm())} + entry() + stack_check(*init) + Trace{clear_bit(a), tlb_gen(*init)} +
      scan(*init, 1) +
      Trace{load(own().tlb_gen(0)), store(own().loaded_mm(), SwitchMm::kSwitching), pgd(*init), sysreg(init->root, 1)} +
      now_loaded(*init, 0) + control(a, *init);
  BOOST_TEST(idle(a) == to_idle);
  memory.poke(mm->mm_layout().tlb_gen(a), 1);
  const Trace back = entry() + stack_check(a) + Trace{set_bit(a), tlb_gen(a)} + scan(a, 2) +
                     Trace{load(own().tlb_gen(1)), store(own().loaded_mm(), SwitchMm::kSwitching)} +
                     fill_slot(a, 1, 2, 1) +
                     Trace{pgd(a), sysreg_flush(a.root, 2), ctx_id(a), store(own().last_user(), 2)} + now_loaded(a, 1) +
                     control(*init, a);
  BOOST_TEST(run(a, a) == back);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
}

// 4.20 and later

struct V420 : X86Bench {
  V420() { build(MmVersion::v4_20); }
  Trace entry() const {
    return {load(own().loaded_mm()), load(own().loaded_mm_asid()), load(own().is_lazy()), store(own().is_lazy(), 0)};
  }
};

BOOST_FIXTURE_TEST_CASE(v4_20_idle_is_lazy_with_pcids_and_keeps_its_bit, V420) {
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(idle(a) == (Trace{load(own().loaded_mm()), store(own().is_lazy(), 1)}));
  BOOST_TEST(word(a.fields.cpumask()) == 1u);
}

BOOST_FIXTURE_TEST_CASE(v4_20_back_to_an_mm_that_stood_still_takes_a_barrier_and_no_cr3, V420) {
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a), barrier(), tlb_gen(a), load(own().tlb_gen(1))}));
  BOOST_TEST(observer.calls.empty());
}

BOOST_FIXTURE_TEST_CASE(v4_20_back_to_an_mm_that_moved_on_flushes_the_same_slot, V420) {
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  memory.poke(mm->mm_layout().tlb_gen(a), 7);
  const Trace expected = entry() + Trace{test_bit(a), barrier(), tlb_gen(a), load(own().tlb_gen(1))} +
                         fill_slot(a, 1, 2, 7) + Trace{pgd(a), sysreg_flush(a.root, 2)} + now_loaded(a, 1);
  BOOST_TEST(run(a, a) == expected);
}

BOOST_FIXTURE_TEST_CASE(v4_20_a_thread_of_the_same_mm_takes_no_barrier, V420) {
  const AddressSpace& a = make_mm("a");
  run(a);
  BOOST_TEST(run(a, a) == (entry() + Trace{test_bit(a)}));
}

BOOST_FIXTURE_TEST_CASE(v4_20_another_mm_after_idle, V420) {
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  run(b);
  run(b, a);
  idle(a);
  const Trace expected =
      entry() + stack_check(b) + Trace{clear_bit(a), set_bit(b), tlb_gen(b)} + scan(b, 2) +
      Trace{load(own().tlb_gen(1)), store(own().loaded_mm(), SwitchMm::kSwitching), pgd(b), sysreg(b.root, 2)} +
      now_loaded(b, 1) + control(a, b);
  BOOST_TEST(run(a, b) == expected);
}

BOOST_AUTO_TEST_CASE(v4_20_the_barrier_test_remembers_the_task) {
  params.ibpb = true;
  build(MmVersion::v4_20);
  const AddressSpace& a = make_mm("a");
  const Trace all = run(a);
  BOOST_TEST(all[4] == load(own().last_user()));
  BOOST_TEST(all[5] == store(own().last_user(), a.fields.base));
  BOOST_TEST(all[6] == pgd(a));
}

BOOST_FIXTURE_TEST_CASE(v4_20_deep_idle_clears_the_bit_and_writes_cr3, V420) {
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  const Trace expected =
      Trace{load(own().loaded_mm()), load(own().is_lazy())} + entry() + stack_check(*init) +
      Trace{clear_bit(a), tlb_gen(*init)} + scan(*init, 1) +
      Trace{load(own().tlb_gen(0)), store(own().loaded_mm(), SwitchMm::kSwitching), pgd(*init), sysreg(init->root, 1)} +
      now_loaded(*init, 0) + control(a, *init);
  BOOST_TEST(deep_idle() == expected);
}

BOOST_AUTO_TEST_CASE(v4_20_without_pcids_back_from_idle_needs_no_cr3_either) {
  params.pcid = false;
  build(MmVersion::v4_20);
  const AddressSpace& a = make_mm("a");
  run(a);
  idle(a);
  run(a, a);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg).size() == 0u);
}

// Page-table isolation

BOOST_AUTO_TEST_CASE(pti_marks_the_users_pcid_and_flushes_it_at_the_return) {
  params.pti = true;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  const Address dirty = own().user_pcid_flush_mask();
  const Trace expected = entry() + stack_check(a) + Trace{clear_bit(*init), set_bit(a), tlb_gen(a)} + scan(a, 6) +
                         Trace{load(own().next_asid()), store(own().next_asid(), 2)} + fill_slot(a, 1, 2, 0) +
                         Trace{load(dirty), store(dirty, 1 << 2),       pgd(a), sysreg_flush(a.root, 2),
                               ctx_id(a),   store(own().last_user(), 2)} +
                         now_loaded(a, 1) + control(*init, a);
  BOOST_TEST(run(a) == expected);
  clear();
  mm->switch_to_user_cr3(cpu());
  mm->switch_to_kernel_cr3(cpu());
  mm->switch_to_user_cr3(cpu());
  BOOST_TEST(trace() == (Trace{load(dirty), store(dirty, 0), sysreg_flush(a.root, 2 | 0x800), sysreg(a.root, 2),
                               load(dirty), sysreg(a.root, 2 | 0x800)}));
}

BOOST_AUTO_TEST_CASE(pti_without_pcids_flushes_at_every_border) {
  params.pti = true;
  params.pcid = false;
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  clear();
  mm->switch_to_user_cr3(cpu());
  mm->switch_to_kernel_cr3(cpu());
  BOOST_TEST(trace() == (Trace{sysreg_flush(a.root, 0), sysreg_flush(a.root, 0)}));
}

BOOST_AUTO_TEST_CASE(without_pti_the_border_of_user_mode_costs_nothing) {
  build(MmVersion::v4_14);
  mm->switch_to_user_cr3(cpu());
  mm->switch_to_kernel_cr3(cpu());
  BOOST_TEST(trace().size() == 0u);
  BOOST_TEST(cpu().instructions() == 0u);
}

BOOST_AUTO_TEST_CASE(each_part_takes_its_instructions) {
  build(MmVersion::v4_14);
  const AddressSpace& a = make_mm("a");
  run(a);
  const std::uint64_t before = cpu().instructions();
  idle(a);
  BOOST_TEST(cpu().instructions() - before == costs.enter_lazy_tlb + costs.switch_mm_wrapper + costs.switch_mm +
                                                  costs.switch_mm_next + costs.choose_new_asid +
                                                  costs.choose_new_asid_slot + costs.switch_mm_control);
}

// What is refused, and flushes left out.

BOOST_AUTO_TEST_CASE(options_that_a_version_does_not_have_are_refused) {
  SwitchMmParams p;
  BOOST_TEST(p.check() == "");
  p.version = MmVersion::v4_20;
  p.defer_inverted = true;
  BOOST_TEST(p.check() == "defer_inverted: version 4.20 has no tlb_defer_switch_to_init_mm(); 4.14 and 4.19 have");
  p = {};
  p.version = MmVersion::v4_13;
  p.skip_init_mm = true;
  BOOST_TEST(p.check() == "skip_init_mm: version 4.13 switches to init_mm in deep idle only; use 4.14");
  p.skip_init_mm = false;
  p.pti = true;
  BOOST_TEST(p.check() == "pti: version 4.13 has no page-table isolation; use 4.14 or later");
}

BOOST_AUTO_TEST_CASE(each_mutation_takes_one_flush_away) {
  struct Case {
    FlushMutation mutation;
    MmVersion version;
  };
  for (const Case each : {Case{FlushMutation::pcid_reused, MmVersion::v4_13},
                          {FlushMutation::pcid_reused, MmVersion::v4_14},
                          {FlushMutation::pcid_stale, MmVersion::v4_14},
                          {FlushMutation::lazy_stale, MmVersion::v4_20}}) {
    X86Bench bench;
    bench.build(each.version, 1, each.mutation);
    const AddressSpace& a = bench.make_mm("a");
    const bool new_mm = each.mutation == FlushMutation::pcid_reused;
    bench.run(a);
    if (!new_mm) {
      BOOST_TEST(bench.cpu().trace(TraceEntry::Kind::sysreg)[0].flag);
      bench.idle(a);
      bench.memory.poke(bench.mm->mm_layout().tlb_gen(a), 1);
      bench.run(a, a);
    }
    BOOST_TEST(bench.cpu().trace(TraceEntry::Kind::sysreg).size() == 1u);
    BOOST_TEST(!bench.cpu().trace(TraceEntry::Kind::sysreg)[0].flag);
  }
}

BOOST_AUTO_TEST_CASE(the_mutations_of_masks_and_of_the_users_pcid_leave_out_that_and_nothing_else) {
  params.pti = true;
  build(MmVersion::v4_14, 1, FlushMutation::user_pcid);
  run(make_mm("a"));
  BOOST_TEST(word(own().user_pcid_flush_mask(), 2) == 0u);
  X86Bench bench;
  bench.build(MmVersion::v4_14, 1, FlushMutation::mm_cpumask_set);
  const AddressSpace& a = bench.make_mm("a");
  bench.run(a);
  BOOST_TEST(bench.word(a.fields.cpumask()) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/arm64_bench.h"

/// The lists of accesses of check_and_switch_context and cpu_switch_mm.
namespace switchyard::test {

using cpu::AtomicOp;
using kernel::AddressSpace;
using kernel::FlushMutation;
using kernel::arm64::FastPath;
using kernel::arm64::GenerationLine;

namespace {

constexpr std::uint64_t kFirst = 1u << 16;  ///< the first generation with 16 bits

struct AsidTest : Arm64Bench {
  /// Two mms that have run on CPU 0; `b` is the one that runs.
  const AddressSpace* a = nullptr;
  const AddressSpace* b = nullptr;
  void two_mms() {
    a = &make_mm("a");
    b = &make_mm("b");
    run(*a);
    run(*a, *b);
  }
  Trace fast_after(const AddressSpace& to) const {
    return Trace{context_id(to), active()} + generation() + Trace{cas()};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arm64_asid, AsidTest)

// Fast path.

BOOST_AUTO_TEST_CASE(before_the_patch_the_number_and_the_offset_of_the_cpu_are_loaded) {
  build();
  two_mms();
  const Trace expected = Trace{number(), context_id(*a), offset(), active()} + generation() + Trace{cas()};
  BOOST_TEST(run(*b, *a) == expected + cpu_switch_mm(*a, 1));
  BOOST_TEST(observer.calls == std::vector<std::string>{"switched"});
  BOOST_TEST(word(asids->active_asids(0)) == (kFirst | 1));
}

BOOST_AUTO_TEST_CASE(after_the_patch_neither_is) {
  params.fast_path = FastPath::after;
  build();
  two_mms();
  BOOST_TEST(run(*b, *a) == fast_after(*a) + cpu_switch_mm(*a, 1));
}

BOOST_AUTO_TEST_CASE(the_patch_saves_two_loads_and_four_instructions) {
  build();
  two_mms();
  cpu().clear_trace();
  const std::uint64_t start = cpu().instructions();
  run(*b, *a);
  const std::uint64_t before = cpu().instructions() - start;
  const std::size_t accesses_before = trace().size();

  AsidTest patched;
  patched.params.fast_path = FastPath::after;
  patched.build();
  patched.two_mms();
  const std::uint64_t patched_start = patched.cpu().instructions();
  patched.run(*patched.b, *patched.a);
  BOOST_TEST(before - (patched.cpu().instructions() - patched_start) == 4u);
  BOOST_TEST(accesses_before - patched.trace().size() == 2u);
}

BOOST_AUTO_TEST_CASE(with_debug_preempt_the_patch_saves_nothing) {
  params.debug_preempt = true;
  params.fast_path = FastPath::after;
  build();
  two_mms();
  // this_cpu_ptr() is evaluated twice, each time by number.
  const Trace expected = Trace{context_id(*a), number(), offset(), active()} + generation() +
                         Trace{number(), offset(), cas()} + cpu_switch_mm(*a, 1);
  BOOST_TEST(run(*b, *a) == expected);

  AsidTest unpatched;
  unpatched.params.debug_preempt = true;
  unpatched.build();
  unpatched.two_mms();
  BOOST_TEST(unpatched.run(*unpatched.b, *unpatched.a).size() <= trace().size());
}

BOOST_AUTO_TEST_CASE(the_same_mm_is_no_switch) {
  build();
  two_mms();
  BOOST_TEST(run(*b, *b).size() == 0u);
}

BOOST_AUTO_TEST_CASE(an_idle_cpu_keeps_what_it_has) {
  build();
  two_mms();
  clear();
  mm->enter_lazy_tlb(cpu(), *b);
  mm->leave_mm(cpu());
  BOOST_TEST(trace().size() == 0u);
  BOOST_TEST(run(*b, *b).size() == 0u);
}

BOOST_AUTO_TEST_CASE(hardening_reads_a_function_of_the_cpu_before_the_registers_are_written) {
  params.harden_branch_predictor = true;
  params.fast_path = FastPath::after;
  build();
  two_mms();
  const Trace expected = fast_after(*a) + Trace{load(asids->bp_hardening_data(0) + 8)} + cpu_switch_mm(*a, 1);
  BOOST_TEST(run(*b, *a) == expected);
}

BOOST_AUTO_TEST_CASE(another_cpu_uses_its_own_copies) {
  build(2);
  two_mms();
  run(*a, 1);
  run(*a, *b, 1);
  const Trace expected = Trace{number(1), context_id(*a), offset(1), active(1)} + generation() + Trace{cas(1)};
  BOOST_TEST(run(*b, *a, 1) == expected + cpu_switch_mm(*a, 1));
}

// Slow path.

BOOST_AUTO_TEST_CASE(a_new_mm_gets_the_next_free_asid_under_the_lock) {
  build();
  two_mms();
  const AddressSpace& c = make_mm("c");
  const Trace expected = Trace{number(), context_id(c), offset(), active()} + generation() +
                         Trace{lock(), context_id(c)} + generation() +
                         Trace{context_id(c),
                               load(asids->asid_generation()),
                               load(asids->cur_idx()),
                               map_word(2),
                               map_word(3),
                               set_map_word(3, 0b1110),
                               store(asids->cur_idx(), 3),
                               store(c.fields.context_id(), kFirst | 3),
                               pending(),
                               offset(),
                               store(asids->active_asids(0), kFirst | 3),
                               unlock()} +
                         cpu_switch_mm(c, 3);
  BOOST_TEST(run(*b, c) == expected);
}

BOOST_AUTO_TEST_CASE(after_the_patch_the_slow_path_loads_the_number_for_the_pending_flush) {
  params.fast_path = FastPath::after;
  build();
  two_mms();
  const AddressSpace& c = make_mm("c");
  const Trace expected = Trace{context_id(c), active()} + generation() + Trace{lock(), context_id(c)} + generation() +
                         Trace{context_id(c),
                               load(asids->asid_generation()),
                               load(asids->cur_idx()),
                               map_word(2),
                               map_word(3),
                               set_map_word(3, 0b1110),
                               store(asids->cur_idx(), 3),
                               store(c.fields.context_id(), kFirst | 3),
                               number(),
                               pending(),
                               store(asids->active_asids(0), kFirst | 3),
                               unlock()} +
                         cpu_switch_mm(c, 3);
  BOOST_TEST(run(*b, c) == expected);
}

BOOST_AUTO_TEST_CASE(the_first_switch_of_a_cpu_takes_the_lock_without_a_look_at_the_generation) {
  build(2);
  two_mms();
  const Trace expected = Trace{number(1), context_id(*a), offset(1), active(1), lock(), context_id(*a)} + generation() +
                         Trace{pending(), offset(1), store(asids->active_asids(1), kFirst | 1), unlock()};
  BOOST_TEST(run(*a, 1) == expected + cpu_switch_mm(*a, 1));
}

BOOST_AUTO_TEST_CASE(a_fast_path_that_a_rollover_overtakes_goes_the_slow_way) {
  build(2);
  two_mms();
  cpu().on_access(asids->asid_bits(), [this](FakeCpu&) { memory.poke(asids->active_asids(0), 0); });
  const Trace all = run(*b, *a);
  BOOST_TEST(all[6] == cas());
  BOOST_TEST(all[7] == lock());
}

// Layout.

BOOST_AUTO_TEST_CASE(lock_and_generation_share_a_line_or_not) {
  build();
  BOOST_TEST(asids->cpu_asid_lock() / 64 == asids->asid_generation() / 64);
  BOOST_TEST(asids->tlb_flush_pending() / 64 == asids->asid_generation() / 64);
  AsidTest other;
  other.params.generation_line = GenerationLine::own;
  other.build();
  BOOST_TEST(other.asids->cpu_asid_lock() / 128 != other.asids->asid_generation() / 128);
  BOOST_TEST(other.asids->tlb_flush_pending() / 128 == other.asids->cpu_asid_lock() / 128);
  BOOST_TEST(other.asids->asid_bits() / 64 == other.asids->asid_generation() / 64);
}

BOOST_AUTO_TEST_CASE(active_and_reserved_asids_of_a_cpu_share_a_line) {
  build(2);
  for (unsigned c = 0; c < 2; ++c) BOOST_TEST(asids->active_asids(c) / 64 == asids->reserved_asids(c) / 64);
  BOOST_TEST(asids->active_asids(0) / 64 != asids->active_asids(1) / 64);
}

BOOST_AUTO_TEST_CASE(sizes_of_asids_are_those_of_the_hardware) {
  params.bits = 12;
  BOOST_TEST(params.check() == "bits must be 8 or 16, got 12");
}

// The scheduler's hooks.

BOOST_AUTO_TEST_CASE(schedule_loads_the_very_words_that_the_patch_removes) {
  build(2);
  mm->cpu_rq(cpu(1));
  BOOST_TEST(trace(1) == (Trace{number(1), offset(1)}));
}

BOOST_AUTO_TEST_CASE(switch_to_waits_for_broadcasts) {
  build();
  kernel::Thread next;
  next.task_struct = 0x1000;
  mm->switch_to(cpu(), next);
  BOOST_TEST(trace() == (Trace{store(mm->entry_task(0), 0x1000), broadcast_wait()}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

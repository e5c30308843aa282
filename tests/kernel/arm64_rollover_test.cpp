// SPDX-License-Identifier: Apache-2.0
#include "kernel/arm64_bench.h"

/// Rollover of ASIDs and KPTI's pairs.
namespace switchyard::test {

using cpu::AtomicOp;
using kernel::AddressSpace;
using kernel::FlushMutation;

namespace {

constexpr std::uint64_t kFirst = 1u << 8;  ///< the first generation with 8 bits
constexpr std::uint64_t kOdd = 0xaaaaaaaaaaaaaaaa;

struct RolloverTest : Arm64Bench {
  RolloverTest() { params.bits = 8; }

  std::vector<const AddressSpace*> mms;
  /// `count` mms run on CPU `c`, one after the other.
  void use_up(unsigned count, unsigned c = 0) {
    mms = make_mms(count);
    const AddressSpace* last = init;
    for (const AddressSpace* next : mms) {
      mm->switch_mm(cpu(c), *last, *next);
      last = next;
    }
  }
  /// What flush_context does to a CPU whose active ASID is not 0.
  Trace reserve(unsigned c, std::uint64_t id, std::uint64_t word) const {
    const std::uint64_t asid = id & 255;
    return {offset(c), atomic(AtomicOp::swap, asids->active_asids(c)), map_word(asid), set_map_word(asid, word),
            store(asids->reserved_asids(c), id)};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arm64_rollover, RolloverTest)

BOOST_AUTO_TEST_CASE(eight_bits_last_for_255_mms) {
  build();
  use_up(255);
  BOOST_TEST(word(asids->asid_generation()) == kFirst);
  BOOST_TEST(id(*mms[0]) == (kFirst | 1));
  BOOST_TEST(id(*mms[254]) == (kFirst | 255));
  BOOST_TEST(flushes().size() == 0u);
}

BOOST_AUTO_TEST_CASE(the_next_mm_starts_a_generation_and_flushes_this_cpu_alone) {
  build(2);
  use_up(255);
  run(*mms[0], 1);
  const AddressSpace& next = make_mm("next");
  const Trace all = run(*mms[254], next);
  // The map is searched to its end, the generation goes up, the map is emptied, and what runs is kept.
  Trace expected = Trace{number(), context_id(next), offset(), active()} + generation() +
                   Trace{lock(), context_id(next)} + generation() +
                   Trace{context_id(next), load(asids->asid_generation()), load(asids->cur_idx()), map_word(255),
                         atomic(AtomicOp::add, asids->asid_generation())};
  for (unsigned at = 0; at < 256; at += 64) expected.push_back(set_map_word(at, 0));
  expected = expected + reserve(0, kFirst | 255, 1ull << 63) + reserve(1, kFirst | 1, 0b10) +
             Trace{store(asids->tlb_flush_pending(), 0b11),
                   map_word(2),
                   map_word(2),
                   set_map_word(2, 0b110),
                   store(asids->cur_idx(), 2),
                   store(next.fields.context_id(), (2 * kFirst) | 2),
                   pending(),
                   flush_all(),
                   offset(),
                   store(asids->active_asids(0), (2 * kFirst) | 2),
                   unlock()} +
             cpu_switch_mm(next, 2);
  BOOST_TEST(all == expected);
  BOOST_TEST(cpu(1).trace().size() == 0u);
  BOOST_TEST(word(asids->tlb_flush_pending()) == 0b10u);
}

BOOST_AUTO_TEST_CASE(another_cpu_flushes_at_its_next_switch_and_only_once) {
  build(2);
  use_up(254);
  const AddressSpace& other = make_mm("other");
  run(other, 1);
  run(*mms[253], make_mm("next"));
  BOOST_TEST(flushes(0) == (Trace{flush_all()}));
  // The other CPU was in `other`, whose ASID is reserved.
  run(other, *mms[0], 1);
  BOOST_TEST(flushes(1) == (Trace{flush_all()}));
  run(*mms[0], other, 1);
  BOOST_TEST(flushes(1).size() == 0u);
  BOOST_TEST(id(other) == ((2 * kFirst) | 255));
}

BOOST_AUTO_TEST_CASE(a_reserved_asid_is_found_by_a_look_at_every_cpu) {
  build(2);
  use_up(254);
  const AddressSpace& other = make_mm("other");
  run(other, 1);
  run(*mms[253], make_mm("next"));
  run(other, *mms[0], 1);
  const Trace all = run(*mms[0], other, 1);
  const Trace search{offset(0), load(asids->reserved_asids(0)), offset(1), load(asids->reserved_asids(1)),
                     store(asids->reserved_asids(1), (2 * kFirst) | 255)};
  // After the fast path's loads, the lock and what is read again under it.
  for (std::size_t i = 0; i < search.size(); ++i) BOOST_TEST(all[12 + i] == search[i]);
}

BOOST_AUTO_TEST_CASE(an_mm_keeps_its_asid_over_a_rollover_if_nobody_has_it) {
  build();
  use_up(255);
  run(*mms[254], make_mm("next"));
  run(*spaces.back(), *mms[99]);
  BOOST_TEST(id(*mms[99]) == ((2 * kFirst) | 100));
}

BOOST_AUTO_TEST_CASE(an_asid_that_somebody_has_is_not_kept) {
  build();
  use_up(255);
  run(*mms[254], make_mm("next"));  // gets number 1
  run(*spaces.back(), *mms[0]);
  BOOST_TEST(id(*mms[0]) == ((2 * kFirst) | 2));
}

BOOST_AUTO_TEST_CASE(the_mutation_leaves_out_the_flush_and_nothing_else) {
  build(1, FlushMutation::rollover_local_fence);
  use_up(255);
  run(*mms[254], make_mm("next"));
  BOOST_TEST(flushes().size() == 0u);
  BOOST_TEST(word(asids->tlb_flush_pending()) == 0u);
}

// KPTI.

BOOST_AUTO_TEST_CASE(with_kpti_only_even_asids_are_given_out) {
  params.kpti = true;
  build();
  BOOST_TEST(word(asids->asid_map()) == kOdd);
  use_up(127);
  BOOST_TEST(id(*mms[0]) == (kFirst | 2));
  BOOST_TEST(id(*mms[1]) == (kFirst | 4));
  BOOST_TEST(id(*mms[126]) == (kFirst | 254));
  run(*mms[126], make_mm("next"));
  BOOST_TEST(id(*spaces.back()) == ((2 * kFirst) | 2));
  BOOST_TEST(word(asids->asid_map()) == (kOdd | 0b100));
  BOOST_TEST(word(asids->asid_map() + 24) == (kOdd | 1ull << 62));
}

BOOST_AUTO_TEST_CASE(with_kpti_user_mode_has_the_odd_asid_of_the_pair) {
  params.kpti = true;
  build();
  use_up(1);
  clear();
  mm->tramp_exit(cpu());
  BOOST_TEST(trace() == (Trace{system_register(), sysreg(mms[0]->root, 3)}));
  clear();
  mm->tramp_entry(cpu());
  BOOST_TEST(trace() == (Trace{sysreg(mms[0]->root, 2), system_register()}));
}

BOOST_AUTO_TEST_CASE(without_kpti_the_border_of_user_mode_costs_nothing) {
  build();
  use_up(1);
  clear();
  mm->tramp_exit(cpu());
  mm->tramp_entry(cpu());
  BOOST_TEST(trace().size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

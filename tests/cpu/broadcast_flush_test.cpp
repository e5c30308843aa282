// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::TlbFlush;

namespace {

constexpr Address kVa = 0x40000000, kOtherVa = 0x40001000;
constexpr TlbFlush kPage{.scope = TlbFlush::Scope::page, .va = kVa, .asid = 7, .any_asid = false};

/// Two CPUs in the same address space, with two pages.
struct BroadcastTest : CpuTest {
  Address root = 0;

  void build_two(bool joined, std::uint64_t hold = 0) {
    CpuParams params;
    params.fence.broadcast = base::cycles(400);
    params.fence.broadcast_issue = base::cycles(7);
    params.fence.broadcast_hold = base::cycles(hold);
    params.system_register = base::cycles(30);
    params.barrier = base::cycles(5);
    build(2, 0, params);
    root = new_root();
    map(root, kVa, 0x10000);
    map(root, kOtherVa, 0x11000);
    if (!joined) return;
    cpu::join_broadcast_domain({&cpu(0), &cpu(1)});
  }
  /// CPU 1 uses both pages, CPU 0 purges one of them at 5 us, and CPU 1 uses them again.
  void purge_while_another_uses_them() {
    on(1, [this](Cpu& me) {
      me.write_translation_base(root, 7);
      me.load(kVa);
      me.load(kOtherVa);
      me.spend(10'000, Cause::instructions);
      walks_before = count(me, "tlb_walks");
      me.load(kOtherVa);
      walks_for_other = count(me, "tlb_walks") - walks_before;
      me.load(kVa);
      walks_for_purged = count(me, "tlb_walks") - walks_before - walks_for_other;
    });
    on(0, [this](Cpu& me) {
      me.write_translation_base(root, 7);
      me.load(kVa);
      me.spend(5'000, Cause::instructions);
      me.broadcast_flush_tlb(kPage);
      const std::uint64_t before = count(me, "tlb_walks");
      me.load(kVa);
      own_walks = count(me, "tlb_walks") - before;
    });
    run();
  }
  std::uint64_t walks_before = 0, walks_for_other = 0, walks_for_purged = 0, own_walks = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(broadcast_flush, BroadcastTest)

BOOST_AUTO_TEST_CASE(every_cpu_loses_the_page_and_keeps_the_others) {
  build_two(true);
  purge_while_another_uses_them();
  BOOST_TEST(own_walks == 1u);
  BOOST_TEST(walks_for_purged == 1u);
  BOOST_TEST(walks_for_other == 0u);
}

BOOST_AUTO_TEST_CASE(its_time_is_that_of_the_issuer_alone) {
  build_two(true);
  purge_while_another_uses_them();
  BOOST_TEST(spent(Cause::fence, 0) == 407u);
  BOOST_TEST(spent(Cause::fence, 1) == 0u);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_was_told_of_no_others_purges_its_own) {
  build_two(false);
  purge_while_another_uses_them();
  BOOST_TEST(own_walks == 1u);
  BOOST_TEST(walks_for_purged == 0u);
}

BOOST_AUTO_TEST_CASE(issuers_wait_for_each_other) {
  build_two(true, 300);
  for (unsigned c : {0u, 1u})
    on(c, [](Cpu& me) {
      me.spend(5'000, Cause::instructions);
      me.broadcast_flush_tlb(kPage);
    });
  run();
  const std::uint64_t first = std::min(spent(Cause::fence, 0), spent(Cause::fence, 1));
  const std::uint64_t second = std::max(spent(Cause::fence, 0), spent(Cause::fence, 1));
  BOOST_TEST(first == 407u);
  BOOST_TEST(second == 707u);
}

BOOST_AUTO_TEST_CASE(one_alone_does_not_wait_for_the_interconnect) {
  build_two(true, 300);
  on(0, [](Cpu& me) {
    me.broadcast_flush_tlb(kPage);
    me.broadcast_flush_tlb(kPage);
  });
  run();
  BOOST_TEST(spent(Cause::fence, 0) == 814u);
}

BOOST_AUTO_TEST_CASE(what_is_only_issued_takes_place_when_it_is_waited_for) {
  build_two(true, 300);
  std::uint64_t walks_before_wait = 0, walks_after_wait = 0;
  on(0, [&](Cpu& me) {
    me.write_translation_base(root, 7);
    me.load(kVa);
    me.load(kOtherVa);
    const std::uint64_t before = count(me, "tlb_walks");
    me.broadcast_flush_tlb(kPage, false);
    me.broadcast_flush_tlb({.scope = TlbFlush::Scope::page, .va = kOtherVa, .asid = 7, .any_asid = false}, false);
    me.load(kVa);
    walks_before_wait = count(me, "tlb_walks") - before;
    me.wait_for_broadcasts();
    me.load(kVa);
    me.load(kOtherVa);
    walks_after_wait = count(me, "tlb_walks") - before;
  });
  run();
  BOOST_TEST(walks_before_wait == 0u);
  BOOST_TEST(walks_after_wait == 2u);
  BOOST_TEST(spent(Cause::fence, 0) == 414u);
}

BOOST_AUTO_TEST_CASE(a_wait_for_nothing_is_a_barrier) {
  build_two(true, 300);
  std::uint64_t cycles = 0;
  on(0, [&](Cpu& me) {
    const std::uint64_t before = me.cycle();
    me.wait_for_broadcasts();
    cycles = me.cycle() - before;
  });
  run();
  BOOST_TEST(cycles == 5u);
  BOOST_TEST(spent(Cause::fence, 0) == 0u);
}

BOOST_AUTO_TEST_CASE(other_system_registers_cost_their_own_time) {
  build_two(true);
  on(0, [](Cpu& me) { me.write_system_register(); });
  run();
  BOOST_TEST(spent(Cause::system_register, 0) == 30u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

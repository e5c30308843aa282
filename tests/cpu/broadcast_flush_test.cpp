// SPDX-License-Identifier: Apache-2.0
#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::TlbFlush;

namespace {

constexpr Address kVa = 0x40000000, kOtherVa = 0x40001000;
constexpr TlbFlush kPage{.scope = TlbFlush::Scope::page, .va = kVa, .asid = 7, .any_asid = false};

/// Two CPUs in the same address space, with two pages.
struct BroadcastTest : CpuTest {
  Address root = 0;

  void build_two(bool joined) {
    CpuParams params;
    params.fence.broadcast = base::cycles(400);
    build(2, 0, params);
    root = new_root();
    map(root, kVa, 0x10000);
    map(root, kOtherVa, 0x11000);
    if (!joined) return;
    const std::vector<cpu::LogicalCpu*> all{&cpu(0), &cpu(1)};
    for (const auto& each : cpus) each->set_broadcast_domain(all);
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
  BOOST_TEST(spent(Cause::fence, 0) == 400u);
  BOOST_TEST(spent(Cause::fence, 1) == 0u);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_was_told_of_no_others_purges_its_own) {
  build_two(false);
  purge_while_another_uses_them();
  BOOST_TEST(own_walks == 1u);
  BOOST_TEST(walks_for_purged == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

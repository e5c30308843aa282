// SPDX-License-Identifier: Apache-2.0
// What the two TLB levels hold for whom, and which of it is stale.
#include "cpu/mmu_fixture.h"

namespace switchyard::test {

BOOST_FIXTURE_TEST_SUITE(mmu, MmuTest)

BOOST_AUTO_TEST_CASE(an_address_space_does_not_see_the_pages_of_another) {
  build();
  tables.map(1, 0x111, kR);
  tables.map(1, 0x222, kR, 0, kOther);
  BOOST_TEST(look(1)->ppn == 0x111u);
  mmu->set_root(kOther, 2);
  BOOST_TEST(look(1)->ppn == 0x222u);
  BOOST_TEST(cost.walked);
  mmu->set_root(kRoot, 1);
  BOOST_TEST(look(1)->ppn == 0x111u);
  BOOST_TEST(!cost.walked);
}

BOOST_AUTO_TEST_CASE(the_quick_look_up_knows_pages_used_since_the_last_change_only) {
  build();
  tables.map(1, 0x111, kR);
  BOOST_TEST((mmu->quick(1) == nullptr));
  Translation* t = look(1);
  BOOST_TEST((mmu->quick(1) == t));
  mmu->flush({TlbFlush::Scope::page, 1 << 12, 0, true});
  BOOST_TEST((mmu->quick(1) == nullptr));
  look(1);
  mmu->set_root(kOther, 2);
  BOOST_TEST((mmu->quick(1) == nullptr));
}

BOOST_AUTO_TEST_CASE(the_quick_look_up_counts_as_a_use) {
  build();
  for (std::uint64_t page = 1; page <= 5; ++page) tables.map(page, page, kR);
  for (std::uint64_t page = 1; page <= 4; ++page) look(page);
  look(1);
  mmu->quick(1);
  look(5);  // replaces 2
  look(1);
  BOOST_TEST(!cost.second_level);
  look(2);
  BOOST_TEST(cost.second_level);
}

BOOST_AUTO_TEST_CASE(always_all_turns_every_flush_into_a_full_one) {
  params.fence.always_all = true;
  build();
  tables.map(1, 0x111, kR);
  tables.map(2, 0x222, kR);
  look(2);
  BOOST_TEST((mmu->flush({TlbFlush::Scope::page, 1 << 12, 0, true}) == TlbFlush::Scope::all));
  look(2);
  BOOST_TEST(cost.walked);
  BOOST_TEST(count("tlb_full_flushes") == 1u);
  BOOST_TEST(count("tlb_partial_flushes") == 0u);
}

BOOST_AUTO_TEST_CASE(a_page_is_marked_stale_in_every_level_for_its_root_only) {
  build();
  tables.map(1, 0x111, kR | kX);
  tables.map(1, 0x222, kR, 0, kOther);
  look(1);
  look(1, Access::fetch);
  mmu->mark_owed(kOther, 1, 1);
  mmu->mark_owed(kRoot, 2, 2);
  for (const unsigned debt : {1u, 2u}) {
    mmu->mark_stale(1, 7, debt);
    BOOST_TEST(!look(1)->stale);
  }
  mmu->mark_owed(kRoot, 1, 3);
  BOOST_TEST(!look(1)->stale);
  mmu->mark_stale(1, 7, 3);
  BOOST_TEST((mmu->quick(1) == nullptr));
  BOOST_TEST(look(1)->stale);
  BOOST_TEST(look(1)->owed_by == 7u);
  BOOST_TEST((mmu->quick(1) == nullptr));  // a stale one is looked at each time
  BOOST_TEST(look(1, Access::fetch)->stale);
  mmu->flush({});
  BOOST_TEST(!look(1)->stale);
}

BOOST_AUTO_TEST_CASE(a_stale_translation_in_the_second_level_stays_stale_on_its_way_up) {
  build();
  for (std::uint64_t page = 1; page <= 5; ++page) tables.map(page, page, kR);
  for (std::uint64_t page = 1; page <= 5; ++page) look(page);
  mmu->mark_owed(kRoot, 1, 1);
  mmu->mark_stale(1, 7, 1);
  BOOST_TEST(look(1)->stale);
  BOOST_TEST(cost.second_level);
}

BOOST_AUTO_TEST_CASE(a_translation_that_is_read_after_its_flush_became_due_is_not_stale) {
  build();
  tables.map(1, 0x111, kR);
  look(1);
  mmu->mark_owed(kRoot, 1, 1);
  mmu->flush({});
  look(1);
  mmu->mark_stale(1, 7, 1);
  BOOST_TEST(!look(1)->stale);
}

BOOST_AUTO_TEST_CASE(a_translation_without_the_rights_stays_unless_faults_drop_it) {
  for (const bool drops : {false, true}) {
    params.page_walk.fault_empties = drops;
    build();
    tables.map(1, 0x111, kR);
    look(1);
    BOOST_TEST((look(1, Access::store) == nullptr));
    tables.map(1, 0x111, kR | kW);
    BOOST_TEST((look(1, Access::store) != nullptr) == drops);
  }
}

BOOST_AUTO_TEST_CASE(translations_of_another_root_under_the_current_id_are_foreign) {
  build();
  tables.map(1, 0x111, kR);
  tables.map(2, 0x222, kR | kG);
  look(1);
  look(2);
  mmu->set_root(kOther, 2);
  mmu->mark_foreign(9);
  mmu->set_root(kRoot, 1);
  BOOST_TEST(!look(1)->stale);  // another id: never reached
  mmu->set_root(kOther, 1);
  mmu->mark_foreign(9);
  BOOST_TEST(look(1)->stale);
  BOOST_TEST(look(1)->owed_by == 9u);
  BOOST_TEST(!look(2)->stale);
}

BOOST_AUTO_TEST_CASE(first_levels_without_entries_are_refused) {
  BOOST_TEST(params.check() == "");
  params.dtlb = {0, 1};
  BOOST_TEST(params.check() == "itlb and dtlb need at least one entry; itlb has 4, dtlb 0");
  params = small_tlbs();
  params.itlb = {0, 1};
  BOOST_TEST(params.check() == "itlb and dtlb need at least one entry; itlb has 0, dtlb 4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

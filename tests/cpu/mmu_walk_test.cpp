// SPDX-License-Identifier: Apache-2.0
// Sv39, RISC-V Privileged Architecture 1.12, chapter 4.4: entry bits V 0, R 1, W 2, X 3, U 4, G 5, page number from 10.
#include "cpu/mmu_fixture.h"

namespace switchyard::test {

BOOST_FIXTURE_TEST_SUITE(mmu_walk, MmuTest)

BOOST_AUTO_TEST_CASE(a_walk_reads_one_entry_of_each_level_at_the_index_of_its_nine_bits) {
  build();
  const std::uint64_t page = (3u << 18) | (4u << 9) | 5u;
  tables.map(page, 0x777, kR);
  const Translation* t = look(page);
  BOOST_TEST_REQUIRE((t != nullptr));
  BOOST_TEST(t->physical_page(page) == 0x777u);
  BOOST_TEST_REQUIRE(tables.reads.size() == 3u);
  BOOST_TEST(tables.reads[0] == kRoot + 8 * 3);
  BOOST_TEST((tables.reads[1] & 4095) == 8u * 4);
  BOOST_TEST((tables.reads[2] & 4095) == 8u * 5);
  BOOST_TEST(cost.steps == 3u);
  BOOST_TEST(cost.walked);
  BOOST_TEST(count("tlb_walk_reads") == 3u);
}

BOOST_AUTO_TEST_CASE(a_leaf_at_each_level_spans_its_pages) {
  for (const unsigned level : {0u, 1u, 2u}) {
    MmuTest test;
    test.build();
    const std::uint64_t span = std::uint64_t{1} << (9 * level), page = 6 * span;
    test.tables.map(page, 11 * span, kR, level);
    const Translation* t = test.look(page + span - 1);
    BOOST_TEST_REQUIRE((t != nullptr));
    BOOST_TEST(t->physical_page(page + span - 1) == 11 * span + span - 1);
    BOOST_TEST(test.cost.steps == 3 - level);
    test.look(page);
    BOOST_TEST(!test.cost.walked);
  }
}

BOOST_AUTO_TEST_CASE(an_invalid_entry_at_each_level_ends_the_walk_without_a_translation) {
  build();
  for (const unsigned level : {2u, 1u, 0u}) {
    tables.entry(kRoot, 1, level) &= ~kV;
    BOOST_TEST((look(1) == nullptr));
    BOOST_TEST(cost.steps == 3 - level);
    tables.entries.clear();
  }
}

BOOST_AUTO_TEST_CASE(a_pointer_in_the_last_table_is_no_translation) {
  build();
  tables.map(1, 0x777, 0);
  BOOST_TEST((look(1) == nullptr));
}

BOOST_AUTO_TEST_CASE(a_page_that_may_not_be_written_is_for_loads_only) {
  build();
  tables.map(1, 0x777, kR);
  BOOST_TEST((look(1, Access::store) == nullptr));
  BOOST_TEST((look(1, Access::load) != nullptr));
  BOOST_TEST((look(1, Access::store) == nullptr));
  tables.map(1, 0x777, kR | kW);
  BOOST_TEST((look(1, Access::store) == nullptr));  // held without the right, until a flush
  mmu->flush({TlbFlush::Scope::page, 1 << 12, 0, true});
  BOOST_TEST((look(1, Access::store) != nullptr));
}

BOOST_AUTO_TEST_CASE(the_bits_of_the_entry_are_kept) {
  build();
  tables.map(1, 0x777, kR | kW | kU);
  tables.map(2, 0x778, kX | kG);
  const Translation user = *look(1);
  BOOST_TEST((user.writable && user.user && !user.global));
  const Translation kernel = *look(2, Access::fetch);
  BOOST_TEST((!kernel.writable && !kernel.user && kernel.global));
}

BOOST_AUTO_TEST_CASE(what_the_first_level_lost_the_second_level_still_has) {
  build();
  for (std::uint64_t page = 1; page <= 5; ++page) tables.map(page, page + 0x100, kR);
  for (std::uint64_t page = 1; page <= 5; ++page) look(page);
  const Translation* t = look(1);
  BOOST_TEST(t->ppn == 0x101u);
  BOOST_TEST(cost.second_level);
  BOOST_TEST(!cost.walked);
  BOOST_TEST(count("tlb_l1_misses") == 6u);
  BOOST_TEST(count("tlb_walks") == 5u);
}

BOOST_AUTO_TEST_CASE(instructions_and_data_share_the_second_level_only) {
  build();
  tables.map(1, 0x777, kR | kX);
  look(1, Access::load);
  look(1, Access::fetch);
  BOOST_TEST(cost.second_level);
  BOOST_TEST(!cost.walked);
  look(1, Access::fetch);
  BOOST_TEST(!cost.second_level);
}

BOOST_AUTO_TEST_CASE(a_first_level_without_superpages_holds_pieces_of_them) {
  params.dtlb = {4, 4, false};
  build();
  tables.map(512, 1024, kR | kW, 1);
  for (const std::uint64_t page : {512u, 513u, 1023u}) {
    const Translation* t = look(page);
    BOOST_TEST(t->span_bits == 0u);
    BOOST_TEST(t->vpn == page);
    BOOST_TEST(t->ppn == 1024 + page - 512);
    BOOST_TEST(cost.walked == (page == 512));  // the second level holds the whole
  }
  look(512);
  BOOST_TEST(!cost.second_level);
}

BOOST_AUTO_TEST_CASE(without_superpages_in_either_level_each_piece_is_walked_for) {
  params.dtlb = {4, 4, false};
  params.l2_tlb = {16, 4, false};
  build();
  tables.map(512, 1024, kR, 1);
  look(512);
  look(513);
  BOOST_TEST(cost.walked);
}

BOOST_AUTO_TEST_CASE(without_a_second_level_every_first_level_miss_walks) {
  params.l2_tlb = {0, 1};
  build();
  tables.map(1, 0x777, kR | kX);
  look(1);
  BOOST_TEST(!cost.second_level);
  BOOST_TEST(cost.walked);
  look(1, Access::fetch);
  BOOST_TEST(cost.walked);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_leaves_out_the_tables_above) {
  params.page_walk.cache_entries = 4;
  build();
  for (const std::uint64_t page : {1u, 2u, 512u, 1u << 18}) tables.map(page, 0x777, kR);
  look(1);
  BOOST_TEST(cost.steps == 3u);
  look(2);  // same last table
  BOOST_TEST(cost.steps == 1u);
  look(512);  // same middle table
  BOOST_TEST(cost.steps == 2u);
  look(1u << 18);  // nothing in common
  BOOST_TEST(cost.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_keeps_the_tables_used_last) {
  params.page_walk.cache_entries = 2;
  build();
  for (const std::uint64_t page : {1u, 2u, 1u << 18}) tables.map(page, 0x777, kR);
  look(1);
  look(1u << 18);
  look(2);
  BOOST_TEST(cost.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_is_emptied_by_fences_that_name_no_page) {
  struct Case {
    TlbFlush flush;
    unsigned steps;
  };
  for (const Case& c :
       {Case{{}, 3}, {{TlbFlush::Scope::asid, 0, 1, false}, 3}, {{TlbFlush::Scope::page, 1 << 12}, 1}}) {
    MmuTest test;
    test.params.page_walk.cache_entries = 4;
    test.build();
    test.tables.map(1, 0x777, kR);
    test.look(1);
    test.mmu->flush(c.flush);
    test.look(1);
    BOOST_TEST(test.cost.steps == c.steps);
  }
}

BOOST_AUTO_TEST_CASE(a_walk_cache_is_emptied_by_fences_that_name_a_page_where_the_hardware_does_so) {
  params.page_walk.cache_entries = 4;
  params.page_walk.page_fence_empties = true;
  build();
  for (const std::uint64_t page : {1u, 2u}) tables.map(page, 0x777, kR);
  look(1);
  mmu->flush({.scope = TlbFlush::Scope::page, .va = 9 << 12});
  look(2);
  BOOST_TEST(cost.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_forgets_an_address_space_whose_page_tables_are_freed) {
  params.page_walk.cache_entries = 8;
  build();
  for (const std::uint64_t page : {1u, 2u, 3u}) tables.map(page, 0x777, kR);
  look(1);
  const auto fence = [&](std::uint16_t asid) {
    mmu->flush({.scope = TlbFlush::Scope::page, .va = 9 << 12, .asid = asid, .any_asid = false, .tables = true});
  };
  fence(2);
  look(2);
  BOOST_TEST(cost.steps == 1u);
  fence(1);
  look(3);
  BOOST_TEST(cost.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_serves_only_the_address_space_that_filled_it_and_keeps_its_entries) {
  params.page_walk.cache_entries = 8;
  build();
  for (const std::uint64_t page : {1u, 2u, 3u}) tables.map(page, 0x777, kR);
  look(1);
  mmu->set_root(kRoot, 2);
  look(1);
  BOOST_TEST(cost.steps == 3u);  // another id
  mmu->set_root(kRoot, 1);
  look(2);
  BOOST_TEST(cost.steps == 1u);  // kept meanwhile
  mmu->flush({.scope = TlbFlush::Scope::asid, .asid = 2});
  look(3);
  BOOST_TEST(cost.steps == 1u);
  mmu->set_root(kRoot, 2);
  look(3);
  BOOST_TEST(cost.steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_walk_cache_does_not_serve_another_root_with_the_same_id) {
  params.page_walk.cache_entries = 8;
  build();
  tables.map(1, 0x777, kR);
  look(1);
  tables.map(2, 0x777, kR);
  mmu->set_root(kOther, 1);
  BOOST_TEST((look(2) == nullptr));  // nothing is mapped there
  BOOST_TEST(cost.steps == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

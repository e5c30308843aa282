// SPDX-License-Identifier: Apache-2.0
// Sv39, RISC-V Privileged Architecture 1.12, chapter 4.4: entry bits V 0, R 1, W 2, X 3, U 4, G 5, page number from 10.
#include "cpu/mmu.h"

#include <boost/test/unit_test.hpp>
#include <map>

namespace switchyard::test {

using cpu::Access;
using cpu::Address;
using cpu::CpuParams;
using cpu::Mmu;
using cpu::TlbFlush;
using cpu::Translation;

namespace {

constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kG = 32;
constexpr Address kRoot = 0x10000, kOther = 0x20000;

/// Page tables in a map; notes which entries are read.
struct Tables : cpu::PageTableReader {
  std::map<Address, std::uint64_t> entries;
  std::vector<Address> reads;
  Address next = 0x100000;

  std::uint64_t read_entry(Address pa) override {
    reads.push_back(pa);
    return entries[pa];
  }
  static unsigned index(std::uint64_t page, unsigned level) { return static_cast<unsigned>(page >> (9 * level) & 511); }
  /// The entry for `page` in the table of `level`, with tables above made as needed.
  std::uint64_t& entry(Address root, std::uint64_t page, unsigned level = 0) {
    Address table = root;
    for (unsigned above = 2; above > level; --above) {
      std::uint64_t& pointer = entries[table + 8 * index(page, above)];
      if (pointer == 0) pointer = (next += 4096) >> 12 << 10 | kV;
      table = pointer >> 10 << 12;
    }
    return entries[table + 8 * index(page, level)];
  }
  void map(std::uint64_t page, std::uint64_t ppn, std::uint64_t rights, unsigned level = 0, Address root = kRoot) {
    entry(root, page, level) = ppn << 10 | rights | kV;
  }
};

CpuParams small() {
  CpuParams p;
  p.itlb = {4, 4};
  p.dtlb = {4, 4};
  p.l2_tlb = {16, 4};
  return p;
}

struct MmuTest {
  base::StatGroup group;
  CpuParams params = small();
  std::unique_ptr<Mmu> mmu;
  Tables tables;
  Mmu::Cost cost;

  void build() {
    mmu = std::make_unique<Mmu>(params, group);
    mmu->set_root(kRoot, 1);
  }
  Translation* look(std::uint64_t page, Access access = Access::load) {
    cost = {};
    tables.reads.clear();
    return mmu->translate(page, access, tables, cost);
  }
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : group.counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mmu, MmuTest)

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

BOOST_AUTO_TEST_CASE(a_walk_cache_is_emptied_with_the_root_and_by_fences_that_name_no_page) {
  struct Case {
    TlbFlush flush;
    unsigned steps;
  };
  for (const Case& c : {Case{{}, 3}, {{TlbFlush::Scope::asid, 0, 1, false}, 3}, {{TlbFlush::Scope::page, 1 << 12}, 1}}) {
    MmuTest test;
    test.params.page_walk.cache_entries = 4;
    test.build();
    test.tables.map(1, 0x777, kR);
    test.look(1);
    test.mmu->flush(c.flush);
    test.look(1);
    BOOST_TEST(test.cost.steps == c.steps);
    test.mmu->set_root(kRoot, 2);
    test.look(1);
    BOOST_TEST(test.cost.steps == 3u);
  }
}

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
  mmu->mark_stale(kOther, 1, 7);
  BOOST_TEST(!look(1)->stale);
  mmu->mark_stale(kRoot, 2, 7);
  BOOST_TEST(!look(1)->stale);
  mmu->mark_stale(kRoot, 1, 7);
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
  mmu->mark_stale(kRoot, 1, 7);
  BOOST_TEST(look(1)->stale);
  BOOST_TEST(cost.second_level);
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
  params = small();
  params.itlb = {0, 1};
  BOOST_TEST(params.check() == "itlb and dtlb need at least one entry; itlb has 0, dtlb 4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

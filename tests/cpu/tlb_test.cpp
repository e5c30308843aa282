// SPDX-License-Identifier: Apache-2.0
#include "cpu/tlb.h"

#include <boost/test/unit_test.hpp>
#include <deque>

#include "base/random.h"

namespace switchyard::test {

using cpu::Tlb;
using cpu::TlbFlush;
using cpu::TlbParams;
using cpu::Translation;

namespace {

Translation translation(std::uint64_t vpn, std::uint16_t asid, unsigned span = 0, bool global = false) {
  Translation t;
  t.vpn = vpn;
  t.ppn = vpn + (std::uint64_t{1} << 30);
  t.asid = asid;
  t.span_bits = static_cast<std::uint8_t>(span);
  t.global = global;
  return t;
}

TlbFlush flush_page(std::uint64_t page) { return {TlbFlush::Scope::page, page << 12, 0, true}; }
TlbFlush flush_page(std::uint64_t page, std::uint16_t asid) { return {TlbFlush::Scope::page, page << 12, asid, false}; }
TlbFlush flush_asid(std::uint16_t asid) { return {TlbFlush::Scope::asid, 0, asid, false}; }

/// A TLB as lists: each set holds its translations, least recently used first.
class Model {
 public:
  Model(std::uint64_t entries, std::uint64_t ways) : ways_(ways), sets_(entries / ways) {}

  const Translation* lookup(std::uint64_t page, std::uint16_t asid) {
    for (const unsigned span : {0u, 9u, 18u}) {
      auto& set = sets_[(page >> span) % sets_.size()];
      for (std::size_t i = 0; i < set.size(); ++i) {
        const Translation t = set[i];
        if (t.span_bits != span || t.vpn >> span != page >> span || (!t.global && t.asid != asid)) continue;
        set.erase(set.begin() + static_cast<std::ptrdiff_t>(i));
        set.push_back(t);
        return &set.back();
      }
    }
    return nullptr;
  }
  void insert(const Translation& t) {
    auto& set = sets_[(t.vpn >> t.span_bits) % sets_.size()];
    if (set.size() == ways_) set.pop_front();
    set.push_back(t);
  }
  void flush(const TlbFlush& what) {
    const std::uint64_t page = what.va >> 12;
    for (auto& set : sets_)
      std::erase_if(set, [&](const Translation& t) {
        const bool its = !t.global && t.asid == what.asid;
        if (what.scope == TlbFlush::Scope::all) return true;
        if (what.scope == TlbFlush::Scope::asid) return its;
        return t.vpn >> t.span_bits == page >> t.span_bits && (what.any_asid || its);
      });
  }

 private:
  std::uint64_t ways_;
  std::vector<std::deque<Translation>> sets_;
};

/// Looks random pages up in a TLB and in the model, inserts what is missing, and flushes now and then.
class Comparison {
 public:
  Comparison(std::uint64_t entries, std::uint64_t ways) : tlb_({entries, ways}), model_(entries, ways) {}

  void step() {
    if (random_.below(50) == 0) return flush();
    // Pages of each size have a region of their own; one in five is global.
    const unsigned span = 9 * static_cast<unsigned>(random_.below(3));
    const std::uint64_t number = random_.below(40);
    const std::uint64_t vpn = (std::uint64_t{span + 1} << 30) + (number << span);
    const auto asid = static_cast<std::uint16_t>(random_.below(3));
    const std::uint64_t page = vpn + random_.below(std::uint64_t{1} << span);
    const Translation* found = tlb_.lookup(page, asid);
    const Translation* expected = model_.lookup(page, asid);
    BOOST_TEST_REQUIRE((found == nullptr) == (expected == nullptr));
    if (found == nullptr) {
      const Translation t = translation(vpn, asid, span, number % 5 == 0);
      BOOST_TEST_REQUIRE((tlb_.insert(t) != nullptr));
      model_.insert(t);
    } else {
      BOOST_TEST_REQUIRE(found->vpn == expected->vpn);
      BOOST_TEST_REQUIRE(found->asid == expected->asid);
    }
    last_ = page;
  }

 private:
  void flush() {
    TlbFlush what;
    const std::uint64_t choice = random_.below(8);
    const auto asid = static_cast<std::uint16_t>(random_.below(3));
    if (choice < 4)
      what = flush_page(last_);
    else if (choice < 6)
      what = flush_page(last_, asid);
    else if (choice < 7)
      what = flush_asid(asid);
    tlb_.flush(what);
    model_.flush(what);
  }

  base::RandomStream random_{1, "tlb_test"};
  Tlb tlb_;
  Model model_;
  std::uint64_t last_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tlb)

BOOST_AUTO_TEST_CASE(every_shape_behaves_as_lists_do) {
  for (const auto& [entries, ways] : {std::pair{1u, 1u}, {8u, 8u}, {32u, 32u}, {16u, 1u}, {24u, 2u}, {64u, 4u}}) {
    BOOST_TEST_CONTEXT(entries << " entries, " << ways << " ways") {
      Comparison comparison(entries, ways);
      for (int i = 0; i < 30'000; ++i) comparison.step();
    }
  }
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_way_is_replaced) {
  Tlb tlb({2, 2});
  tlb.insert(translation(1, 0));
  tlb.insert(translation(2, 0));
  tlb.lookup(1, 0);
  tlb.insert(translation(3, 0));
  BOOST_TEST((tlb.lookup(1, 0) != nullptr));
  BOOST_TEST((tlb.lookup(2, 0) == nullptr));
}

BOOST_AUTO_TEST_CASE(pages_of_different_sets_do_not_replace_each_other) {
  Tlb tlb({4, 1});
  for (std::uint64_t page = 0; page < 4; ++page) tlb.insert(translation(page, 0));
  for (std::uint64_t page = 0; page < 4; ++page) BOOST_TEST((tlb.lookup(page, 0) != nullptr));
  tlb.insert(translation(4, 0));
  BOOST_TEST((tlb.lookup(0, 0) == nullptr));
  BOOST_TEST((tlb.lookup(1, 0) != nullptr));
}

BOOST_AUTO_TEST_CASE(a_superpage_covers_all_its_pages_and_no_other) {
  for (const unsigned span : {9u, 18u}) {
    Tlb tlb({16, 4});
    const std::uint64_t first = std::uint64_t{5} << span, size = std::uint64_t{1} << span;
    tlb.insert(translation(first, 1, span));
    BOOST_TEST((tlb.lookup(first - 1, 1) == nullptr));
    BOOST_TEST((tlb.lookup(first, 1) != nullptr));
    BOOST_TEST((tlb.lookup(first + size - 1, 1) != nullptr));
    BOOST_TEST((tlb.lookup(first + size, 1) == nullptr));
  }
}

BOOST_AUTO_TEST_CASE(a_page_of_a_superpage_keeps_its_offset) {
  Translation t = translation(5u << 9, 1, 9);
  t.ppn = 3u << 9;
  BOOST_TEST(t.physical_page((5u << 9) + 7) == (3u << 9) + 7);
}

BOOST_AUTO_TEST_CASE(a_level_without_superpages_takes_none) {
  Tlb tlb({8, 8, false});
  BOOST_TEST((tlb.insert(translation(512, 1, 9)) == nullptr));
  BOOST_TEST((tlb.lookup(512, 1) == nullptr));
  BOOST_TEST((tlb.insert(translation(512, 1)) != nullptr));
}

BOOST_AUTO_TEST_CASE(an_absent_level_finds_and_keeps_nothing) {
  Tlb tlb({0, 1});
  BOOST_TEST(!tlb.present());
  BOOST_TEST((tlb.insert(translation(1, 1)) == nullptr));
  BOOST_TEST((tlb.lookup(1, 1) == nullptr));
  BOOST_CHECK_NO_THROW(tlb.flush({}));
}

BOOST_AUTO_TEST_CASE(address_spaces_are_apart_and_global_pages_in_all_of_them) {
  Tlb tlb({8, 8});
  tlb.insert(translation(1, 1));
  tlb.insert(translation(2, 1, 0, true));
  BOOST_TEST((tlb.lookup(1, 2) == nullptr));
  BOOST_TEST((tlb.lookup(2, 2) != nullptr));
}

BOOST_AUTO_TEST_CASE(each_flush_removes_what_its_scope_says) {
  struct Case {
    TlbFlush flush;
    std::vector<bool> left;  ///< page 1 of id 1, page 1 of id 2, global page 2, superpage 512 of id 1
  };
  const Case cases[] = {{{}, {false, false, false, false}},           {flush_asid(1), {false, true, true, false}},
                        {flush_page(1), {false, false, true, true}},  {flush_page(1, 2), {true, false, true, true}},
                        {flush_page(2), {true, true, false, true}},   {flush_page(2, 1), {true, true, true, true}},
                        {flush_page(600), {true, true, true, false}}, {flush_page(600, 2), {true, true, true, true}}};
  for (const Case& c : cases) {
    Tlb tlb({8, 8});
    tlb.insert(translation(1, 1));
    tlb.insert(translation(1, 2));
    tlb.insert(translation(2, 1, 0, true));
    tlb.insert(translation(512, 1, 9));
    tlb.flush(c.flush);
    const std::vector<bool> left{tlb.lookup(1, 1) != nullptr, tlb.lookup(1, 2) != nullptr, tlb.lookup(2, 1) != nullptr,
                                 tlb.lookup(512, 1) != nullptr};
    BOOST_TEST(left == c.left, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(entries_that_are_no_multiple_of_ways_are_refused_with_both_numbers) {
  BOOST_TEST(TlbParams(64, 4).check() == "");
  BOOST_TEST(TlbParams(0, 4).check() == "");
  BOOST_TEST(TlbParams(30, 4).check() == "entries (30) must be a multiple of ways (4)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

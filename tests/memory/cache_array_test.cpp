// SPDX-License-Identifier: Apache-2.0
#include "memory/cache_array.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <set>

namespace switchyard::test {

using base::Address;
using memory::CacheArray;
using memory::CacheParams;
using memory::LineState;

namespace {

CacheParams array_params(std::uint64_t sets, std::uint64_t ways, std::uint64_t line = 64) {
  CacheParams p;
  p.size = {sets * ways * line};
  p.ways = ways;
  p.line = {line};
  return p;
}

/// What the array must say, from lists: the lines of each set, least recently used first.
class Model {
 public:
  Model(std::uint64_t sets, std::uint64_t ways) : ways_(ways), sets_(sets) {}

  bool has(std::uint64_t line) const { return states_.contains(line); }
  LineState state(std::uint64_t line) const { return states_.at(line); }
  void set_state(std::uint64_t line, LineState state) {
    states_[line] = state;
    if (state != LineState::invalid) return;
    states_.erase(line);
    std::erase(set(line), line);
  }
  void use(std::uint64_t line) {
    auto& lines = set(line);
    std::erase(lines, line);
    lines.push_back(line);
  }
  bool full(std::uint64_t line) { return set(line).size() == ways_; }
  std::uint64_t oldest(std::uint64_t line) { return set(line).front(); }
  void install(std::uint64_t line, LineState state) {
    if (full(line)) set_state(oldest(line), LineState::invalid);
    states_[line] = state;
    use(line);
  }

 private:
  std::deque<std::uint64_t>& set(std::uint64_t line) { return sets_[line % sets_.size()]; }

  std::uint64_t ways_;
  std::vector<std::deque<std::uint64_t>> sets_;
  std::map<std::uint64_t, LineState> states_;
};

constexpr LineState kStates[] = {LineState::invalid, LineState::shared, LineState::exclusive, LineState::modified};

/// Runs an array and the model through the same random hits, fills, state changes and invalidations.
class Comparison {
 public:
  Comparison(std::uint64_t sets, std::uint64_t ways, std::uint64_t lines)
      : lines_(lines), array_(array_params(sets, ways)), model_(sets, ways) {}

  void step() {
    const std::uint64_t line = random_.below(lines_);
    const Address pa = line * 64 + random_.below(64);
    const std::size_t found = array_.find(pa);
    BOOST_TEST_REQUIRE((found != CacheArray::kNone) == model_.has(line));
    const LineState need = kStates[1 + random_.below(2)];
    const bool expected = model_.has(line) && model_.state(line) >= need;
    const std::size_t hit = array_.hit(pa, need);
    BOOST_TEST_REQUIRE((hit != CacheArray::kNone) == expected);
    if (expected) model_.use(line);
    if (model_.has(line))
      change(line, found);
    else if (random_.below(4) != 0)
      install(line, pa);
  }

 private:
  void change(std::uint64_t line, std::size_t slot) {
    BOOST_TEST_REQUIRE(array_.address(slot) == line * 64);
    BOOST_TEST_REQUIRE((array_.state(slot) == model_.state(line)));
    const LineState next = kStates[random_.below(4)];
    array_.set_state(slot, next);
    model_.set_state(line, next);
  }
  void install(std::uint64_t line, Address pa) {
    const std::size_t slot = array_.victim(pa);
    BOOST_TEST_REQUIRE((array_.state(slot) != LineState::invalid) == model_.full(line));
    if (model_.full(line)) BOOST_TEST_REQUIRE(array_.address(slot) == model_.oldest(line) * 64);
    const LineState state = kStates[1 + random_.below(3)];
    array_.install(slot, pa, state);
    model_.install(line, state);
  }

  std::uint64_t lines_;
  base::RandomStream random_{1, "cache_array_test"};
  CacheArray array_;
  Model model_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_array)

BOOST_AUTO_TEST_CASE(every_shape_is_lru_and_finds_its_lines_as_lists_do) {
  struct Shape {
    std::uint64_t sets, ways, lines;
  };
  for (const Shape s : {Shape{1, 1, 4}, {1, 8, 20}, {4, 1, 24}, {4, 2, 40}, {8, 3, 100}, {16, 8, 400}, {64, 4, 5000}}) {
    BOOST_TEST_CONTEXT(s.sets << " sets of " << s.ways) {
      Comparison comparison(s.sets, s.ways, s.lines);
      for (int i = 0; i < 20'000; ++i) comparison.step();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_number_of_sets_that_is_no_power_of_two_changes_nothing) {
  struct Shape {
    std::uint64_t sets, ways, lines;
  };
  for (const Shape s : {Shape{3, 3, 24}, {5, 3, 40}, {3, 8, 60}, {12, 4, 300}, {48, 8, 3000}}) {
    BOOST_TEST_CONTEXT(s.sets << " sets of " << s.ways) {
      Comparison comparison(s.sets, s.ways, s.lines);
      for (int i = 0; i < 50'000; ++i) comparison.step();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_line_is_found_beside_a_place_where_it_was_before) {
  CacheArray array(array_params(3, 3));
  const auto install = [&](Address line) { array.install(array.victim(line * 64), line * 64, LineState::shared); };
  const auto drop = [&](Address line) { array.set_state(array.find(line * 64), LineState::invalid); };
  for (const Address line : {6u, 3u}) install(line);  // ways 0 and 1 of set 0
  for (const Address line : {6u, 3u}) drop(line);
  install(19);                                         // set 1, way 0
  install(3);                                          // may be put into way 0 now, while way 1 still bears its name
  for (const Address line : {2u, 35u}) install(line);  // set 2, ways 0 and 1
  BOOST_TEST(array.find(3 * 64) != CacheArray::kNone);
  BOOST_TEST(array.hit(3 * 64, LineState::shared) != CacheArray::kNone);
}

BOOST_AUTO_TEST_CASE(a_new_array_holds_nothing) {
  CacheArray array(array_params(4, 2));
  for (Address pa = 0; pa < 64 * 64; pa += 64) BOOST_TEST(array.find(pa) == CacheArray::kNone);
}

BOOST_AUTO_TEST_CASE(a_victim_is_an_invalid_slot_while_there_is_one) {
  for (const auto replacement : {memory::Replacement::lru, memory::Replacement::random}) {
    CacheParams p = array_params(1, 4);
    p.replacement = replacement;
    CacheArray array(p);
    std::set<std::size_t> slots;
    for (Address line = 1; line <= 4; ++line) {
      const std::size_t slot = array.victim(line * 64);
      BOOST_TEST((array.state(slot) == LineState::invalid));
      array.install(slot, line * 64, LineState::modified);
      slots.insert(slot);
    }
    BOOST_TEST(slots.size() == 4u);
    array.set_state(array.find(3 * 64), LineState::invalid);
    BOOST_TEST((array.state(array.victim(9 * 64)) == LineState::invalid));
  }
}

BOOST_AUTO_TEST_CASE(random_replacement_takes_every_way_in_turn_of_its_seed) {
  CacheParams p = array_params(1, 4);
  p.replacement = memory::Replacement::random;
  std::vector<std::size_t> taken[2];
  for (auto& slots : taken) {
    CacheArray array(p);
    for (Address line = 0; line < 200; ++line) {
      const std::size_t slot = array.victim(line * 64);
      array.install(slot, line * 64, LineState::shared);
      if (line >= 4) slots.push_back(slot);
    }
  }
  BOOST_TEST(taken[0] == taken[1], boost::test_tools::per_element());
  for (std::size_t way = 0; way < 4; ++way) BOOST_TEST(std::count(taken[0].begin(), taken[0].end(), way) > 20);
}

BOOST_AUTO_TEST_CASE(looking_without_using_leaves_the_order_alone) {
  CacheArray array(array_params(1, 2));
  array.install(array.victim(0), 0, LineState::shared);
  array.install(array.victim(64), 64, LineState::shared);
  for (int i = 0; i < 5; ++i) array.find(0);
  BOOST_TEST(array.address(array.victim(128)) == 0u);
  array.hit(0, LineState::shared);
  BOOST_TEST(array.address(array.victim(128)) == 64u);
}

BOOST_AUTO_TEST_CASE(a_contended_line_hits_only_in_the_order_of_time_and_three_such_hits_make_it_ordinary) {
  CacheArray array(array_params(2, 2));
  const std::size_t slot = array.victim(64);
  array.install(slot, 64, LineState::exclusive);
  array.set_contended(slot);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(array.hit(64, LineState::shared) == CacheArray::kNone);
    BOOST_TEST(array.find(64) == slot);
    BOOST_TEST(array.settled_hit(64, LineState::exclusive) == slot);
  }
  BOOST_TEST(array.hit(64, LineState::exclusive) == slot);
}

BOOST_AUTO_TEST_CASE(watching_a_line_changes_neither_its_state_nor_its_hits) {
  CacheArray array(array_params(2, 2));
  const std::size_t slot = array.victim(64);
  array.install(slot, 64, LineState::exclusive);
  array.set_watched(slot, true);
  BOOST_TEST(array.watched(slot));
  BOOST_TEST((array.state(slot) == LineState::exclusive));
  BOOST_TEST(array.address(slot) == 64u);
  BOOST_TEST(array.hit(64, LineState::exclusive) == slot);
  array.set_state(slot, LineState::modified);
  BOOST_TEST(array.watched(slot));
  array.set_watched(slot, false);
  BOOST_TEST(!array.watched(slot));
  BOOST_TEST((array.state(slot) == LineState::modified));
}

BOOST_AUTO_TEST_CASE(bytes_belong_to_their_line_at_every_line_size) {
  for (const std::uint64_t size : {16u, 32u, 64u, 128u, 256u}) {
    CacheArray array(array_params(4, 2, size));
    BOOST_TEST(array.line_size() == size);
    const Address pa = 5 * size;
    const std::size_t slot = array.victim(pa);
    array.install(slot, pa, LineState::modified);
    BOOST_TEST(array.align(pa + size - 1) == pa);
    BOOST_TEST((array.byte(slot, pa + size - 1) == array.line(slot) + size - 1));
    BOOST_TEST(array.same_line(pa, size));
    BOOST_TEST(!array.same_line(pa + 1, size));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

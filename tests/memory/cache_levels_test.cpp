// SPDX-License-Identifier: Apache-2.0
// Three levels, and levels with different line sizes.
#include "base/random.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000, kY = 0x2000;

/// Agents 0 and 1 below one second level, 2 and 3 below another, all above one third level.
struct ThreeLevels : CacheTest {
  static constexpr std::uint64_t kL2 = 12'000, kL3 = 30'000, kNear = 20'000, kFar = 60'000;

  Cache *l3 = nullptr, *left = nullptr, *right = nullptr;

  void build_three(const CacheParams& l1 = params(8, 2), const CacheParams& mid = params(32, 4, 64, 12, 20),
                   const CacheParams& last = params(256, 8, 64, 30, 60)) {
    l3 = &add_cache(last);
    left = &add_cache(mid, l3);
    right = &add_cache(mid, l3);
    for (Cache* below : {left, left, right, right}) add_agent(add_cache(l1, below));
    add_device(bus.target("in"));
    start();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(three_levels, ThreeLevels)

BOOST_AUTO_TEST_CASE(each_level_adds_its_look_up) {
  build_three();
  agents[0]->load(kX);
  BOOST_TEST(agents[0]->took_ps == kL2 + kL3 + kBus + kRam);
  BOOST_TEST(agents[0]->spent.cache == kL2);
  BOOST_TEST(agents[0]->spent.last_level == kL3);
  BOOST_TEST(agents[0]->spent.memory == kBus + kRam);
}

BOOST_AUTO_TEST_CASE(a_line_in_the_third_level_pays_two_look_ups) {
  build_three(params(1, 1), params(1, 1, 64, 12, 20));
  agents[0]->load(kX);
  agents[0]->load(kY);
  agents[0]->load(kX);
  BOOST_TEST(agents[0]->took_ps == kL2 + kL3);
}

BOOST_AUTO_TEST_CASE(a_line_in_the_second_level_asks_no_further) {
  build_three(params(1, 1));
  agents[0]->load(kX);
  agents[0]->load(kY);
  agents[0]->load(kX);
  BOOST_TEST(agents[0]->took_ps == kL2);
}

BOOST_AUTO_TEST_CASE(a_transfer_costs_what_the_level_that_both_share_says) {
  build_three();
  agents[0]->store(kX, 1);
  agents[1]->store(kX, 2);
  BOOST_TEST(agents[1]->took_ps == kL2 + kNear);
  agents[2]->store(kX, 3);
  BOOST_TEST(agents[2]->took_ps == kL2 + kL3 + kFar);
  BOOST_TEST(agents[2]->spent.coherence == kFar);
  agents[3]->ahead_ps = 1'000'000;  // long after the transfer
  BOOST_TEST(agents[3]->load(kX) == 3u);
  BOOST_TEST(agents[3]->took_ps == kL2 + kNear);
}

BOOST_AUTO_TEST_CASE(an_exclusive_second_level_hands_out_writable_lines_itself) {
  build_three(params(1, 1));
  agents[0]->load(kX);
  BOOST_TEST(states(kX) == "EIII");
  agents[0]->load(kY);
  agents[1]->store(kX, 1);
  BOOST_TEST(agents[1]->took_ps == kL2);
}

BOOST_AUTO_TEST_CASE(states_follow_the_protocol_across_levels) {
  build_three();
  agents[0]->load(kX);
  BOOST_TEST(states(kX) == "EIII");
  agents[1]->load(kX);
  BOOST_TEST(states(kX) == "SSII");
  agents[2]->load(kX);
  BOOST_TEST(states(kX) == "SSSI");
  BOOST_TEST(left->array().state(left->array().find(kX)) == LineState::shared);
  agents[1]->store(kX, 1);
  BOOST_TEST(states(kX) == "IMII");
  BOOST_TEST(right->array().find(kX) == memory::CacheArray::kNone);
  agents[3]->load(kX);
  BOOST_TEST(states(kX) == "ISIS");
  agents[3]->store(kX, 2);
  BOOST_TEST(states(kX) == "IIIM");
  BOOST_TEST(agents[0]->load(kX) == 2u);
}

BOOST_AUTO_TEST_CASE(an_upgrade_below_a_shared_second_level_goes_all_the_way) {
  build_three();
  agents[0]->load(kX);
  agents[2]->load(kX);
  agents[0]->ahead_ps = 1'000'000;  // long after the transfer
  agents[0]->store(kX, 1);
  BOOST_TEST(agents[0]->took_ps == kL2 + kL3 + kFar);
  BOOST_TEST(count(*left, "upgrades") == 1u);
  BOOST_TEST(states(kX) == "MIII");
}

BOOST_AUTO_TEST_CASE(replacing_a_line_of_the_third_level_empties_both_levels_above) {
  build_three(params(8, 2), params(32, 4, 64, 12, 20), params(1, 1, 64, 30, 60));
  agents[0]->store(kX, 0x1111);
  agents[2]->load(kY);
  BOOST_TEST(states(kX) == "IIII");
  BOOST_TEST(left->array().find(kX) == memory::CacheArray::kNone);
  BOOST_TEST(in_ram(kX) == 0x1111u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(line_sizes, CacheTest)

BOOST_AUTO_TEST_CASE(halves_of_a_long_line_below_have_owners_of_their_own) {
  build(2, params(16, 4, 64), params(64, 4, 128, 12, 20));
  agents[0]->store(0x1000, 1);
  agents[1]->store(0x1040, 2);
  BOOST_TEST(agents[1]->took_ps == 12'000u);  // the other half came along
  BOOST_TEST(states(0x1000) == "MI");
  BOOST_TEST(states(0x1040) == "IM");
  BOOST_TEST(agents[0]->load(0x1040) == 2u);
  BOOST_TEST(agents[1]->load(0x1000) == 1u);
  BOOST_TEST(count(l2(), "misses") == 1u);
}

BOOST_AUTO_TEST_CASE(replacing_a_long_line_collects_the_data_of_all_its_parts) {
  build(4, params(16, 4, 16), params(1, 1, 64, 12, 20));
  for (unsigned i = 0; i < 4; ++i) agents[i]->store(0x1000 + 16 * i, 0x10 + i);
  for (unsigned i = 0; i < 4; ++i) BOOST_TEST(agents[i]->state(0x1000 + 16 * i) == LineState::modified);
  agents[0]->load(kY);
  BOOST_TEST(count(ram, "writes") == 1u);
  for (unsigned i = 0; i < 4; ++i) {
    BOOST_TEST(states(0x1000 + 16 * i) == "IIII");
    BOOST_TEST(in_ram(0x1000 + 16 * i) == 0x10u + i);
  }
}

BOOST_AUTO_TEST_CASE(parts_in_transfer_do_not_delay_each_other) {
  build(3, params(16, 4, 64), params(64, 4, 128, 12, 20));
  agents[0]->store(0x1000, 1);
  agents[0]->store(0x1040, 1);
  agents[1]->store(0x1000, 2);
  agents[2]->store(0x1040, 3);
  BOOST_TEST(agents[2]->took_ps == 32'000u);
}

BOOST_AUTO_TEST_CASE(longer_lines_share_falsely_what_shorter_ones_do_not) {
  build(2, params(16, 4, 16), params(64, 4, 64, 12, 20));
  for (std::uint64_t i = 0; i < 10; ++i) {
    agents[0]->store(0x1000, i);
    agents[1]->store(0x1010, i);
  }
  BOOST_TEST(count(l2(), "transfers") == 0u);
  BOOST_TEST(agents[0]->fills + agents[1]->fills == 2u);
}

BOOST_AUTO_TEST_CASE(data_survives_with_a_longer_line_at_each_of_three_levels) {
  Cache& l3 = add_cache(params(4, 2, 256, 30, 60));
  for (int i = 0; i < 2; ++i) {
    Cache& l2 = add_cache(params(4, 2, 64, 12, 20), &l3);
    add_agent(add_cache(params(4, 2, 16), &l2));
    add_agent(add_cache(params(4, 2, 16), &l2));
  }
  start();
  base::RandomStream random(6, "sizes");
  std::vector<std::uint64_t> expected(512);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t word = random.below(512);
    Agent& agent = *agents[random.below(4)];
    if (random.below(2) == 0)
      agent.store(word * 8, expected[word] = random.next());
    else
      BOOST_TEST_REQUIRE(agent.load(word * 8) == expected[word]);
  }
}

BOOST_AUTO_TEST_CASE(a_shorter_line_below_is_refused_with_both_sizes) {
  Cache& below = add_cache(params(64, 4, 64));
  add_cache(params(16, 4, 128), &below);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BOOST_TEST(below.check_wiring() ==
             "line of 64 B is shorter than the 128 B of cache1 above it; the lower level's line must be at least as "
             "long");
}

BOOST_AUTO_TEST_CASE(caches_above_with_different_lines_are_refused_with_both_sizes) {
  Cache& below = add_cache(params(64, 4, 128));
  add_cache(params(16, 4, 32), &below);
  add_cache(params(16, 4, 64), &below);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  BOOST_TEST(below.check_wiring() == "caches above have lines of 32 B and 64 B; they must agree");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

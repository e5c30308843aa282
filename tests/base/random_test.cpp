// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

namespace switchyard::test {

using base::fnv1a;
using base::RandomStream;

namespace {

std::vector<std::uint64_t> first(RandomStream stream, unsigned count) {
  std::vector<std::uint64_t> values;
  for (unsigned i = 0; i < count; ++i) values.push_back(stream.next());
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random)

// Vectors of draft-eastlake-fnv, appendix C: FNV-1a, 64 bit.
BOOST_AUTO_TEST_CASE(fnv1a_gives_the_published_vectors) {
  BOOST_TEST(fnv1a("") == 0xcbf29ce484222325ull);
  BOOST_TEST(fnv1a("a") == 0xaf63dc4c8601ec8cull);
  BOOST_TEST(fnv1a("foobar") == 0x85944171f73967e8ull);
}

BOOST_AUTO_TEST_CASE(fnv1a_of_a_text_in_two_parts_is_that_of_the_whole) {
  BOOST_TEST(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
}

BOOST_AUTO_TEST_CASE(fnv1a_takes_characters_as_unsigned_bytes) {
  BOOST_TEST(fnv1a("\x80") == (0xcbf29ce484222325ull ^ 0x80) * 0x100000001b3ull);
}

BOOST_AUTO_TEST_CASE(a_stream_is_xorshift64_star_from_the_hash_of_seed_and_name) {
  std::uint64_t x = fnv1a("ram", fnv1a("switchyard") ^ 7) | 1;
  RandomStream stream(7, "ram");
  for (int i = 0; i < 1000; ++i) {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    BOOST_TEST(stream.next() == x * 2685821657736338717ull);
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_and_name_give_the_same_numbers) {
  BOOST_TEST(first({42, "l2"}, 100) == first({42, "l2"}, 100), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_name_and_every_seed_has_a_stream_of_its_own) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed)
    for (const std::string name : {"cpu0", "cpu1", "cpu10", "l1_0", "l2", "x"})
      for (const std::uint64_t value : first({seed, name}, 8)) seen.insert(value);
  BOOST_TEST(seen.size() == 64u * 6 * 8);
}

BOOST_AUTO_TEST_CASE(a_stream_does_not_notice_another_one) {
  const auto alone = first({1, "cpu0"}, 50);
  RandomStream mine(1, "cpu0"), other(1, "cpu1");
  for (const std::uint64_t value : alone) {
    other.next();
    BOOST_TEST(mine.next() == value);
    other.below(10);
  }
}

BOOST_AUTO_TEST_CASE(below_stays_below_and_reaches_every_value_about_as_often) {
  RandomStream stream(3, "dice");
  std::array<unsigned, 10> count{};
  for (int i = 0; i < 100'000; ++i) ++count.at(stream.below(10));
  // Binomial with n = 10^5, p = 0.1: sigma = sqrt(n p (1 - p)) = 95; five of them.
  for (const unsigned n : count) BOOST_TEST((n > 10'000 - 475 && n < 10'000 + 475));
}

BOOST_AUTO_TEST_CASE(below_one_is_always_zero) {
  RandomStream stream(3, "one");
  for (int i = 0; i < 100; ++i) BOOST_TEST(stream.below(1) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_mask.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "base/random.h"

namespace switchyard::test {

using base::CpuMask;
using base::kMaxCpus;

namespace {

std::vector<unsigned> members(const CpuMask& mask) {
  std::vector<unsigned> result;
  mask.for_each([&](unsigned cpu) { result.push_back(cpu); });
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cpu_mask)

BOOST_AUTO_TEST_CASE(a_new_mask_is_empty) {
  const CpuMask mask;
  BOOST_TEST(mask.empty());
  BOOST_TEST(mask.count() == 0u);
  BOOST_TEST(members(mask).empty());
}

BOOST_AUTO_TEST_CASE(cpu_c_is_bit_c_mod_64_of_word_c_div_64) {
  for (const unsigned cpu : {0u, 1u, 63u, 64u, 65u, 127u, 128u, kMaxCpus - 1}) {
    CpuMask mask;
    mask.set(cpu);
    for (unsigned word = 0; word < CpuMask::kWords; ++word)
      BOOST_TEST(mask.word(word) == (word == cpu / 64 ? std::uint64_t{1} << (cpu % 64) : 0u));
    BOOST_TEST(mask.count() == 1u);
    mask.clear(cpu);
    BOOST_TEST(mask.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_mask_behaves_as_a_set_on_random_sequences) {
  base::RandomStream random(1, "mask");
  CpuMask mask;
  std::set<unsigned> model;
  for (int step = 0; step < 5000; ++step) {
    const auto cpu = static_cast<unsigned>(random.below(kMaxCpus));
    if (random.below(2) == 0) {
      mask.set(cpu);
      model.insert(cpu);
    } else {
      mask.clear(cpu);
      model.erase(cpu);
    }
    BOOST_TEST_REQUIRE(mask.test(cpu) == model.contains(cpu));
    BOOST_TEST_REQUIRE(mask.count() == model.size());
  }
  BOOST_TEST(members(mask) == std::vector<unsigned>(model.begin(), model.end()), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_union_has_the_members_of_both) {
  CpuMask a, b;
  a.set(3);
  a.set(70);
  b.set(70);
  b.set(1000);
  a |= b;
  BOOST_TEST(members(a) == (std::vector<unsigned>{3, 70, 1000}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_word_is_replaced_as_a_whole) {
  CpuMask mask;
  mask.set(64);
  mask.set_word(1, 0x8000000000000002);
  BOOST_TEST(members(mask) == (std::vector<unsigned>{65, 127}), boost::test_tools::per_element());
  BOOST_TEST((mask != CpuMask{}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

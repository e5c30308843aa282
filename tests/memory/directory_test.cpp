// SPDX-License-Identifier: Apache-2.0
#include "memory/directory.h"

#include <boost/test/unit_test.hpp>

namespace switchyard::test {

using memory::Directory;

namespace {

std::vector<unsigned> sharers(const Directory& directory, std::size_t row, int except = -1) {
  std::vector<unsigned> result;
  directory.for_each(row, except, [&](unsigned child) { result.push_back(child); });
  return result;
}

/// Four lines of 128 B with sectors of 64 B below 130 caches.
struct Fixture {
  Directory directory;
  Fixture() { directory.resize(4, 130, 128, 64); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(directory_rows, Fixture)

BOOST_AUTO_TEST_CASE(there_is_nobody_before_there_are_children) {
  BOOST_TEST(Directory{}.empty());
  BOOST_TEST(!directory.empty());
}

BOOST_AUTO_TEST_CASE(each_sector_of_each_line_has_a_row) {
  BOOST_TEST(directory.sectors() == 2u);
  BOOST_TEST(directory.sector_size() == 64u);
  BOOST_TEST(directory.row(0, 0x80) == 0u);
  BOOST_TEST(directory.row(0, 0xbf) == 0u);
  BOOST_TEST(directory.row(0, 0xc0) == 1u);
  BOOST_TEST(directory.row(3, 0x40) == 7u);
}

BOOST_AUTO_TEST_CASE(sharers_are_visited_in_ascending_order_without_the_exception) {
  for (const unsigned child : {129u, 64u, 0u, 63u}) directory.add(2, child);
  BOOST_TEST(sharers(directory, 2) == (std::vector<unsigned>{0, 63, 64, 129}), boost::test_tools::per_element());
  BOOST_TEST(sharers(directory, 2, 64) == (std::vector<unsigned>{0, 63, 129}), boost::test_tools::per_element());
  BOOST_TEST(sharers(directory, 3).empty());
}

BOOST_AUTO_TEST_CASE(a_visited_sharer_may_be_removed) {
  for (unsigned child = 0; child < 130; ++child) directory.add(1, child);
  unsigned visits = 0;
  directory.for_each(1, 5, [&](unsigned child) {
    ++visits;
    directory.remove(1, child);
  });
  BOOST_TEST(visits == 129u);
  BOOST_TEST(directory.only(1, 5));
}

BOOST_AUTO_TEST_CASE(only_means_this_one_and_no_other) {
  BOOST_TEST(!directory.only(0, 3));
  directory.add(0, 3);
  BOOST_TEST(directory.only(0, 3));
  directory.add(0, 100);
  BOOST_TEST(!directory.only(0, 3));
  directory.remove(0, 3);
  BOOST_TEST(directory.only(0, 100));
  BOOST_TEST(!directory.has(0, 3));
}

BOOST_AUTO_TEST_CASE(a_removed_owner_owns_nothing) {
  directory.add(0, 7);
  directory.set_owner(0, 7);
  directory.remove(0, 8);
  BOOST_TEST(directory.owner(0) == 7);
  directory.remove(0, 7);
  BOOST_TEST(directory.owner(0) == Directory::kNoOwner);
}

BOOST_AUTO_TEST_CASE(a_cleared_line_is_forgotten_and_its_neighbours_are_not) {
  for (const std::size_t row : {1u, 2u, 3u, 4u}) {
    directory.add(row, 9);
    directory.set_owner(row, 9);
    directory.busy_until_ps(row) = 77;
  }
  directory.clear(1);
  for (const std::size_t row : {2u, 3u}) {
    BOOST_TEST(!directory.has(row, 9));
    BOOST_TEST(directory.owner(row) == Directory::kNoOwner);
    BOOST_TEST(directory.busy_until_ps(row) == 0u);
  }
  for (const std::size_t row : {1u, 4u}) {
    BOOST_TEST(directory.only(row, 9));
    BOOST_TEST(directory.busy_until_ps(row) == 77u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/slab_cache.h"

#include <set>

#include "kernel/kernel_bench.h"

namespace switchyard::test {

namespace {

/// Objects of 512 bytes, eight in a slab, on two recording CPUs.
struct SlabTest : KernelBench {
  const kernel::SlabCosts costs{};
  std::unique_ptr<kernel::SlabCache> cache;

  SlabTest() {
    build(2);
    cache = std::make_unique<kernel::SlabCache>(*basics, costs, kernel::SlabCache::Kind{"test", 512, 0, 2});
  }
  std::vector<Address> take(unsigned objects, unsigned on) {
    std::vector<Address> result;
    for (unsigned i = 0; i < objects; ++i) result.push_back(cache->allocate(cpu(on)));
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(slab_cache, SlabTest)

BOOST_AUTO_TEST_CASE(objects_are_different_and_the_last_freed_comes_first) {
  const auto objects = take(20, 0);
  BOOST_TEST((std::set<Address>(objects.begin(), objects.end()).size()) == 20u);
  cache->free(cpu(0), objects[19]);
  BOOST_TEST(cache->allocate(cpu(0)) == objects[19]);
}

BOOST_AUTO_TEST_CASE(the_own_slab_takes_no_locked_operation) {
  const auto objects = take(2, 0);
  clear();
  cache->free(cpu(0), objects[1]);
  cache->allocate(cpu(0));
  BOOST_TEST(cpu().trace(TraceEntry::Kind::atomic).size() == 0u);
}

BOOST_AUTO_TEST_CASE(an_object_of_another_cpu_goes_to_its_struct_page) {
  const auto objects = take(2, 0);
  clear();
  cache->free(cpu(1), objects[0]);
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::atomic) ==
             (Trace{atomic(cpu::AtomicOp::swap, layout->page_struct(layout->from_linear(objects[0])) / 64 * 64 + 16)}));
}

BOOST_AUTO_TEST_CASE(what_another_cpu_freed_is_found_before_a_new_slab_is_made) {
  const auto objects = take(8, 0);
  for (const Address object : objects) cache->free(cpu(1), object);
  const std::uint64_t pages = layout->pages().pages_in_use();
  const auto again = take(8, 0);
  BOOST_TEST((std::set<Address>(again.begin(), again.end())) == (std::set<Address>(objects.begin(), objects.end())),
             boost::test_tools::per_element());
  BOOST_TEST(layout->pages().pages_in_use() == pages);
}

BOOST_AUTO_TEST_CASE(full_slabs_that_another_cpu_frees_from_serve_that_cpu_and_then_the_node) {
  const auto objects = take(48, 0);  // six slabs
  for (unsigned slab = 0; slab < 5; ++slab) cache->free(cpu(1), objects[8 * slab]);
  const std::uint64_t pages = layout->pages().pages_in_use();
  take(5, 1);
  BOOST_TEST(layout->pages().pages_in_use() == pages);
  take(1, 1);
  BOOST_TEST(layout->pages().pages_in_use() == pages + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

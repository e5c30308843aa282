// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/errors.h"
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using kernel::kVirtualMap;
using kernel::Layout;
using kernel::LayoutParams;
using kernel::MappingSize;
using kernel::PageAllocator;
using kernel::PageTable;

namespace {

constexpr Address kRam = 0x80200000;
constexpr std::uint64_t kRamBytes = 64 << 20;

/// Kernel page tables of a layout in plain memory, and a walk that does not know how they were built.
struct TableBench {
  FakeMemory memory;
  LayoutParams params;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<PageTable> tables;
  Address root = 0;

  void build() {
    layout = std::make_unique<Layout>(params, kVirtualMap, kRam, kRamBytes, 2, 1);
    tables = std::make_unique<PageTable>(*layout, memory);
    root = tables->build_kernel();
  }
  struct Found {
    Address pa = 0;
    unsigned level = 0;
    std::uint64_t bits = 0;
  };
  Found walk(Address from, Address va) {
    Address table = from;
    for (int level = 2; level >= 0; --level) {
      const std::uint64_t entry = memory.peek(table + 8 * ((va >> (12 + 9 * level)) & 511));
      if ((entry & 1) == 0) return {};
      const Address next = (entry >> 10) << 12;
      if ((entry & 0xe) != 0) {
        const std::uint64_t mask = (std::uint64_t{1} << (12 + 9 * level)) - 1;
        return {next + (va & mask), static_cast<unsigned>(level), entry & 0x3ff};
      }
      table = next;
    }
    return {};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(layout, TableBench)

BOOST_AUTO_TEST_CASE(every_object_is_mapped_where_the_symbol_list_says) {
  build();
  layout->add_data("a", 8, 8);
  layout->add_per_cpu("b", 8, 64);
  layout->add_slab("c", 100, 64);
  layout->add_stack("d");
  BOOST_TEST(layout->symbols().size() == 5u);
  for (const auto& symbol : layout->symbols()) {
    const Found found = walk(root, symbol.va);
    BOOST_TEST(found.pa == symbol.pa, symbol.name);
    BOOST_TEST((found.bits & kernel::kPteGlobal) != 0u, symbol.name);
    BOOST_TEST((found.bits & kernel::kPteUser) == 0u, symbol.name);
  }
}

BOOST_AUTO_TEST_CASE(the_symbol_list_says_where_an_object_was_placed) {
  build();
  layout->add_data("a", 8, 8);
  layout->add_per_cpu("b", 8, 64);
  layout->add_slab("c", 100, 64);
  layout->add_stack("d");
  layout->add_symbol({"main.x", 0x11000, kRam, 4, "user data"});
  std::vector<std::string> sections;
  for (const auto& symbol : layout->symbols()) sections.push_back(symbol.section);
  BOOST_TEST(sections == (std::vector<std::string>{".data", "percpu", "percpu", "slab", "stack", "user data"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(memory_beyond_what_the_architecture_reaches_is_refused) {
  kernel::VirtualMap map = kVirtualMap;
  map.physical_bits = 32;
  BOOST_CHECK_EXCEPTION(Layout(params, map, (Address{1} << 32) - (32 << 20), kRamBytes, 2, 1), base::ConfigError,
                        [](const base::ConfigError& e) {
                          return std::string(e.what()) ==
                                 "modules: memory ends beyond the 32-bit physical addresses of a page-table entry";
                        });
}

BOOST_AUTO_TEST_CASE(regions_are_mapped_with_their_page_sizes) {
  params.linear_map = MappingSize::small;
  params.vmemmap = MappingSize::large;
  build();
  const Address stack = layout->add_stack("stack");
  BOOST_TEST(walk(root, layout->linear(kRam + 0x123456)).level == 0u);
  BOOST_TEST(walk(root, layout->page_struct(kRam)).level == 1u);
  BOOST_TEST(walk(root, layout->text()).level == 1u);
  BOOST_TEST(walk(root, stack - 8).level == 0u);
  BOOST_TEST(walk(root, layout->linear(kRam + 0x123456)).pa == kRam + 0x123456);
}

BOOST_AUTO_TEST_CASE(a_linear_map_of_1_GiB_pages_fits_any_ram_base) {
  params.linear_map = MappingSize::huge;
  build();
  const Found found = walk(root, layout->linear(kRam + 0x123456));
  BOOST_TEST(found.level == 2u);
  BOOST_TEST(found.pa == kRam + 0x123456);
}

BOOST_AUTO_TEST_CASE(a_user_table_shares_the_kernel_half) {
  build();
  const Address user = tables->build_user();
  const Address va = layout->add_data("a", 8, 8);
  BOOST_TEST(walk(user, va).pa == walk(root, va).pa);
  BOOST_TEST(walk(user, 0x10000).pa == 0u);
  tables->map_user(user, 0x10000, 0x81000000, kernel::kUserText);
  BOOST_TEST(walk(user, 0x10234).pa == 0x81000234u);
  BOOST_TEST(walk(root, 0x10000).pa == 0u);
}

BOOST_AUTO_TEST_CASE(page_structs_are_64_bytes_apart_and_name_their_page) {
  build();
  BOOST_TEST(layout->page_struct(kRam + 4096) - layout->page_struct(kRam) == 64u);
  BOOST_TEST(layout->page_of(layout->page_struct(kRam + 5 * 4096)) == kRam + 5 * 4096);
}

BOOST_AUTO_TEST_CASE(per_cpu_copies_lie_on_different_pages) {
  build();
  const Address first = layout->add_per_cpu("x", 8, 8);
  BOOST_TEST(layout->per_cpu(first, 1) - first >= 4096u);
  BOOST_TEST(layout->physical(layout->per_cpu(first, 1)) - layout->physical(first) ==
             layout->per_cpu(first, 1) - first);
}

BOOST_AUTO_TEST_CASE(too_little_memory_is_the_users_fault) {
  BOOST_CHECK_THROW(Layout(params, kVirtualMap, kRam, 1 << 20, 2, 1), base::ConfigError);
}

BOOST_AUTO_TEST_CASE(too_many_stacks_name_the_parameter) {
  params.max_tasks = 1;
  build();
  for (int i = 0; i < 3; ++i) layout->add_stack("s");
  BOOST_CHECK_EXCEPTION(layout->add_stack("s"), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()).find("layout.max_tasks") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(page_allocator)

BOOST_AUTO_TEST_CASE(contiguous_pages_come_in_order_and_freed_ones_first) {
  PageAllocator pages(0x80000000, 16 * 4096, PageAllocator::Placement::contiguous, 1);
  BOOST_TEST(pages.boot_memory(100, 8) == 0x80000000u);
  BOOST_TEST(pages.allocate() == 0x80001000u);
  BOOST_TEST(pages.allocate() == 0x80002000u);
  pages.free(0x80001000);
  BOOST_TEST(pages.pages_in_use() == 1u);
  BOOST_TEST(pages.allocate() == 0x80001000u);
  BOOST_TEST(pages.allocate() == 0x80003000u);
}

BOOST_AUTO_TEST_CASE(random_pages_are_all_different_and_follow_the_seed) {
  const auto draw = [](std::uint64_t seed) {
    PageAllocator pages(0x80000000, 64 * 4096, PageAllocator::Placement::random, seed);
    std::vector<Address> result;
    for (int i = 0; i < 64; ++i) result.push_back(pages.allocate());
    return result;
  };
  const auto first = draw(1);
  BOOST_TEST(std::set<Address>(first.begin(), first.end()).size() == 64u);
  BOOST_TEST((first == draw(1)));
  BOOST_TEST((first != draw(2)));
  BOOST_TEST(*std::min_element(first.begin(), first.end()) == 0x80000000u);
  BOOST_TEST(*std::max_element(first.begin(), first.end()) == 0x8003f000u);
}

BOOST_AUTO_TEST_CASE(a_run_of_pages_lies_in_a_row_and_nobody_else_gets_them) {
  for (const auto placement : {PageAllocator::Placement::contiguous, PageAllocator::Placement::random}) {
    PageAllocator pages(0x80000000, 64 * 4096, placement, 1);
    std::set<Address> seen;
    for (int i = 0; i < 20; ++i) seen.insert(pages.allocate());
    for (int run = 0; run < 4; ++run) {
      const Address first = pages.allocate_run(3);
      for (Address page = first; page < first + 3 * 4096; page += 4096) BOOST_TEST(seen.insert(page).second);
    }
    for (int i = 0; i < 32; ++i) seen.insert(pages.allocate());
    BOOST_TEST(seen.size() == 64u);
    BOOST_TEST(*seen.begin() == 0x80000000u);
    BOOST_TEST(*seen.rbegin() == 0x8003f000u);
  }
}

BOOST_AUTO_TEST_CASE(a_run_never_has_pages_that_were_freed) {
  PageAllocator pages(0x80000000, 4 * 4096, PageAllocator::Placement::contiguous, 1);
  pages.free(pages.allocate());
  BOOST_TEST(pages.allocate_run(2) == 0x80001000u);
}

BOOST_AUTO_TEST_CASE(a_run_that_fits_nowhere_is_refused) {
  for (const auto placement : {PageAllocator::Placement::contiguous, PageAllocator::Placement::random}) {
    PageAllocator pages(0x80000000, 4 * 4096, placement, 1);
    pages.allocate();
    BOOST_CHECK_EXCEPTION(pages.allocate_run(4), base::ConfigError, [](const base::ConfigError& e) {
      return std::string(e.what()) == "kernel: out of memory: no 4 free pages in a row";
    });
  }
}

BOOST_AUTO_TEST_CASE(the_last_page_can_be_had_and_no_more) {
  PageAllocator pages(0x80000000, 2 * 4096, PageAllocator::Placement::contiguous, 1);
  pages.allocate();
  pages.allocate();
  BOOST_CHECK_THROW(pages.allocate(), base::ConfigError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

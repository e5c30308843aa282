// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel_bench.h"
#include "kernel/user_memory.h"

/// What the memory of processes asks an architecture to flush, and when.
namespace switchyard::test {

using kernel::AddressSpace;
using kernel::UserMm;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr Address kFrom = 0x2000000000, kTo = 0x2100000000;

/// Writes down the flushes, each with the pages that are in use then.
struct RecordingMm : UserMm {
  RecordingMm(kernel::PageTable& tables, kernel::Layout& memory, std::vector<std::string>& list)
      : UserMm(tables), layout(memory), calls(list) {}
  void flush_tlb_page(cpu::CpuOps&, const AddressSpace&, Address va) override {
    calls.push_back("page " + std::to_string(va >> 12));
  }
  void flush_tlb_range(cpu::CpuOps&, const AddressSpace&, Address, Address) override {}
  void update_mmu_cache_range(cpu::CpuOps&, Address, unsigned) override {}
  void tlb_flush(cpu::CpuOps&, const AddressSpace& mm, const Unmapped& u) override {
    pages_at_flush = layout.pages().pages_in_use();
    calls.push_back(
        "flush " + mm.name +
        (u.fullmm ? " all"
                  : " " + std::to_string((u.start - kFrom) >> 12) + " to " + std::to_string((u.end - kFrom) >> 12)) +
        (u.freed_tables ? " and tables" : ""));
  }
  void flush_tlb_mm(cpu::CpuOps&, const AddressSpace& mm) override { calls.push_back("flush_tlb_mm " + mm.name); }
  cpu::FunctionId flush_function() const override { return 0; }
  void init_new_context(cpu::CpuOps&, const AddressSpace&) override {}
  bool nested_flushes_all() const override { return nested_all; }
  bool downgrades_mmap_sem() const override { return false; }

  kernel::Layout& layout;
  std::vector<std::string>& calls;
  bool nested_all = false;
  std::uint64_t pages_at_flush = 0;
};

struct FlushTest {
  cpu::FunctionTable functions;
  kernel::KernelCosts costs;
  kernel::KernelStats stats;
  FakeMemory memory;
  FakeCpu cpu{memory, 0};
  kernel::TicketLocks locks;
  kernel::NativeAtomics atomics;
  kernel::Layout layout{{}, kernel::kVirtualMap, 0x80000000, 64 << 20, 1, 1};
  LinearMemory linear{memory, layout};
  kernel::KernelServices basics{layout, functions, costs, locks, atomics, stats};
  kernel::RestCosts rest{1u};
  kernel::MemoryNode node{basics, rest};
  kernel::PageTable tables{layout, linear};
  RecordingObserver observer{functions};
  RecordingMm arch{tables, layout, observer.calls};
  kernel::MmServices services{basics, rest, arch, node, &observer};
  kernel::UserMemory user{{}, services, arch, tables};
  kernel::Thread thread;
  AddressSpace first;
  AddressSpace* mm = nullptr;

  FlushTest() {
    cpu.set_functions(&functions);
    functions.add("flush", cpu::Domain::kernel);
    thread.stack_end = layout.add_stack("stack");
    first.name = "first";
    first.fields.base = layout.add_slab("first", kernel::MmFields::size(1), 64);
    mm = &user.mm_alloc(cpu, first, "mm");
  }
  Address map(std::uint64_t pages) { return user.mmap(cpu, *mm, kFrom, kTo, pages * kPage); }
  void write(Address va) { user.do_page_fault(cpu, *mm, va, cpu::Access::store); }
  /// The flushes of an action, without the pages that they are about.
  template <class F>
  std::vector<std::string> flushes(F action) {
    observer.calls.clear();
    action();
    std::vector<std::string> result;
    for (const std::string& call : observer.calls)
      if (call.rfind("unmapped", 0) != 0) result.push_back(call);
    return result;
  }
};

using Calls = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(user_memory_flush, FlushTest)

BOOST_AUTO_TEST_CASE(munmap_flushes_what_it_found_with_the_tables_before_any_page_is_free) {
  const Address p = map(8);
  write(p + 2 * kPage);
  write(p + 4 * kPage);
  const std::uint64_t before = layout.pages().pages_in_use();
  const Calls calls = flushes([&] { user.munmap(cpu, thread, *mm, p, p + 8 * kPage); });
  BOOST_TEST(calls == (Calls{"flush mm 0 to 5 and tables", "relied on"}), boost::test_tools::per_element());
  BOOST_TEST(arch.pages_at_flush >= before);
  // Two pages that wait for their LRU list came to it before, and two tables went.
  BOOST_TEST(layout.pages().pages_in_use() == before - 4);
}

BOOST_AUTO_TEST_CASE(madvise_flushes_the_pages_and_keeps_the_tables) {
  const Address p = map(8);
  write(p + 2 * kPage);
  write(p + 4 * kPage);
  BOOST_TEST(flushes([&] { user.madvise_dontneed(cpu, thread, *mm, p, p + 8 * kPage); }) ==
                 (Calls{"flush mm 2 to 5", "relied on"}),
             boost::test_tools::per_element());
  BOOST_TEST(flushes([&] { user.madvise_dontneed(cpu, thread, *mm, p, p + 8 * kPage); }).empty());
}

BOOST_AUTO_TEST_CASE(a_table_that_a_neighbour_needs_stays) {
  const Address p = map(4), neighbour = map(4);
  write(p);
  write(neighbour);
  BOOST_TEST(
      flushes([&] { user.munmap(cpu, thread, *mm, p, p + 4 * kPage); }) == (Calls{"flush mm 0 to 1", "relied on"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_touched_is_nothing_flushed) {
  const Address p = map(4);
  BOOST_TEST(flushes([&] { user.munmap(cpu, thread, *mm, p, p + 4 * kPage); }).empty());
}

BOOST_AUTO_TEST_CASE(who_finds_entries_that_another_has_cleared_flushes_all_the_same) {
  const Address p = map(4);
  write(p);
  user.madvise_dontneed(cpu, thread, *mm, p, p + 4 * kPage);
  memory.poke(mm->fields.tlb_flush_pending(), 1, 4);
  BOOST_TEST(flushes([&] { user.madvise_dontneed(cpu, thread, *mm, p, p + 4 * kPage); }) ==
                 (Calls{"flush mm 0 to 4", "relied on"}),
             boost::test_tools::per_element());
  arch.nested_all = true;
  BOOST_TEST(flushes([&] { user.madvise_dontneed(cpu, thread, *mm, p, p + 4 * kPage); }) ==
                 (Calls{"flush mm all and tables", "relied on"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(fork_takes_the_right_to_write_and_flushes_the_parent_once) {
  const Address p = map(4);
  write(p);
  write(p + kPage);
  AddressSpace& child = user.mm_alloc(cpu, *mm, "child");
  BOOST_TEST(flushes([&] { user.dup_mmap(cpu, *mm, child); }) == (Calls{"flush_tlb_mm mm", "relied on"}),
             boost::test_tools::per_element());
  for (const AddressSpace* space : {static_cast<const AddressSpace*>(mm), static_cast<const AddressSpace*>(&child)}) {
    const auto pte = arch.decode(memory.peek(tables.find_entry(cpu, *space, p), 8));
    BOOST_TEST(pte.present);
    BOOST_TEST(!pte.writable);
  }
  BOOST_TEST(flushes([&] { write(p); }) == (Calls{"page " + std::to_string(p >> 12), "relied on"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_end_of_an_address_space_is_one_flush_of_all_of_it) {
  map(4);
  write(map(4));
  BOOST_TEST(flushes([&] { user.mmput(cpu, thread, *mm); }) == (Calls{"flush mm all and tables", "relied on"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "kernel/machine_fixture.h"

namespace switchyard::test {

using base::Address;
using kernel::Task;
using kernel::UserData;

namespace {

const std::vector<UserData> kRegions{{"a", 4, 64, 0}, {"b", 8192, 64, 8}, {"c", 64, 4096, 64}, {"d", 4, 4, 0}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(user_data, MachineTest)

BOOST_AUTO_TEST_CASE(regions_lie_where_their_alignment_and_offset_say_without_overlap) {
  build(1);
  const Task& task = kernel->spawn_process(
      "main", [](Task&) {}, kRegions);
  Address end = 0;
  for (const UserData& region : kRegions) {
    const Address va = kernel->data(task, region.name);
    BOOST_TEST(va % region.alignment == region.offset % region.alignment, region.name);
    BOOST_TEST(va >= end, region.name);
    end = va + region.size;
  }
  BOOST_TEST(kernel->data(task, "b") == kernel->data(task, "a") + 8);
}

BOOST_AUTO_TEST_CASE(regions_are_listed_with_physical_addresses_in_a_row) {
  build(1);
  kernel->spawn_process(
      "main", [](Task&) {}, kRegions);
  std::vector<kernel::Symbol> found;
  for (const auto& symbol : kernel->symbols())
    if (symbol.section == "user data") found.push_back(symbol);
  BOOST_TEST_REQUIRE(found.size() == 4u);
  BOOST_TEST(found[1].name == "main.b");
  BOOST_TEST(found[1].size == 8192u);
  for (const auto& symbol : found) BOOST_TEST(symbol.pa - found[0].pa == symbol.va - found[0].va, symbol.name);
  BOOST_TEST(found[0].pa % 4096 == found[0].va % 4096);
}

BOOST_AUTO_TEST_CASE(a_process_without_data_of_that_name_is_refused) {
  build(1);
  const Task& task = kernel->spawn_process(
      "main", [](Task&) {}, kRegions);
  BOOST_CHECK_EXCEPTION(kernel->data(task, "e"), base::ConfigError,
                        [](const base::ConfigError& e) { return std::string(e.what()) == "main: has no data 'e'"; });
  BOOST_CHECK_THROW(kernel->peek(task, kernel->data(task, "a") + 4, 4), base::ConfigError);
}

BOOST_AUTO_TEST_CASE(data_start_as_zeros_and_need_no_page_fault) {
  build(1);
  std::uint64_t read = 99;
  kernel->spawn_process(
      "main",
      [&](Task& task) {
        const Address va = kernel->data(task, "b") + 4096;
        read = task.cpu().load(va);
        kernel->touch(task, va, 64, 8, cpu::Access::store);
      },
      kRegions);
  run_ms(1);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(read == 0u);
  BOOST_TEST(count("page_faults") == 0u);
}

BOOST_AUTO_TEST_CASE(no_atomic_add_of_any_thread_is_lost_and_processes_have_data_of_their_own) {
  build(4);
  const Task* first[2] = {};
  std::uint64_t before_last = 0;
  const auto body = [&](Task& task) {
    std::vector<Task*> threads;
    for (int i = 0; i < 8; ++i)
      threads.push_back(&kernel->spawn_thread(task, "t", -1, [&](Task& me) {
        for (int k = 0; k < 100; ++k) kernel->atomic_add(me, kernel->data(me, "a"), -1, 4);
      }));
    for (Task* thread : threads) kernel->join(task, *thread);
    before_last = kernel->atomic_add(task, kernel->data(task, "a"), 801, 4);
  };
  for (const int i : {0, 1}) first[i] = &kernel->spawn_process("p" + std::to_string(i), body, kRegions);
  run_ms(50);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  BOOST_TEST(before_last == 0xfffffce0u);
  for (const Task* task : first) BOOST_TEST(kernel->peek(*task, kernel->data(*task, "a"), 4) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "workloads/data.h"

#include <array>

#include "workloads/workload_fixture.h"

namespace switchyard::test {

using workloads::AtomicAddParams;
using workloads::DataParams;
using workloads::ExpectParams;
using workloads::PinKind;

namespace {

using Calls = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

struct DataTest : WorkloadTest {
  void atomic_add(Steps& steps, const std::string& data, std::uint64_t offset = 0, std::uint64_t stride = 0,
                  std::int64_t value = 1, std::uint64_t width = 4) const {
    add<AtomicAddParams>(steps, "atomic_add", [&](auto& p) {
      p.data = data;
      p.offset = {offset};
      p.stride = {stride};
      p.value = value;
      p.width = {width};
    });
  }
  void expect(Steps& steps, const std::string& data, std::int64_t value, std::uint64_t width = 4) const {
    add<ExpectParams>(steps, "expect", [&](auto& p) {
      p.data = data;
      p.value = value;
      p.width = {width};
    });
  }
  void data(const std::string& name, std::uint64_t size, std::uint64_t alignment = 8, std::uint64_t offset = 0) {
    params->processes.back().data.emplace_back(name, DataParams{});
    DataParams& made = params->processes.back().data.back().second;
    made.size = {size};
    made.alignment = {alignment};
    made.offset = {offset};
  }
  /// `steps` as the program of process main, which has 64 B of `counters`.
  void prepare(Steps steps) {
    program("main", std::move(steps));
    process("main");
    data("counters", 64, 64);
  }
  std::string failure() {
    try {
      kernel.run(0);
    } catch (const base::CheckError& error) {
      return error.what();
    }
    return "none";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(workload_data, DataTest)

BOOST_AUTO_TEST_CASE(the_kernel_is_asked_for_the_data_of_a_process_in_order) {
  prepare({});
  data("more", 4, 4, 0);
  start();
  BOOST_TEST_REQUIRE(kernel.regions.size() == 2u);
  BOOST_TEST(kernel.regions[0].name == "counters");
  BOOST_TEST(kernel.regions[0].size == 64u);
  BOOST_TEST(kernel.regions[0].alignment == 64u);
  BOOST_TEST(kernel.regions[1].name == "more");
}

BOOST_AUTO_TEST_CASE(an_atomic_add_uses_offset_value_and_width) {
  Steps steps;
  atomic_add(steps, "counters");
  atomic_add(steps, "counters", 8, 0, -1, 8);
  prepare(std::move(steps));
  start();
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"main adds 1 to 4 bytes at 131072", "main adds -1 to 8 bytes at 131080"}), each);
}

BOOST_AUTO_TEST_CASE(a_touch_walks_over_data_as_over_a_region) {
  Steps steps;
  add<workloads::TouchParams>(steps, "touch", [](auto& p) {
    p.data = "counters";
    p.access = cpu::Access::store;
    p.stride = {16};
  });
  prepare(std::move(steps));
  start();
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"write 131072 64 16"}), each);
}

BOOST_AUTO_TEST_CASE(a_touch_names_either_a_region_or_data) {
  workloads::TouchParams touch;
  BOOST_TEST(touch.check() == "needs either a region or data to walk over");
  touch.data = "counters";
  BOOST_TEST(touch.check() == "");
  touch.region = "p";
  BOOST_TEST(touch.check() == "needs either a region or data to walk over");
}

BOOST_AUTO_TEST_CASE(threads_count_by_their_program_and_over_all_spawns) {
  Steps thread, other, body, steps;
  atomic_add(thread, "counters", 0, 8);
  atomic_add(other, "counters", 4, 8);
  program("t", std::move(thread));
  program("o", std::move(other));
  spawn(body, "t", 2, PinKind::none);
  loop(steps, 2, std::move(body));
  spawn(steps, "o", 1, PinKind::none);
  atomic_add(steps, "counters", 0, 8);
  prepare(std::move(steps));
  start();
  kernel.run(0);
  kernel.calls.clear();
  for (const unsigned id : {4u, 3u, 2u, 1u, 5u}) kernel.run(id);  // whatever runs first
  BOOST_TEST(kernel.calls == (Calls{"t adds 1 to 4 bytes at 131096", "t adds 1 to 4 bytes at 131088",
                                    "t adds 1 to 4 bytes at 131080", "t adds 1 to 4 bytes at 131072",
                                    "o adds 1 to 4 bytes at 131076"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_thread_whose_word_lies_beyond_the_data_is_a_failed_check) {
  Steps thread, steps;
  atomic_add(thread, "counters", 32, 32);
  program("t", std::move(thread));
  spawn(steps, "t", 2, PinKind::none);
  prepare(std::move(steps));
  start();
  kernel.run(0);
  kernel.run(1);
  BOOST_CHECK_EXCEPTION(kernel.run(2), base::CheckError, [](const base::CheckError& error) {
    return std::string(error.what()) ==
           "workload: atomic_add: the word of thread 1 of 't' lies beyond the 64 B of data 'counters'";
  });
}

BOOST_AUTO_TEST_CASE(an_expectation_that_holds_says_nothing) {
  Steps steps;
  expect(steps, "counters", 0);
  expect(steps, "counters", 0, 1);
  prepare(std::move(steps));
  start();
  BOOST_TEST(failure() == "none");
}

BOOST_AUTO_TEST_CASE(an_expectation_that_fails_names_data_word_value_and_what_was_expected) {
  Steps steps;
  expect(steps, "counters", 3);
  prepare(std::move(steps));
  start();
  kernel.word = 5;
  BOOST_TEST(failure() == "workload: expect: word 0 of data 'counters' is 5, expected 3");
}

BOOST_AUTO_TEST_CASE(words_are_shown_as_signed_numbers_of_their_width) {
  Steps steps;
  expect(steps, "counters", -1, 2);
  expect(steps, "counters", 0, 2);
  prepare(std::move(steps));
  start();
  kernel.word = 0xffff;
  BOOST_TEST(failure() == "workload: expect: word 0 of data 'counters' is -1, expected 0");
}

BOOST_AUTO_TEST_CASE(data_that_no_process_has_are_refused) {
  Steps thread, steps;
  atomic_add(thread, "counter");
  program("t", std::move(thread));
  spawn(steps, "t", 1, PinKind::none);
  prepare(std::move(steps));
  BOOST_TEST(params->check() == "program 't' names data 'counter', which process 'main' does not have; data: counters");
}

BOOST_AUTO_TEST_CASE(every_process_that_may_run_a_program_needs_its_data) {
  Steps steps;
  expect(steps, "counters", 0);
  prepare(std::move(steps));
  BOOST_TEST(params->check() == "");
  process("main");
  BOOST_TEST(params->check() == "program 'main' names data 'counters', which process 'main' does not have; data: none");
}

BOOST_AUTO_TEST_CASE(a_program_that_no_thread_runs_needs_no_data) {
  Steps steps;
  expect(steps, "counters", 0);
  program("never", std::move(steps));
  prepare({});
  BOOST_TEST(params->check() == "");
}

BOOST_AUTO_TEST_CASE(a_word_beyond_its_data_is_refused) {
  Steps steps;
  atomic_add(steps, "counters", 62);
  prepare(std::move(steps));
  BOOST_TEST(params->check() == "program 'main' names data 'counters': 4 B at offset 62 B lie beyond its 64 B");
}

BOOST_AUTO_TEST_CASE(a_word_that_is_not_aligned_is_refused) {
  for (const auto [offset, alignment, shift] : {std::array{2ul, 64ul, 0ul}, {0ul, 2ul, 0ul}, {0ul, 64ul, 2ul}}) {
    params = std::make_unique<workloads::WorkloadParams>(registry);
    Steps steps;
    atomic_add(steps, "counters", offset);
    program("main", std::move(steps));
    process("main");
    data("counters", 64, alignment, shift);
    BOOST_TEST(params->check() == "program 'main' names data 'counters': 4 B at offset " + std::to_string(offset) +
                                      " B are not aligned there; its alignment and offset and this offset must be "
                                      "multiples of the width");
  }
}

BOOST_AUTO_TEST_CASE(data_that_are_no_whole_number_of_words_are_refused) {
  Steps steps;
  expect(steps, "counters", 0, 8);
  program("main", std::move(steps));
  process("main");
  data("counters", 12);
  BOOST_TEST(params->check() == "program 'main' names data 'counters': its 12 B are no multiple of 8 B");
}

BOOST_AUTO_TEST_CASE(parameters_that_contradict_each_other_are_refused) {
  DataParams region;
  region.alignment = {48};
  BOOST_TEST(region.check() == "alignment must be a power of two, got 48 B");
  region.alignment = region.offset = {64};
  BOOST_TEST(region.check() == "offset must be less than alignment, got 64 B of 64 B");
  region.offset = {63};
  BOOST_TEST(region.check() == "");
  AtomicAddParams add;
  BOOST_TEST(add.check() == "");
  add.stride = {6};
  BOOST_TEST(add.check() == "stride must be a multiple of width, got 6 B and 4 B");
  add.width = {6};
  BOOST_TEST(add.check() == "width must be a power of two, got 6 B");
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_its_word_is_refused) {
  ExpectParams expect;
  expect.width = {1};
  for (const std::int64_t value : {-128, -1, 0, 255}) {
    expect.value = value;
    BOOST_TEST(expect.check() == "", value);
  }
  for (const std::int64_t value : {-129, 256}) {
    expect.value = value;
    BOOST_TEST(expect.check() == "value " + std::to_string(value) + " does not fit into 1 B");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

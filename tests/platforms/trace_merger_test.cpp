// SPDX-License-Identifier: Apache-2.0
#include "platforms/trace_merger.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "base/errors.h"

namespace switchyard::test {

using kernel::TraceEvent;

namespace {

constexpr std::uint64_t kUs = 1'000'000;  // ps

struct MergerTest : platforms::TraceSink {
  std::vector<TraceEvent> got;
  std::uint64_t now_ps = 0;
  platforms::TraceMerger merger{this, [this] { return now_ps; }};

  void begin(unsigned) override {}
  void event(const TraceEvent& event) override { got.push_back(event); }

  void add(std::uint64_t time_ps, unsigned cpu, unsigned pid = 0) {
    merger.record({time_ps, cpu, kernel::SchedProcessExit{{"task", pid, pid}}});
  }
  unsigned pid(std::size_t i) const { return std::get<kernel::SchedProcessExit>(got.at(i).what).task.pid; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(trace_merger, MergerTest)

BOOST_AUTO_TEST_CASE(events_of_cpus_that_run_ahead_are_put_in_order) {
  add(30, 0, 1);
  add(10, 1, 2);
  add(20, 0, 3);  // an interrupt handler, before what its CPU has already run
  add(20, 2, 4);
  merger.finish();
  BOOST_TEST_REQUIRE(got.size() == 4u);
  BOOST_TEST(pid(0) == 2u);
  BOOST_TEST(pid(1) == 3u);
  BOOST_TEST(pid(2) == 4u);
  BOOST_TEST(pid(3) == 1u);
}
BOOST_AUTO_TEST_CASE(equal_times_come_in_order_of_cpus_and_then_of_arrival) {
  add(10, 1, 1);
  add(10, 0, 2);
  add(10, 1, 3);
  add(10, 0, 4);
  merger.finish();
  BOOST_TEST_REQUIRE(got.size() == 4u);
  BOOST_TEST(pid(0) == 2u);
  BOOST_TEST(pid(1) == 4u);
  BOOST_TEST(pid(2) == 1u);
  BOOST_TEST(pid(3) == 3u);
}
BOOST_AUTO_TEST_CASE(events_go_on_while_the_run_does) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    now_ps = i * kUs;
    add(now_ps, 0);
  }
  BOOST_TEST(got.size() > 90'000u);
  merger.finish();
  BOOST_TEST(got.size() == 100'000u);
}
BOOST_AUTO_TEST_CASE(what_an_earlier_event_may_still_follow_is_kept) {
  now_ps = kUs;
  for (unsigned i = 0; i < 10'000; ++i) add(100 * kUs + i, 0);
  BOOST_TEST(got.empty());
  add(2 * kUs, 1, 7);
  merger.finish();
  BOOST_TEST(pid(0) == 7u);
}
BOOST_AUTO_TEST_CASE(without_a_sink_nobody_observes) {
  platforms::TraceMerger nothing(nullptr, [] { return std::uint64_t{0}; });
  BOOST_TEST(nothing.observer() == nullptr);
  BOOST_TEST(merger.observer() == &merger);
  nothing.begin(4);
  nothing.finish();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

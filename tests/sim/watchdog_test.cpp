// SPDX-License-Identifier: Apache-2.0
#include "sim/watchdog.h"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "support/sim_test.h"

namespace switchyard::test {

namespace {

constexpr std::uint64_t kMost = 1000;

/// Processes that wake each other `rings` times in a row at 1 us; for ever with 0.
struct Ring : sc_core::sc_module {
  explicit Ring(const sc_core::sc_module_name& name, std::uint64_t rings = 0) : sc_core::sc_module(name), left(rings) {
    SC_HAS_PROCESS(Ring);
    SC_METHOD(ping);
    sensitive << ping_event;
    dont_initialize();
    SC_THREAD(pong);
    SC_METHOD(quiet);
  }
  void ping() {
    ++pings;
    if (left == 0 || --left != 0) pong_event.notify(sc_core::SC_ZERO_TIME);
  }
  void pong() {
    wait(1, sc_core::SC_US);
    for (;;) {
      ping_event.notify(sc_core::SC_ZERO_TIME);
      wait(pong_event);
    }
  }
  void quiet() {}
  sc_core::sc_event ping_event, pong_event;
  std::uint64_t left, pings = 0;
};

struct WatchdogTest : SimTest {
  std::atomic<bool> interrupt{false};
  std::unique_ptr<sim::Watchdog> watchdog = std::make_unique<sim::Watchdog>(kMost, &interrupt);
  static void run() { sc_core::sc_start(1, sc_core::SC_MS); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_verdict_comes_at_the_same_delta_cycle_each_time) {
  std::uint64_t counts[2];
  for (std::uint64_t& count : counts) {
    const WatchdogTest test;
    const Ring ring("ring");
    WatchdogTest::run();
    count = sc_core::sc_delta_count();
  }
  BOOST_TEST(counts[0] == counts[1]);
  BOOST_TEST(counts[0] > kMost);
}

BOOST_FIXTURE_TEST_SUITE(watchdog, WatchdogTest)

BOOST_AUTO_TEST_CASE(processes_that_wake_each_other_for_ever_are_stopped_and_named) {
  Ring ring("ring");
  run();
  BOOST_TEST(watchdog->found_endless_delta_cycles());
  BOOST_TEST(watchdog->running() == (std::set<std::string>{"ring.ping", "ring.pong"}),
             boost::test_tools::per_element());
  BOOST_TEST(sc_core::sc_time_stamp() == sc_core::sc_time(1, sc_core::SC_US));
  BOOST_TEST(ring.pings >= kMost / 2);
  BOOST_TEST(ring.pings < kMost);  // the verdict comes soon after the limit
}

BOOST_AUTO_TEST_CASE(as_many_delta_cycles_as_the_limit_allows_are_left_alone) {
  Ring ring("ring", kMost / 2 - 10);
  run();
  BOOST_TEST(!watchdog->found_endless_delta_cycles());
  BOOST_TEST(ring.pings == kMost / 2 - 10);
  BOOST_TEST(sc_core::sc_time_stamp() == sc_core::sc_time(1, sc_core::SC_MS));
}

BOOST_AUTO_TEST_CASE(delta_cycles_at_different_times_do_not_add_up) {
  struct Clocked : sc_core::sc_module {
    explicit Clocked(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
      SC_HAS_PROCESS(Clocked);
      SC_METHOD(step);
    }
    void step() {
      ++steps;
      next_trigger(steps % 100 == 0 ? sc_core::sc_time(1, sc_core::SC_NS) : sc_core::SC_ZERO_TIME);
    }
    std::uint64_t steps = 0;
  } clocked("clocked");
  run();
  BOOST_TEST(clocked.steps > 10 * kMost);
  BOOST_TEST(!watchdog->found_endless_delta_cycles());
}

BOOST_AUTO_TEST_CASE(an_interrupt_pauses_at_the_next_delta_cycle) {
  struct Interrupter : sc_core::sc_module {
    Interrupter(const sc_core::sc_module_name& name, std::atomic<bool>& flag_) : sc_core::sc_module(name), flag(flag_) {
      SC_HAS_PROCESS(Interrupter);
      SC_METHOD(step);
    }
    void step() {
      if (++steps == 5) flag = true;
      next_trigger(1, sc_core::SC_NS);
    }
    std::atomic<bool>& flag;
    unsigned steps = 0;
  } interrupter("interrupter", interrupt);
  run();
  BOOST_TEST(watchdog->was_interrupted());
  BOOST_TEST(interrupter.steps == 5u);
  BOOST_TEST(sc_core::sc_time_stamp() == sc_core::sc_time(4, sc_core::SC_NS));
}

BOOST_AUTO_TEST_CASE(a_watchdog_that_is_gone_is_not_called) {
  watchdog.reset();
  Ring ring("ring", 2 * kMost);
  run();
  BOOST_TEST(ring.pings == 2 * kMost);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "sim/clock.h"

#include <boost/test/unit_test.hpp>

#include "base/random.h"

namespace switchyard::test {

using base::Uint128;
using sim::Clock;

namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
constexpr std::uint64_t kFrequencies[] = {1,
                                          32'768,
                                          1'000'000,
                                          999'999'937,  // a prime: nothing cancels
                                          1'000'000'000,
                                          1'200'000'000,
                                          1'850'000'000,
                                          3'000'000'000,
                                          kPsPerSecond};

/// floor(cycle * 10^12 / hz), by 128-bit arithmetic without reduction.
std::uint64_t exact_ps(std::uint64_t cycle, std::uint64_t hz) {
  return static_cast<std::uint64_t>(static_cast<Uint128>(cycle) * kPsPerSecond / hz);
}

/// The largest cycle that still starts within 64 bits of picoseconds, and is itself one.
std::uint64_t last_cycle(std::uint64_t hz) {
  return static_cast<std::uint64_t>(static_cast<Uint128>(~std::uint64_t{0}) * hz / kPsPerSecond);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clock)

BOOST_AUTO_TEST_CASE(cycles_start_at_their_exact_time_rounded_down) {
  const Clock slow({1'200'000'000}), odd({1'850'000'000}), fast({3'000'000'000});
  BOOST_TEST(slow.ps_at(1) == 833u);  // 833 1/3
  BOOST_TEST(slow.ps_at(6) == 5'000u);
  BOOST_TEST(odd.ps_at(1) == 540u);  // 540 20/37
  BOOST_TEST(odd.ps_at(37) == 20'000u);
  BOOST_TEST(fast.ps_at(1) == 333u);
  BOOST_TEST(fast.ps_at(2) == 666u);
  BOOST_TEST(fast.ps_at(3) == 1'000u);
}

BOOST_AUTO_TEST_CASE(a_million_seconds_are_a_million_times_the_frequency) {
  for (const std::uint64_t hz : {1'200'000'000u, 1'850'000'000u, 3'000'000'000u}) {
    const Clock clock({hz});
    BOOST_TEST(clock.ps_at(1'000'000 * hz) == 1'000'000 * kPsPerSecond);
    BOOST_TEST(clock.cycle_at(1'000'000 * kPsPerSecond) == 1'000'000 * hz);
  }
}

BOOST_AUTO_TEST_CASE(there_is_no_drift_around_ten_to_the_fifteen_cycles) {
  for (const std::uint64_t hz : {1'200'000'000u, 1'850'000'000u, 3'000'000'000u}) {
    const Clock clock({hz});
    for (std::uint64_t n = 1'000'000'000'000'000 - 100; n < 1'000'000'000'000'000 + 100; ++n) {
      BOOST_TEST_REQUIRE(clock.ps_at(n) == exact_ps(n, hz));
      BOOST_TEST_REQUIRE(clock.cycle_at(clock.ps_at(n)) == n);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_cycle_at_the_start_of_a_cycle_is_that_cycle) {
  base::RandomStream random(1, "clock");
  for (const std::uint64_t hz : kFrequencies) {
    const Clock clock({hz});
    const std::uint64_t bound = last_cycle(hz) + (hz == kPsPerSecond ? 0 : 1);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t n = random.below(bound) >> random.below(60);
      BOOST_TEST_REQUIRE(clock.ps_at(n) == exact_ps(n, hz));
      BOOST_TEST_REQUIRE(clock.cycle_at(clock.ps_at(n)) == n);
    }
  }
}

BOOST_AUTO_TEST_CASE(cycle_at_is_the_first_cycle_that_does_not_start_earlier) {
  base::RandomStream random(2, "clock");
  for (const std::uint64_t hz : kFrequencies) {
    const Clock clock({hz});
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t ps = random.below(kPsPerSecond * 1'000'000) >> random.below(60);
      const std::uint64_t n = clock.cycle_at(ps);
      // n starts at n * 10^12 / hz exactly.
      BOOST_TEST_REQUIRE((static_cast<Uint128>(n) * kPsPerSecond >= static_cast<Uint128>(ps) * hz));
      BOOST_TEST_REQUIRE((n == 0 || static_cast<Uint128>(n - 1) * kPsPerSecond < static_cast<Uint128>(ps) * hz));
    }
  }
}

BOOST_AUTO_TEST_CASE(later_cycles_never_start_earlier) {
  for (const std::uint64_t hz : kFrequencies) {
    const Clock clock({hz});
    for (std::uint64_t start : {std::uint64_t{0}, last_cycle(hz) / 3, last_cycle(hz) - 1001})
      for (std::uint64_t n = start; hz > 1'000'000 && n < start + 1000; ++n)
        BOOST_TEST_REQUIRE(clock.ps_at(n) <= clock.ps_at(n + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_cost_in_time_is_rounded_up_to_whole_cycles) {
  const Clock clock({1'200'000'000});
  BOOST_TEST(clock.cycles(base::cycles(7)) == 7u);
  BOOST_TEST(clock.cycles(base::nanoseconds(0)) == 0u);
  BOOST_TEST(clock.cycles(base::nanoseconds(1)) == 2u);    // 1.2
  BOOST_TEST(clock.cycles(base::nanoseconds(5)) == 6u);    // exact
  BOOST_TEST(clock.cycles(base::nanoseconds(80)) == 96u);  // exact
}

BOOST_AUTO_TEST_CASE(a_cost_in_cycles_is_rounded_down_to_picoseconds) {
  const Clock clock({1'850'000'000});
  BOOST_TEST(clock.ps(base::cycles(20)) == 10'810u);  // 10810.8
  BOOST_TEST(clock.ps(base::nanoseconds(100)) == 100'000u);
}

BOOST_AUTO_TEST_CASE(a_systemc_tick_is_a_picosecond) {
  BOOST_TEST(sim::to_ps(sc_core::sc_time(3, sc_core::SC_NS)) == 3000u);
  BOOST_TEST((sim::from_ps(1'500'000) == sc_core::sc_time(1.5, sc_core::SC_US)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

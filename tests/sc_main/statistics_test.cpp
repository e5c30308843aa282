// SPDX-License-Identifier: Apache-2.0
#include "sc_main/statistics.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "base/random.h"

using namespace switchyard;
using cli::Difference;

namespace {

const auto kClose = boost::test_tools::tolerance(1e-6);

/// Values around `mean` with the standard deviation `spread`, each the sum of twelve uniform ones (nearly normal).
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed, "noise") {}
  double next(double mean, double spread) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_.next() >> 11) * 0x1p-53;
    return mean + spread * sum;
  }

 private:
  base::RandomStream random_;
};

/// Comparisons called different of 200, each of 8 pairs whose values vary by 1 % and differ by `shift`.
std::size_t called_different(double shift) {
  std::size_t count = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Noise noise(trial);
    std::vector<double> a, b;
    for (int seed = 0; seed < 8; ++seed) {
      a.push_back(noise.next(100, 0.5));
      b.push_back(noise.next(100 * (1 + shift), 0.5));
    }
    count += cli::paired_difference(a, b).is_significant() ? 1 : 0;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(statistics)

// Quantiles and tails: NIST/SEMATECH e-Handbook of Statistical Methods, table of Student's t, upper 2.5 %.
BOOST_AUTO_TEST_CASE(quantiles_are_those_of_the_tables) {
  BOOST_TEST(cli::student_t_quantile(1) == 12.706, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(cli::student_t_quantile(4) == 2.776, boost::test_tools::tolerance(2e-4));
  BOOST_TEST(cli::student_t_quantile(9) == 2.262, boost::test_tools::tolerance(2e-4));
  BOOST_TEST(cli::student_t_quantile(30) == 2.042, boost::test_tools::tolerance(2e-4));
  BOOST_TEST(cli::student_t_quantile(100) == 1.984, boost::test_tools::tolerance(2e-4));
  BOOST_TEST(cli::student_t_quantile(1e6) == 1.960, boost::test_tools::tolerance(2e-4));
}

BOOST_AUTO_TEST_CASE(a_tail_of_one_degree_is_that_of_the_cauchy_distribution) {
  for (const double t : {0.1, 1.0, 3.0, 40.0})
    BOOST_TEST(cli::student_t_tail(t, 1) == 1 - 2 / std::acos(-1.0) * std::atan(t), kClose);
}

BOOST_AUTO_TEST_CASE(a_tail_of_two_degrees_has_a_closed_form) {
  for (const double t : {0.1, 1.0, 3.0, 40.0})
    BOOST_TEST(cli::student_t_tail(t, 2) == 1 - t / std::sqrt(2 + t * t), kClose);
}

BOOST_AUTO_TEST_CASE(a_mean_has_an_interval_from_two_values_on) {
  BOOST_TEST(cli::mean_of({3}).mean == 3);
  BOOST_TEST(cli::mean_of({3}).ci95 == 0);
  const auto estimate = cli::mean_of({1, 3});  // standard error 1
  BOOST_TEST(estimate.mean == 2);
  BOOST_TEST(estimate.ci95 == cli::student_t_quantile(1), kClose);
}

BOOST_AUTO_TEST_CASE(pairs_take_out_what_both_sides_share) {
  const std::vector<double> a{10, 20, 30, 40}, b{11, 21.1, 30.9, 41};
  const Difference paired = cli::paired_difference(a, b);
  BOOST_TEST(paired.mean == 1.0, kClose);
  BOOST_TEST(paired.is_significant());
  const Difference apart = cli::independent_difference(cli::mean_of(a), 4, cli::mean_of(b), 4);
  BOOST_TEST(apart.mean == 1.0, kClose);
  BOOST_TEST(!apart.is_significant());
}

BOOST_AUTO_TEST_CASE(values_without_spread_differ_when_they_differ) {
  BOOST_TEST(cli::paired_difference({1, 1}, {1, 1}).p_value.value() == 1);
  BOOST_TEST(cli::paired_difference({1, 1}, {2, 2}).p_value.value() == 0);
  const Difference counts = cli::independent_difference({5, 0}, 10, {6, 0}, 10);
  BOOST_TEST(!counts.p_value.has_value());
  BOOST_TEST(counts.is_significant());
}

BOOST_AUTO_TEST_CASE(welch_with_equal_spreads_is_the_test_of_student) {
  // Both means from n values with the same spread: 2n - 2 degrees of freedom.
  const double n = 6, half = 1;
  const Difference d = cli::independent_difference({10, half}, n, {12, half}, n);
  const double error = half / cli::student_t_quantile(n - 1) * std::sqrt(2.0);
  BOOST_TEST(d.ci95.value() == error * cli::student_t_quantile(2 * n - 2), kClose);
}

BOOST_AUTO_TEST_CASE(holm_makes_the_smallest_of_n_n_times_as_large) {
  const std::vector<double> p = cli::holm({0.04, 0.01, 0.03});
  BOOST_TEST(p[1] == 0.03, kClose);
  BOOST_TEST(p[2] == 0.06, kClose);
  BOOST_TEST(p[0] == 0.06, kClose);  // never below a smaller one's
}

// A test at the 5 % level gives Binomial(200, 0.05) false alarms where nothing differs: 10 are expected, 15 or fewer
// come with a chance of 95.6 %. That is the bound; the trials are seeded, so that the outcome is always the same.
BOOST_AUTO_TEST_CASE(no_difference_is_rarely_called_one) { BOOST_TEST(called_different(0) <= 15u); }

BOOST_AUTO_TEST_CASE(one_percent_is_found_nearly_always) { BOOST_TEST(called_different(0.01) >= 180u); }

BOOST_AUTO_TEST_SUITE_END()

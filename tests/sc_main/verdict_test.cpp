// SPDX-License-Identifier: Apache-2.0
#include "sc_main/verdict.h"

#include <boost/test/unit_test.hpp>

using namespace switchyard::cli;

namespace {

Figure change_figure(double change, double tolerance) {
  Figure figure;
  figure.change = change;
  figure.change_tolerance = tolerance;
  return figure;
}

Figure value_figure(double value, double tolerance) {
  Figure figure;
  figure.value = value;
  figure.value_tolerance = tolerance;
  return figure;
}

Verdict verdict(const Figure& figure, std::optional<double> value, std::optional<double> change) {
  return judge(figure, {value, change, false}).verdict;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verdict_rules)

BOOST_AUTO_TEST_CASE(a_change_holds_within_its_points) {
  const Figure figure = change_figure(-0.12, 0.03);
  BOOST_TEST((verdict(figure, 1, -0.12) == Verdict::holds));
  BOOST_TEST((verdict(figure, 1, -0.149) == Verdict::holds));
  BOOST_TEST((verdict(figure, 1, -0.091) == Verdict::holds));
  BOOST_TEST((verdict(figure, 1, -0.151) == Verdict::misses));
  BOOST_TEST((verdict(figure, 1, 0.0) == Verdict::misses));
}

BOOST_AUTO_TEST_CASE(a_value_holds_within_its_tolerance) {
  const Figure figure = value_figure(20, 1);
  BOOST_TEST((verdict(figure, 21.0, {}) == Verdict::holds));
  BOOST_TEST((verdict(figure, 21.1, {}) == Verdict::misses));
}

BOOST_AUTO_TEST_CASE(the_gap_is_simulated_minus_published) {
  const Judgement change = judge(change_figure(-0.5, 0.05), {1.0, -0.375, false});
  BOOST_TEST(*change.gap == 0.125);
  BOOST_TEST(change.is_change);
  const Judgement value = judge(value_figure(20, 1), {18.0, {}, false});
  BOOST_TEST(*value.gap == -2);
  BOOST_TEST(!value.is_change);
}

BOOST_AUTO_TEST_CASE(no_effect_is_a_verdict_of_its_own) {
  Figure figure = change_figure(0, 0.02);
  figure.expects_no_effect = true;
  BOOST_TEST((verdict(figure, 1, 0.019) == Verdict::no_effect));
  BOOST_TEST((verdict(figure, 1, -0.019) == Verdict::no_effect));
  BOOST_TEST((verdict(figure, 1, -0.021) == Verdict::misses));
}

BOOST_AUTO_TEST_CASE(a_miss_that_the_model_cannot_explain_is_called_so) {
  Figure figure = change_figure(-0.78, 0.05);
  figure.unexplained = "the flush at trap entry is a part of it";
  BOOST_TEST((verdict(figure, 1, -0.4) == Verdict::not_explained));
  BOOST_TEST((verdict(figure, 1, -0.77) == Verdict::holds));
}

BOOST_AUTO_TEST_CASE(a_change_that_the_mechanism_must_not_give_stays_unexplained) {
  Figure figure = change_figure(-0.06, 0.03);
  figure.expects_no_effect = true;
  figure.unexplained = "measured, but on a path that the patch does not touch";
  BOOST_TEST((verdict(figure, 1, 0.0) == Verdict::not_explained));
  BOOST_TEST((verdict(figure, 1, -0.03) == Verdict::not_explained));
  BOOST_TEST((verdict(figure, 1, -0.031) == Verdict::misses));
  BOOST_TEST((verdict(figure, 1, -0.06) == Verdict::misses));  // the measured change, for no reason
  BOOST_TEST((verdict(figure, 1, {}) == Verdict::misses));
  const Judgement judgement = judge(figure, {1.0, -0.01, false});
  BOOST_TEST(judgement.is_bound);
  BOOST_TEST(*judgement.gap == -0.01);
}

BOOST_AUTO_TEST_CASE(each_number_of_a_figure_is_judged) {
  Figure figure = change_figure(-0.5, 0.05);
  figure.value = 20;
  figure.value_tolerance = 1;
  const std::vector<Judgement> numbers = judge_numbers(figure, {25.0, -0.5, false});
  BOOST_REQUIRE(numbers.size() == 2u);
  BOOST_TEST((numbers[0].is_change && numbers[0].verdict == Verdict::holds));
  BOOST_TEST((!numbers[1].is_change && numbers[1].verdict == Verdict::misses));
}

BOOST_AUTO_TEST_CASE(a_fitted_value_is_calibrated) {
  Figure figure = value_figure(18.1, 0.5);
  figure.is_target = true;
  const Judgement near = judge(figure, {18.12, {}, false});
  BOOST_TEST((near.verdict == Verdict::holds));
  BOOST_TEST((near.kind == FigureKind::calibrated));
  BOOST_TEST((verdict(figure, 18.4, {}) == Verdict::misses));  // the published error is no excuse for a fit
}

BOOST_AUTO_TEST_CASE(a_change_between_two_fitted_values_is_calibrated) {
  Figure figure = change_figure(-0.34, 0.03);
  figure.value = 18.1;
  figure.is_target = true;
  BOOST_TEST((judge(figure, {18.1, -0.34, true}).kind == FigureKind::calibrated));
  BOOST_TEST((judge(figure, {18.1, -0.34, false}).kind == FigureKind::predicted));
}

BOOST_AUTO_TEST_CASE(a_predicted_change_decides_over_a_fitted_value) {
  Figure figure = change_figure(-0.509, 0.05);
  figure.value = 18.016;
  figure.is_target = true;
  const Judgement judgement = judge(figure, {18.016, -0.4, false});
  BOOST_TEST((judgement.verdict == Verdict::misses));
  BOOST_TEST((judgement.kind == FigureKind::predicted));
  BOOST_TEST(judgement.is_change);
}

BOOST_AUTO_TEST_CASE(of_two_predicted_numbers_a_miss_decides) {
  Figure figure = change_figure(-0.5, 0.05);
  figure.value = 20;
  figure.value_tolerance = 1;
  const Judgement judgement = judge(figure, {25.0, -0.5, false});
  BOOST_TEST((judgement.verdict == Verdict::misses));
  BOOST_TEST(!judgement.is_change);
}

BOOST_AUTO_TEST_CASE(a_figure_without_a_number_to_hold_against_it_misses) {
  const Judgement judgement = judge(value_figure(20, 1), {});
  BOOST_TEST((judgement.verdict == Verdict::misses));
  BOOST_TEST(!judgement.gap.has_value());
}

BOOST_AUTO_TEST_CASE(a_figure_without_numbers_is_no_reference) {
  BOOST_TEST((verdict({}, 1, 0.1) == Verdict::no_reference));
}

BOOST_AUTO_TEST_CASE(the_names_are_those_of_the_json) {
  BOOST_TEST(verdict_name(Verdict::holds) == "holds");
  BOOST_TEST(verdict_name(Verdict::misses) == "misses");
  BOOST_TEST(verdict_name(Verdict::no_effect) == "no-effect");
  BOOST_TEST(verdict_name(Verdict::not_explained) == "not-explained");
  BOOST_TEST(verdict_name(Verdict::no_reference) == "no-reference");
  BOOST_TEST(kind_name(FigureKind::calibrated) == "calibrated");
  BOOST_TEST(kind_name(FigureKind::predicted) == "predicted");
}

BOOST_AUTO_TEST_CASE(a_calibrated_value_may_be_as_far_off_as_its_fit) {
  Figure figure = value_figure(20, 5);
  figure.is_target = true;
  figure.fit_tolerance = 0.002;
  BOOST_TEST(*judge(figure, {20.0, {}, false}).tolerance == 0.1);
  figure.fit_tolerance = 0.02;
  BOOST_TEST(*judge(figure, {20.0, {}, false}).tolerance == 0.4);
  BOOST_TEST((verdict(figure, 20.39, {}) == Verdict::holds));
  BOOST_TEST((verdict(figure, 20.41, {}) == Verdict::misses));
}

BOOST_AUTO_TEST_SUITE_END()

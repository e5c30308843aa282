// SPDX-License-Identifier: Apache-2.0
// The published figures of the x86 switch_mm thread, each with its tolerance, and what must not change.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/experiment_output.h"

namespace {

using Json = nlohmann::json;

struct Compared {
  Json document;

  Compared() : document(switchyard::test::compared("x86-switch-mm-init-mm", "--check")) {}
  const Json& row(const std::string& name, const std::string& variant, const std::string& metric = "real") const {
    return switchyard::test::row_of(document, name, variant, metric);
  }
  double value(const std::string& name, const std::string& variant, const std::string& metric = "real") const {
    return row(name, variant, metric)["value"].get<double>();
  }
};

const auto half_percent = boost::test_tools::tolerance(0.005);

}  // namespace

BOOST_FIXTURE_TEST_SUITE(experiment_x86_switch_mm, Compared)

// Seconds for a million loops, so microseconds for one. Source: <1527878882.4448.11.camel@gmx.de>.
BOOST_AUTO_TEST_CASE(the_published_times_of_the_pipe_test_are_met_with_one_patch_or_the_other) {
  BOOST_TEST(value("pipe", "4.13") == 2.04525, half_percent);
  BOOST_TEST(value("pipe", "4.17") == 2.269493, half_percent);
  for (const Json& fit : document["calibration"]) BOOST_TEST(fit["status"] == "fitted");

  BOOST_TEST(value("pipe", "inverted") == 2.038341, boost::test_tools::tolerance(0.02));
  BOOST_TEST(value("pipe", "skip") == 2.231828, boost::test_tools::tolerance(0.01));
  for (const std::string variant : {"inverted", "skip"}) {
    BOOST_TEST(row("pipe", variant)["kind"] == "predicted");
    BOOST_TEST(row("pipe", variant)["verdict"] == "holds");
  }
  const double lazy = value("pipe", "4.17") - value("pipe", "inverted"),
               mask = value("pipe", "4.17") - value("pipe", "skip");
  BOOST_TEST(mask > 0);
  BOOST_TEST(lazy / mask > 4);  // 231 ns to 38 ns, give or take what a difference of two averages is worth
  BOOST_TEST(lazy / mask < 9);
}

// Two sleeps and two wake-ups a loop: each process leaves its CPU to the idle task and comes back.
BOOST_AUTO_TEST_CASE(a_loop_has_four_context_switches_on_two_cpus) {
  for (const std::string variant : {"4.13", "4.17", "inverted", "skip", "4.20"})
    BOOST_TEST(value("pipe", variant, "per_loop.kernel.context_switches") == 4.0, boost::test_tools::tolerance(0.01));
}

// Neither patch touches a switch between two user tasks.
BOOST_AUTO_TEST_CASE(on_one_cpu_and_without_pcids_the_patches_change_nothing) {
  const auto next_to_nothing = boost::test_tools::tolerance(0.001);
  BOOST_TEST(value("one-cpu", "inverted") == value("one-cpu", "4.17"), next_to_nothing);
  BOOST_TEST(value("one-cpu", "skip") == value("one-cpu", "4.17"), next_to_nothing);
  BOOST_TEST(value("no-pcid", "skip") == value("no-pcid", "4.17"), next_to_nothing);
}

// Published: 2.4 % of 48 CPUs become 1.9 %, so 15 to 25 % less. The lower bound holds for both layouts of CPU masks;
// the upper one does not, which the verdicts say.
BOOST_AUTO_TEST_CASE(without_init_mms_mask_netperf_spends_less_in_switch_mm) {
  for (const std::string name : {"netperf", "netperf-offstack"}) {
    const std::string share = "machine_share.switch_mm_irqs_off";
    BOOST_TEST(value(name, "skip", share) < 0.85 * value(name, "4.17", share));
    BOOST_TEST(row(name, "skip", share)["kind"] == "predicted");
    BOOST_TEST(row(name, "skip", share)["verdict"] != "no-reference");
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct ComparedNetperf {
  Json document = switchyard::test::compared("x86-switch-mm-netperf", "--check");

  /// The part of switch_mm_irqs_off that leaving init_mm's mask alone saves.
  double saved(const std::string& name) const {
    const std::string share = "machine_share.switch_mm_irqs_off";
    const auto value = [&](const std::string& variant) {
      return switchyard::test::row_of(document, name, variant, share)["value"].get<double>();
    };
    return 1 - value("skip") / value("4.17");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(experiment_x86_netperf, ComparedNetperf)

// One line that all CPUs take from each other: the more take it and the farther they are apart, the dearer it is.
BOOST_AUTO_TEST_CASE(the_mask_of_init_mm_costs_more_with_more_pairs_and_with_a_second_socket) {
  for (const std::string layout : {"two-sockets", "mask-elsewhere"}) {
    BOOST_TEST(saved(layout + "@4") > saved(layout + "@1"));
    BOOST_TEST(saved(layout + "@24") > saved(layout + "@4"));
  }
  BOOST_TEST(saved("one-socket@12") > saved("one-socket@1"));
  BOOST_TEST(saved("two-sockets@12") > saved("one-socket@12"));
}

BOOST_AUTO_TEST_SUITE_END()

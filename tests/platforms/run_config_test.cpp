// SPDX-License-Identifier: Apache-2.0
#include "platforms/platform_fixture.h"

namespace switchyard::test {

BOOST_FIXTURE_TEST_SUITE(run_config, PlatformTest)

BOOST_AUTO_TEST_CASE(an_empty_configuration_has_the_documented_defaults) {
  const auto run = platforms::load_run(registries, {write("empty.yaml", "schema: 1\n")}, {});
  BOOST_TEST(run->config.seed == 1u);
  BOOST_TEST(run->config.quantum.ps == 10'000'000u);  // 10 us
  BOOST_TEST(run->config.firmware.model.type == "none");
  BOOST_TEST(run->config.kernel.model.type == "linux-riscv");
  BOOST_TEST(!run->config.run.check);
  BOOST_TEST(run->config.run.delta_limit == 1'000'000u);
  BOOST_TEST(run->config.run.time_limit.ps == 1000'000'000'000'000u);  // 1000 s
  BOOST_TEST(run->config.run.until.relative_ci.value == 0.005);
  BOOST_TEST(run->config.run.until.warm_up == 3u);
  BOOST_TEST(run->config.run.until.min_iterations == 20u);
  BOOST_TEST(run->config.modules.empty());
}

BOOST_AUTO_TEST_CASE(a_later_file_and_a_set_override_an_earlier_file) {
  const std::string first = write("first.yaml", "schema: 1\nseed: 2\nquantum: 5 us\n");
  const std::string second = write("second.yaml", "schema: 1\nseed: 3\n");
  BOOST_TEST(load({first, second})->config.seed == 3u);
  BOOST_TEST(load({first, second})->config.quantum.ps == 5'000'000u);
  BOOST_TEST(load({first, second}, {"seed=4"})->config.seed == 4u);
}

BOOST_AUTO_TEST_CASE(an_unknown_module_type_is_refused_with_the_nearest) {
  const std::string file = write("m.yaml", "schema: 1\nmodules:\n  l1: {type: cach}\n");
  const std::string error = error_of([&] { load({file}); });
  BOOST_TEST(error.starts_with("m.yaml:3:"));
  BOOST_TEST(error.find("did you mean cache?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fewer_than_ten_least_iterations_are_refused) {
  const std::string file = write("m.yaml", "schema: 1\nrun: {until: {min_iterations: 9}}\n");
  BOOST_TEST(error_of([&] { load({file}); }).starts_with("m.yaml:2:"));
}

BOOST_AUTO_TEST_CASE(more_modules_than_an_array_may_have_are_refused) {
  const std::string file = write("m.yaml", "schema: 1\nmodules:\n  hart: {type: cpu, count: 1000000000}\n");
  BOOST_TEST(error_of([&] { load({file}); }).starts_with("m.yaml:3:"));
}

BOOST_AUTO_TEST_CASE(an_unknown_program_is_refused_with_the_known_ones) {
  const std::string file = write("w.yaml",
                                 "schema: 1\nworkload:\n  programs: {a: {steps: []}, b: {steps: []}}\n"
                                 "  processes: [{program: c}]\n");
  const std::string error = error_of([&] { load({file}); });
  BOOST_TEST(error.starts_with("w.yaml:3:"));
  BOOST_TEST(error.find("workload: no program 'c'; programs: a, b") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_loop_that_repeats_nothing_is_refused) {
  const std::string file = write("w.yaml", program("        - loop: {forever: true, body: []}\n"));
  const std::string error = error_of([&] { load({file}); });
  BOOST_TEST(error.starts_with("w.yaml:6:"));
  BOOST_TEST(error.find("body") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_shipped_platform_has_four_harts) {
  for (const char* name : {"hifive-unmatched", "visionfive2", "th1520", "qemu-virt"}) {
    const auto run = load({shipped(std::string("platforms/") + name + ".yaml")});
    BOOST_TEST(run->config.name == name);
    BOOST_TEST(run->config.modules.front().second.count == 4u);
  }
}

BOOST_AUTO_TEST_CASE(the_hash_depends_on_values_and_not_on_where_they_come_from) {
  const std::string a = write("a.yaml", "schema: 1\nseed: 7\n");
  const std::string b = write("b.yaml", "schema: 1\n# moved\n\nseed: 7\n");
  BOOST_TEST(load({a})->hash() == load({b})->hash());
  BOOST_TEST(load({a})->hash() != load({a}, {"seed=8"})->hash());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

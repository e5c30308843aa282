// SPDX-License-Identifier: Apache-2.0
// Static data of processes, from the configuration file to the end of the run.
#include <map>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

/// Eight threads that add 100 times each to their own word, then main expects `value` in every word.
std::string counting(const std::string& value) {
  return R"(schema: 1
workload:
  programs:
    t: {steps: [{loop: {count: 100, body: [{atomic_add: {data: counters, stride: 4 B, value: -1}}]}}]}
    main:
      steps:
        - loop: {count: 4, body: [{spawn: {program: t, count: 2}}]}
        - join: {program: t}
        - expect: {data: counters, value: )" +
         value + R"(}
  processes: [{program: main, data: {lock: {size: 4 B}, counters: {size: 32 B, alignment: 64 B, offset: 8 B}}}]
)";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(user_data_run, PlatformTest)

BOOST_AUTO_TEST_CASE(counts_that_are_as_expected_end_the_run_well) {
  const RunOutcome outcome = run_small(counting("-100"));
  BOOST_TEST(outcome.message == "");
  BOOST_TEST((outcome.end == RunEnd::complete));
}

BOOST_AUTO_TEST_CASE(counts_that_are_not_as_expected_fail_a_check) {
  const RunOutcome outcome = run_small(counting("-99"));
  BOOST_TEST((outcome.end == RunEnd::check_failed));
  BOOST_TEST(
      outcome.message.find("workload: expect: word 0 of data 'counters' is -100, expected -99") != std::string::npos,
      outcome.message);
}

BOOST_AUTO_TEST_CASE(data_are_listed_among_the_symbols) {
  const auto run = load({write("machine.yaml", kMachine), write("workload.yaml", counting("0"))});
  const SimTest context;
  std::map<std::string, std::uint64_t> sizes;
  for (const platforms::PlacedSymbol& symbol : list_symbols(*run).symbols) sizes[symbol.name] = symbol.size;
  BOOST_TEST(sizes["main.counters"] == 32u);
  BOOST_TEST(sizes["main.lock"] == 4u);
}

BOOST_AUTO_TEST_CASE(faults_of_data_are_refused_before_the_run) {
  const auto fault = [&](const std::string& data, const std::string& step) {
    const std::string text = error_of([&] {
      load({write("workload.yaml", "schema: 1\nworkload:\n  programs: {main: {steps: [" + step +
                                       "]}}\n  processes: [{program: main, data: {a: {" + data + "}}}]\n")});
    });
    return text.substr(text.find("workload.", 13));
  };
  BOOST_TEST(fault("size: 4 B, alignment: 48 B", "") ==
             "workload.processes[0].data.a: alignment must be a power of two, got 48 B");
  BOOST_TEST(fault("size: 4 B, alignment: 8 KiB", "") ==
             "workload.processes[0].data.a.alignment: 8 KiB is out of range; allowed: 1 B to 4 KiB");
  BOOST_TEST(fault("size: 4 B", "{atomic_add: {data: a, width: 5 B}}") ==
             "workload.programs.main.steps[0].atomic_add: width must be a power of two, got 5 B");
  BOOST_TEST(fault("size: 4 B", "{expect: {data: a, value: 4294967296}}") ==
             "workload.programs.main.steps[0].expect: value 4294967296 does not fit into 4 B");
}

BOOST_AUTO_TEST_CASE(a_process_without_data_is_written_as_before) {
  const auto run = load({write("workload.yaml", program("        - nanosleep: {time: 1 ms}\n"))});
  BOOST_TEST(run->resolved().find("data") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(data_in_the_resolved_file_read_back_to_the_same_bytes) {
  const auto run = load({write("workload.yaml", counting("0"))});
  const std::string text = run->resolved();
  BOOST_TEST(text.find("value: -1  # ") != std::string::npos);
  BOOST_TEST(load({write("again.yaml", text)})->resolved() == text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace {

struct Ended {
  int code = -1;
  std::string output;
};

/// Runs the program in the project's folder; the output is that of both streams unless `arguments` redirects one.
Ended run(const std::string& arguments) {
  const std::string command = "cd '" SWITCHYARD_SOURCE_DIR "' && '" SWITCHYARD_BINARY "' " + arguments;
  Ended result;
  FILE* const pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::array<char, 4096> chunk{};
  for (std::size_t n = 0; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
    result.output.append(chunk.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(experiment_command)

BOOST_AUTO_TEST_CASE(an_unknown_experiment_ends_with_code_2_and_the_nearest_name) {
  const Ended both = run("compare riscv-batched-unmpa 2>&1");
  BOOST_TEST(both.code == 2);
  BOOST_TEST(has(both.output, "did you mean riscv-batched-unmap?"), both.output);
  BOOST_TEST(run("compare --json riscv-batched-unmpa 2>/dev/null").output == "");
}

BOOST_AUTO_TEST_CASE(a_missing_file_ends_with_code_2) { BOOST_TEST(run("compare no/such.yaml 2>&1").code == 2); }

BOOST_AUTO_TEST_CASE(the_number_of_jobs_changes_no_byte) {
  const Ended one = run("compare riscv-batched-unmap --json -j1 2>/dev/null");
  const Ended three = run("compare riscv-batched-unmap --json -j3 2>/dev/null");
  BOOST_TEST(one.code == 0);
  BOOST_TEST(one.output == three.output);
  const auto document = nlohmann::json::parse(one.output);
  BOOST_TEST(document["rows"].size() > 0u);
  BOOST_TEST(!has(one.output, SWITCHYARD_SOURCE_DIR));
}

BOOST_AUTO_TEST_CASE(a_run_out_of_time_ends_with_code_3_and_a_whole_document) {
  const Ended ended = run("compare riscv-batched-unmap --json --time-limit 0.001 2>/dev/null");
  BOOST_TEST(ended.code == 3);
  const auto document = nlohmann::json::parse(ended.output);
  BOOST_TEST(document["rows"][0]["value"].is_null());
  BOOST_TEST(document["rows"][0]["error"] == "the simulation took longer than its limit of 0.001 s");
}

BOOST_AUTO_TEST_CASE(a_time_limit_is_a_positive_number_of_seconds) {
  for (const char* text : {"nan", "inf", "0", "-1", "-inf", "1e300", "soon"}) {
    const Ended ended = run("compare riscv-batched-unmap --time-limit " + std::string(text) + " 2>&1");
    BOOST_TEST(ended.code == 2, text);
    BOOST_TEST(has(ended.output, "--time-limit: must be a number of seconds above 0"), ended.output);
  }
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "sc_main/cli_fixture.h"

namespace switchyard::test {
namespace {

struct CommandTest : CliTest {
  void check_refused(const std::vector<std::string>& arguments, const std::string& message) const {
    const Result result = run(arguments);
    BOOST_TEST(result.code == 2);
    BOOST_TEST(result.out == "");
    BOOST_TEST(contains(result.err, message), result.err);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_commands)

BOOST_FIXTURE_TEST_CASE(version_and_help_go_to_standard_output, CommandTest) {
  const Result version = run({"--version"});
  BOOST_TEST(version.code == 0);
  BOOST_TEST(version.out.starts_with("switchyard "));
  BOOST_TEST(version.err == "");  // no banner of SystemC
  BOOST_TEST(nlohmann::json::parse(run({"--version", "--json"}).out).contains("version"));
  const Result help = run({"--help"});
  BOOST_TEST(help.code == 0);
  for (const char* command : {"run", "check", "describe"}) BOOST_TEST(contains(help.out, command));
  const std::string run_help = run({"run", "--help"}).out;
  BOOST_TEST(contains(run_help, "--symbols"));
  BOOST_TEST(contains(run_help, "Usage: switchyard run "), run_help);
}

BOOST_FIXTURE_TEST_CASE(json_counts_before_and_after_the_command, CommandTest) {
  BOOST_TEST(nlohmann::json::parse(run({"--json", "--version"}).out).contains("version"));
  const std::vector<std::vector<std::string>> lines{{"check", "machine.yaml"},
                                                    {"describe", "cache"},
                                                    {"describe", "--sources", "machine.yaml"},
                                                    {"run", "machine.yaml", "workload.yaml"},
                                                    {"run", "machine.yaml", "workload.yaml", "--symbols"}};
  for (const std::vector<std::string>& rest : lines) {
    std::vector<std::string> before{"--json"}, after = rest;
    before.insert(before.end(), rest.begin(), rest.end());
    after.push_back("--json");
    const std::string out = run(before).out;
    BOOST_TEST(nlohmann::json::accept(out), out);
    BOOST_TEST(out == run(after).out);
  }
  check_refused({"--json", "describe", "--markdown"}, "--markdown excludes --json");
  check_refused({"describe", "--markdown", "--json"}, "--markdown excludes --json");
}

BOOST_FIXTURE_TEST_CASE(wrong_command_lines_are_refused, CommandTest) {
  check_refused({}, "a command is needed");
  check_refused({"rnu", "machine.yaml"}, "unknown command rnu; did you mean run?");
  check_refused({"--json", "rnu", "machine.yaml"}, "unknown command rnu; did you mean run?");
  check_refused({"run"}, "FILE is required");
  check_refused({"run", "--frob"}, "unknown flag --frob");
  check_refused({"run", "machine.yaml", "--nope"}, "--nope");
  check_refused({"run", "machine.yaml", "--set"}, "--set");
  check_refused({"describe", "cahce"}, "unknown type cahce; did you mean cache?");
  check_refused({"describe", "cache", "--schema"}, "--schema");
}

BOOST_FIXTURE_TEST_CASE(check_takes_machines_and_parts_and_writes_nothing, CommandTest) {
  BOOST_TEST(run({"check", "machine.yaml", "workload.yaml"}).out == "machine.yaml, workload.yaml: ok\n");
  BOOST_TEST(run({"check", "workload.yaml"}).code == 0);
  const auto json = nlohmann::json::parse(run({"check", "machine.yaml", "--json"}).out);
  BOOST_TEST(json["ok"].get<bool>());
  BOOST_TEST(json["elaborated"].get<bool>());
  BOOST_TEST(names(".").size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(check_builds_the_machine, CommandTest) {
  check_refused({"check", "machine.yaml", "--set", "modules.l1.count=3"}, "wires[");
}

BOOST_FIXTURE_TEST_CASE(every_shipped_configuration_passes_check, CommandTest) {
  std::filesystem::current_path(SWITCHYARD_SOURCE_DIR);
  for (const auto& entry : std::filesystem::recursive_directory_iterator("configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const Result result = run({"check", entry.path().string()});
    BOOST_TEST(result.code == 0, result.err);
  }
}

BOOST_FIXTURE_TEST_CASE(describe_lists_types_with_parameters_ports_and_statistics, CommandTest) {
  const Result all = run({"describe"});
  BOOST_TEST(all.code == 0);
  for (const char* part : {"module cache\n", "firmware opensbi\n", "kernel linux-riscv\n", "action touch\n"})
    BOOST_TEST(contains(all.out, part), part);
  const std::string cache = run({"describe", "cache"}).out;
  BOOST_TEST(contains(cache, "    ways\n      whole number of ways, default 8, 1 to 64\n"));
  BOOST_TEST(contains(cache, "    mem: initiator\n"));
  BOOST_TEST(contains(cache, "    misses (count): "));
  BOOST_TEST(contains(run({"describe", "opensbi"}).out, "one of serial, parallel"));
  BOOST_TEST(contains(run({"describe", "cache", "--markdown"}).out, "| `ways` | whole number of ways | 8 | 1 to 64 |"));
  const auto json = nlohmann::json::parse(run({"describe", "cache", "--json"}).out);
  BOOST_TEST(json["types"][0]["parameters"][0]["path"].get<std::string>() == "size");
}

BOOST_FIXTURE_TEST_CASE(describe_lists_sources_and_the_schema, CommandTest) {
  const Result text = run({"describe", "--sources", "machine.yaml", "workload.yaml"});
  BOOST_TEST(text.code == 0);
  BOOST_TEST(contains(text.out, "modules.l1.params.size  16 KiB  assumed     guess\n"));
  BOOST_TEST(contains(text.out, "1 assumed, 0 calibrated, 0 documented, 0 measured"));
  const auto json = nlohmann::json::parse(run({"describe", "--sources", "machine.yaml", "--json"}).out);
  BOOST_TEST(json["counts"]["assumed"].get<int>() == 1);
  BOOST_TEST(json["values"][0]["origin"].get<std::string>() == "machine.yaml:5");
  const auto schema = nlohmann::json::parse(run({"describe", "--schema"}).out);
  BOOST_TEST(schema["properties"].contains("modules"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

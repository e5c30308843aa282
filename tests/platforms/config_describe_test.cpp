// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/describe_params.h"
#include "platforms/config_fixture.h"

using namespace switchyard;
using platforms::DescribeFormat;

namespace {

std::string described(test::ParamSet& params, DescribeFormat format = DescribeFormat::text) {
  return platforms::describe_params(params, format);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config_describe)

BOOST_AUTO_TEST_CASE(a_group_is_described_as_text) {
  test::CacheParams cache;
  BOOST_TEST(described(cache) ==
             "size\n    size, required, 64 B to 1 GiB\n    Capacity\n"
             "ways\n    whole number of ways, default 8, 1 to 64\n    Ways of a set\n"
             "latency\n    cycles or time, default 3 cycles\n    Time of a hit\n"
             "protocol\n    one of mesi, moesi, default mesi\n    Coherence protocol\n"
             "banks\n    list of whole numbers, default [0, 1], 0 to 15\n    Bank numbers\n");
}

BOOST_AUTO_TEST_CASE(a_group_is_described_as_markdown) {
  test::CpuParams cpu;
  BOOST_TEST(described(cpu, DescribeFormat::markdown) ==
             "| key | type | default | range | meaning |\n|---|---|---|---|---|\n"
             "| `clock` | frequency | `1 GHz` | 1 Hz to 1000 GHz | Core clock |\n"
             "| `seed` | whole number | `0` |  | Any 64 bits |\n");
}

BOOST_AUTO_TEST_CASE(a_group_without_parameters_says_so) {
  test::EmptyParams bus;
  BOOST_TEST(described(bus) == "  no parameters\n");
  BOOST_TEST(described(bus, DescribeFormat::markdown) == "No parameters.\n");
}

BOOST_AUTO_TEST_CASE(nested_groups_have_dotted_keys) {
  test::MachineParams machine;
  const std::string text = described(machine);
  BOOST_TEST(text.find("\nrun.until\n    time, required\n    End of the run\n") != std::string::npos);
  BOOST_TEST(text.find("\nmodules.NAME.type\n    one of cache, cpu, bus, required\n    Model\n") != std::string::npos);
  BOOST_TEST(text.find("\nwires[].from\n    text, required\n    Initiator\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(types_and_steps_have_sections_of_their_own) {
  test::MachineParams machine;
  const std::string text = described(machine);
  BOOST_TEST(text.find("\nparams of type cache:\nsize\n    size, required, 64 B to 1 GiB\n") != std::string::npos);
  BOOST_TEST(text.find("\nparams of type bus:\n  no parameters\n") != std::string::npos);
  BOOST_TEST(text.find("\nstep loop:\ncount\n    whole number of rounds, required\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_that_holds_steps_is_described_once) {
  test::MachineParams machine;
  const std::string text = described(machine);
  BOOST_TEST(count(text, "step loop:") == 1u);
  BOOST_TEST(count(text, "list of steps: touch, loop, yield") == 2u);
}

BOOST_AUTO_TEST_CASE(lists_with_items_are_described_once) {
  test::MachineParams machine;
  machine.wires.resize(3);
  machine.modules.resize(2);
  const std::string text = described(machine);
  BOOST_TEST(count(text, "wires[].from") == 1u);
  BOOST_TEST(count(text, "modules.NAME.type") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: Apache-2.0
// Channels that programs make and close while they run, and poll.
#include "base/errors.h"
#include "workloads/workload_fixture.h"

namespace switchyard::test {

namespace {

using Calls = std::vector<std::string>;
using workloads::Which;
const auto each = boost::test_tools::per_element();

/// A socketpair gets descriptors 100 and 101, the next one 102 and 103.
struct DescriptorsTest : WorkloadTest {
  void make(Steps& steps, const std::string& action, const std::string& name) const {
    add<workloads::MakeChannelParams>(steps, action, [&](auto& p) { p.channel = name; });
  }
  template <class Params>
  void use(Steps& steps, const std::string& action, const std::string& name, unsigned end, Which which) const {
    add<Params>(steps, action, [&](auto& p) {
      p.channel = name;
      p.end = end;
      p.which = which;
    });
  }
  void close(Steps& steps, const std::string& name, unsigned end, Which which) const {
    use<workloads::CloseParams>(steps, "close", name, end, which);
  }
  void write(Steps& steps, const std::string& name, unsigned end, Which which) const {
    use<workloads::WriteParams>(steps, "write", name, end, which);
  }
  void read(Steps& steps, const std::string& name, unsigned end, Which which) const {
    use<workloads::ReadParams>(steps, "read", name, end, which);
  }
  static workloads::PollFileParams file(const std::string& name, unsigned end, cpu::Access access) {
    workloads::PollFileParams result;
    result.channel = name;
    result.end = end;
    result.access = access;
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(descriptors, DescriptorsTest)

BOOST_AUTO_TEST_CASE(channels_of_one_name_are_first_last_or_all) {
  Steps steps;
  for (int i = 0; i < 3; ++i) make(steps, "socketpair", "pairs");
  write(steps, "pairs", 1, Which::first);
  read(steps, "pairs", 0, Which::last);
  write(steps, "pairs", 1, Which::all);
  const Calls calls = run(std::move(steps));
  BOOST_TEST(
      Calls(calls.begin() + 3, calls.end()) == (Calls{"main writes 101 1", "main reads 104 1", "main writes 101 1",
                                                      "main writes 103 1", "main writes 105 1"}),
      each);
}

BOOST_AUTO_TEST_CASE(pipes_and_socketpairs_are_made) {
  Steps steps;
  make(steps, "pipe", "there");
  make(steps, "socketpair", "pair");
  BOOST_TEST(run(std::move(steps)) == (Calls{"main makes pipe there 100", "main makes socketpair pair 102"}), each);
}

BOOST_AUTO_TEST_CASE(a_channel_with_both_ends_closed_is_forgotten) {
  Steps steps;
  make(steps, "socketpair", "pairs");
  make(steps, "socketpair", "pairs");
  close(steps, "pairs", 0, Which::first);
  close(steps, "pairs", 1, Which::all);
  write(steps, "pairs", 0, Which::all);
  const Calls calls = run(std::move(steps));
  BOOST_TEST(Calls(calls.begin() + 2, calls.end()) ==
                 (Calls{"main closes 100", "main closes 101", "main closes 103", "main writes 102 1"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_closed_end_cannot_be_used) {
  Steps steps;
  make(steps, "pipe", "there");
  close(steps, "there", 0, Which::first);
  read(steps, "there", 0, Which::first);
  program("main", std::move(steps));
  process("main");
  start();
  BOOST_CHECK_EXCEPTION(kernel.run(0), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "workload: end 0 of channel 'there' is used by a process that has closed it";
  });
}

BOOST_AUTO_TEST_CASE(a_channel_must_be_made_before_it_is_used) {
  Steps steps;
  read(steps, "there", 0, Which::first);
  make(steps, "pipe", "there");
  program("main", std::move(steps));
  process("main");
  start();
  BOOST_CHECK_EXCEPTION(kernel.run(0), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "workload: no channel 'there' is open in a process that uses it";
  });
}

BOOST_AUTO_TEST_CASE(children_have_the_channels_that_their_parent_has_at_the_fork) {
  Steps child, steps;
  write(child, "pairs", 1, Which::all);
  make(steps, "socketpair", "pairs");
  add<workloads::ForkParams>(steps, "fork", [](auto& p) { p.program = "child"; });
  make(steps, "socketpair", "pairs");
  program("child", std::move(child));
  program("main", std::move(steps));
  process("main");
  start();
  kernel.run(0);
  kernel.calls.clear();
  kernel.run(1);
  BOOST_TEST(kernel.calls == (Calls{"child writes 101 1"}), each);
}

BOOST_AUTO_TEST_CASE(poll_names_its_descriptors_and_what_for) {
  Steps steps;
  make(steps, "pipe", "a");
  make(steps, "socketpair", "b");
  add<workloads::PollParams>(steps, "poll", [&](auto& p) {
    p.files = {file("a", 0, cpu::Access::load), file("b", 1, cpu::Access::store)};
  });
  BOOST_TEST(run(std::move(steps)).back() == "main polls 100 to read 103 to write");
}

BOOST_AUTO_TEST_CASE(poll_of_nothing_or_of_too_many_is_refused) {
  workloads::PollParams none, many;
  many.files.resize(kernel::PollSet::kMost + 1);
  BOOST_TEST(none.check() == "files is empty: such a call would never end");
  BOOST_TEST(many.check() == "9 files are more than the 8 that are modelled");
}

BOOST_AUTO_TEST_CASE(a_channel_in_a_poll_must_exist) {
  Steps steps;
  add<workloads::PollParams>(steps, "poll", [&](auto& p) { p.files = {file("wake", 0, cpu::Access::load)}; });
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "program 'main' names channel 'wake', which does not exist; channels: none");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

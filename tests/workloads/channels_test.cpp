// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_fixture.h"

namespace switchyard::test {

namespace {

using Calls = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

/// Ids of tasks count from 0; descriptors are 10 (id + 1) for end 0 and one more for end 1.
struct ChannelsTest : WorkloadTest {
  void channel(const std::string& name, std::uint64_t count = 1) {
    params->channels.emplace_back(name, workloads::ChannelParams{});
    params->channels.back().second.count = count;
  }
  void read(Steps& steps, const std::string& name, std::uint64_t bytes = 4, std::uint64_t end = 0) const {
    add<workloads::ReadParams>(steps, "read", [&](auto& p) {
      p.channel = name;
      p.size = {bytes};
      p.end = end;
    });
  }
  void write(Steps& steps, const std::string& name, std::uint64_t bytes = 4, std::uint64_t end = 1) const {
    add<workloads::WriteParams>(steps, "write", [&](auto& p) {
      p.channel = name;
      p.size = {bytes};
      p.end = end;
    });
  }
  void reader(const std::string& name) {
    Steps steps;
    read(steps, name);
    program("reader", std::move(steps));
  }
  void writer(const std::string& name) {
    Steps steps;
    write(steps, name);
    program("writer", std::move(steps));
  }
  void processes(const std::string& program, std::uint64_t count) {
    process(program);
    params->processes.back().count = count;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(channels, ChannelsTest)

BOOST_AUTO_TEST_CASE(each_process_gets_the_ends_that_its_programs_use) {
  channel("there");
  reader("there");
  writer("there");
  processes("reader", 1);
  processes("writer", 1);
  start();
  BOOST_TEST(kernel.calls == (Calls{"channel there of 0 1 0", "channel there of 1 0 1"}), each);
}

BOOST_AUTO_TEST_CASE(reads_and_writes_name_their_descriptor_and_size) {
  channel("a");
  channel("b");
  Steps steps;
  read(steps, "a", 4);
  write(steps, "b", 100);
  write(steps, "a", 8);
  program("main", std::move(steps));
  process("main");
  start();
  kernel.calls.clear();
  kernel.run(0);
  BOOST_TEST(kernel.calls == (Calls{"main reads 10 4", "main writes 11 100", "main writes 11 8"}), each);
}

BOOST_AUTO_TEST_CASE(threads_use_the_ends_of_their_process) {
  channel("there");
  writer("there");
  Steps steps;
  spawn(steps, "writer", 1, workloads::PinKind::none);
  program("main", std::move(steps));
  process("main");
  start();
  BOOST_TEST(kernel.calls == (Calls{"channel there of 0 0 1"}), each);
  kernel.run(0);
  kernel.calls.clear();
  kernel.run(1);
  BOOST_TEST(kernel.calls == (Calls{"writer writes 11 4"}), each);
}

BOOST_AUTO_TEST_CASE(an_end_inside_a_loop_is_found) {
  channel("there");
  Steps body, steps;
  read(body, "there");
  loop(steps, 2, std::move(body));
  program("main", std::move(steps));
  process("main");
  start();
  BOOST_TEST(kernel.calls == (Calls{"channel there of 0 1 0"}), each);
}

BOOST_AUTO_TEST_CASE(process_i_uses_channel_i_modulo_their_number) {
  channel("there", 2);
  reader("there");
  writer("there");
  processes("reader", 3);
  processes("writer", 3);
  start();
  BOOST_TEST(
      kernel.calls == (Calls{"channel there[0] of 0 1 0", "channel there[0] of 2 1 0", "channel there[0] of 3 0 1",
                             "channel there[0] of 5 0 1", "channel there[1] of 1 1 0", "channel there[1] of 4 0 1"}),
      each);
  kernel.calls.clear();
  kernel.run(4);
  BOOST_TEST(kernel.calls == (Calls{"writer writes 51 4"}), each);
}

BOOST_AUTO_TEST_CASE(processes_of_one_program_listed_twice_count_from_zero_each) {
  channel("there", 2);
  reader("there");
  processes("reader", 1);
  processes("reader", 2);
  start();
  BOOST_TEST(
      kernel.calls == (Calls{"channel there[0] of 0 1 0", "channel there[0] of 1 1 0", "channel there[1] of 2 1 0"}),
      each);
}

BOOST_AUTO_TEST_CASE(a_channel_that_nobody_uses_is_not_made) {
  channel("there", 3);
  channel("unused");
  reader("there");
  processes("reader", 1);
  start();
  BOOST_TEST(kernel.calls == (Calls{"channel there[0] of 0 1 0"}), each);
}

BOOST_AUTO_TEST_CASE(an_unknown_channel_is_refused_with_the_known_ones) {
  channel("there");
  channel("back");
  writer("ther");
  processes("writer", 1);
  BOOST_TEST(params->check() == "program 'writer' names channel 'ther', which does not exist; channels: back, there");
}

// The other end is a fault of the program whoever runs it.
BOOST_AUTO_TEST_CASE(the_wrong_end_of_a_pipe_is_refused) {
  channel("there");
  Steps steps;
  read(steps, "there", 4, 1);
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "program 'main' names channel 'there': end 1 of a pipe is written, end 0 is read");
}
BOOST_AUTO_TEST_CASE(the_wrong_end_in_a_loop_is_refused) {
  channel("there");
  Steps body, steps;
  write(body, "there", 4, 0);
  loop(steps, 2, std::move(body));
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "program 'main' names channel 'there': end 0 of a pipe is read, end 1 is written");
}
BOOST_AUTO_TEST_CASE(both_ends_of_a_connection_are_read_and_written) {
  channel("there");
  params->channels.back().second.kind = kernel::ChannelKind::tcp;
  Steps steps;
  read(steps, "there", 4, 1);
  write(steps, "there", 4, 0);
  program("main", std::move(steps));
  process("main");
  BOOST_TEST(params->check() == "");
}

BOOST_AUTO_TEST_CASE(a_read_needs_either_files_or_a_channel) {
  workloads::ReadParams neither, both;
  BOOST_TEST(neither.check() == "needs either files or a channel to read from");
  both.files = "nulls";
  both.channel = "there";
  BOOST_TEST(both.check() == "needs either files or a channel to read from");
}

BOOST_AUTO_TEST_CASE(so_many_processes_are_made_and_their_cpus_handed_on) {
  program("main", {});
  processes("main", 2);
  params->processes.back().cpus = {1, 3};
  start();
  BOOST_TEST(
      kernel.calls == (Calls{"main may run on 1", "main may run on 3", "main may run on 1", "main may run on 3"}),
      each);
  BOOST_TEST(kernel.tasks().size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

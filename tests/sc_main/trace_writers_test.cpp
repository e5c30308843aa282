// SPDX-License-Identifier: Apache-2.0
// The forms of a trace, event by event. What tools make of them: tests/traces.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/errors.h"
#include "sc_main/sched_latency.h"
#include "sc_main/trace_ftrace.h"
#include "sc_main/trace_perf_script.h"
#include "sc_main/trace_perfetto.h"

namespace switchyard::test {

using namespace kernel;

namespace {

constexpr std::uint64_t kUs = 1'000'000;  // ps
const TaskTag kIdle{"swapper/1", 0, 0}, kReader{"reader", 7, 7}, kWriter{"writer", 8, 7};

struct WritersTest {
  std::filesystem::path folder;
  WritersTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "switchyard_traces_XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
  }
  WritersTest(const WritersTest&) = delete;
  WritersTest& operator=(const WritersTest&) = delete;
  ~WritersTest() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  /// The bytes that `Writer` makes of `event` on a machine of four CPUs, with `running` on the CPU.
  template <class Writer>
  std::string written(const TraceEvent& event, const TaskTag& running, unsigned cpus = 4) const {
    cli::TraceFile file(folder / "trace", "trace");
    Writer writer(file, cpus);
    writer.write(event, running);
    writer.finish();
    std::ifstream in(folder / "trace", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The last line.
  std::string ftrace_line(const TraceEvent& event, const TaskTag& running, unsigned cpus = 4) const {
    std::string text = written<cli::FtraceWriter>(event, running, cpus);
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }
  std::string arguments(const TraceEvent& event, unsigned cpus = 4) const {
    const std::string line = ftrace_line(event, kReader, cpus);
    return line.substr(line.find(": ") + 2);
  }
  perfetto::protos::Trace perfetto_trace(const TraceEvent& event, const TaskTag& running) const {
    perfetto::protos::Trace trace;
    BOOST_TEST_REQUIRE(trace.ParseFromString(written<cli::PerfettoWriter>(event, running)));
    return trace;
  }
};

const TraceEvent kSwitch{12'345'678 * kUs + 999'999, 1, SchedSwitch{kIdle, 'R', kReader}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(trace_writers, WritersTest)

BOOST_AUTO_TEST_CASE(ftrace_text_has_the_header_and_the_columns_of_the_kernel) {
  BOOST_TEST(written<cli::FtraceWriter>(kSwitch, kIdle) ==
             "# tracer: nop\n"
             "#\n"
             "# entries-in-buffer/entries-written: 1/1                                       #P:4\n"
             "#\n"
             "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
             "#              | |         |         |         |\n"
             "          <idle>-0       [001]     12.345678: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 "
             "prev_state=R ==> next_comm=reader next_pid=7 next_prio=120\n");
}
BOOST_AUTO_TEST_CASE(perf_script_text_has_nanoseconds_and_the_system_of_an_event) {
  BOOST_TEST(written<cli::PerfScriptWriter>(kSwitch, kIdle) ==
             "         swapper     0 [001]    12.345678999:       sched:sched_switch: prev_comm=swapper/1 prev_pid=0 "
             "prev_prio=120 prev_state=R ==> next_comm=reader next_pid=7 next_prio=120\n");
}
BOOST_AUTO_TEST_CASE(every_event_prints_the_fields_of_the_kernel) {
  const auto at = [](auto what) { return TraceEvent{5 * kUs, 0, what}; };
  BOOST_TEST(arguments(at(SchedSwitch{kReader, 'S', kIdle})) ==
             "sched_switch: prev_comm=reader prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 "
             "next_prio=120");
  BOOST_TEST(arguments(at(SchedWake{SchedWake::Step::waking, kReader, 2})) ==
             "sched_waking: comm=reader pid=7 prio=120 target_cpu=002");
  BOOST_TEST(arguments(at(SchedWake{SchedWake::Step::wakeup, kReader, 12})) ==
             "sched_wakeup: comm=reader pid=7 prio=120 target_cpu=012");
  BOOST_TEST(arguments(at(SchedWake{SchedWake::Step::wakeup_new, kWriter, 0})) ==
             "sched_wakeup_new: comm=writer pid=8 prio=120 target_cpu=000");
  BOOST_TEST(arguments(at(SchedMigrateTask{kReader, 1, 3})) ==
             "sched_migrate_task: comm=reader pid=7 prio=120 orig_cpu=1 dest_cpu=3");
  BOOST_TEST(arguments(at(SchedStatRuntime{kReader, 1'500'999, 7'000'000})) ==
             "sched_stat_runtime: comm=reader pid=7 runtime=1500 [ns] vruntime=7000 [ns]");
  BOOST_TEST(arguments(at(SchedProcessFork{kReader, kWriter})) ==
             "sched_process_fork: comm=reader pid=7 child_comm=writer child_pid=8");
  BOOST_TEST(arguments(at(SchedProcessExit{kWriter})) == "sched_process_exit: comm=writer pid=8 prio=120");
  BOOST_TEST(arguments(at(IpiHandler{true, IpiReason::reschedule})) == "ipi_entry: (Rescheduling interrupts)");
  BOOST_TEST(arguments(at(IpiHandler{false, IpiReason::call_function})) == "ipi_exit: (Function call interrupts)");
  BOOST_TEST(arguments(at(TlbFlushDone{TlbFlushReason::remote_shootdown, 3})) ==
             "tlb_flush: pages:3 reason:remote shootdown (1)");
  BOOST_TEST(arguments(at(TlbFlushDone{TlbFlushReason::remote_ipi_send, TlbFlushDone::kAllPages})) ==
             "tlb_flush: pages:-1 reason:remote ipi send (4)");
}
BOOST_AUTO_TEST_CASE(masks_have_as_many_longs_as_the_cpus_need) {
  IpiRaise raise{{}, IpiReason::call_function};
  raise.targets.set(1);
  raise.targets.set(35);
  BOOST_TEST(arguments({0, 0, raise}, 48) == "ipi_raise: target_mask=00000008,00000002 (Function call interrupts)");
  raise.targets.set(64);
  BOOST_TEST(arguments({0, 0, raise}, 65) ==
             "ipi_raise: target_mask=00000000,00000001,00000008,00000002 (Function call interrupts)");
}
BOOST_AUTO_TEST_CASE(the_task_of_a_line_is_the_one_on_the_cpu) {
  cli::RunningTasks tasks(2);
  BOOST_TEST((tasks.running({0, 1, SchedProcessExit{kReader}}) == kIdle));
  tasks.follow({0, 1, SchedSwitch{kIdle, 'R', kReader}});
  BOOST_TEST((tasks.running({1, 1, SchedSwitch{kReader, 'S', kIdle}}) == kReader));
  BOOST_TEST(tasks.running({1, 0, SchedProcessExit{kReader}}).comm() == "swapper/0");
}

BOOST_AUTO_TEST_CASE(perfetto_gets_switches_by_cpu_and_the_names_of_tasks) {
  const auto trace = perfetto_trace(kSwitch, kIdle);
  BOOST_TEST_REQUIRE(trace.packet_size() == 2);
  const auto& tree = trace.packet(0).process_tree();
  BOOST_TEST(tree.processes(0).pid() == 7);
  BOOST_TEST(tree.processes(0).cmdline(0) == "reader");
  BOOST_TEST(tree.threads(0).tid() == 7);
  BOOST_TEST(tree.threads(0).tgid() == 7);
  const auto& bundle = trace.packet(1).ftrace_events();
  BOOST_TEST(bundle.cpu() == 1u);
  BOOST_TEST(bundle.event(0).timestamp() == 12'345'678'999u);
  BOOST_TEST(bundle.event(0).pid() == 0u);
  BOOST_TEST(bundle.event(0).sched_switch().next_comm() == "reader");
  BOOST_TEST(bundle.event(0).sched_switch().prev_state() == 0);
}
BOOST_AUTO_TEST_CASE(perfetto_gets_a_thread_with_its_process) {
  const auto trace = perfetto_trace({kUs, 0, SchedWake{SchedWake::Step::waking, kWriter, 3}}, kIdle);
  BOOST_TEST(trace.packet(0).process_tree().processes_size() == 0);
  BOOST_TEST(trace.packet(0).process_tree().threads(0).tgid() == 7);
  BOOST_TEST(trace.packet(1).ftrace_events().event(0).sched_waking().target_cpu() == 3);
}
// Bytes by hand: Trace.packet (1) with TracePacket.ftrace_events (1) { cpu (1) = 2, event (2) { timestamp (1) = 1000,
// pid (2) = 0, sched_process_exit (238) { comm (1), pid (2), tgid (3), prio (4) = 120 } } }, sequence (10) = 1. The
// numbers are those of Perfetto's protos/perfetto/trace/.
BOOST_AUTO_TEST_CASE(perfetto_numbers_its_fields_so) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text.push_back(static_cast<char>(value));
    return text;
  };
  const auto message = [](std::string tag, const std::string& body) {
    return tag + static_cast<char>(body.size()) + body;
  };
  const std::string exit = bytes({0x0a, 1, 'w', 0x10, 0, 0x18, 0, 0x20, 120});
  const std::string event = bytes({0x08, 0xe8, 0x07, 0x10, 0}) + message(bytes({0xf2, 0x0e}), exit);
  const std::string bundle = bytes({0x08, 2}) + message(bytes({0x12}), event);
  const std::string packet = message(bytes({0x0a}), bundle) + bytes({0x50, 1});
  BOOST_TEST(written<cli::PerfettoWriter>({kUs, 2, SchedProcessExit{{"w", 0, 0}}}, kIdle) ==
             message(bytes({0x0a}), packet));
}

// A reader sleeps at 10 us, is woken at 12 and runs at 15; it gives its CPU up at 20 and has it again at 21.
BOOST_AUTO_TEST_CASE(a_delay_counts_from_the_wake_up_or_from_the_switch_away) {
  cli::SchedLatency latency;
  latency.add({0, 1, SchedSwitch{kIdle, 'R', kReader}});
  latency.add({10 * kUs, 1, SchedStatRuntime{kReader, 10 * kUs, 0}});
  latency.add({10 * kUs, 1, SchedSwitch{kReader, 'S', kIdle}});
  latency.add({11 * kUs, 0, SchedWake{SchedWake::Step::waking, kReader, 1}});
  latency.add({12 * kUs, 0, SchedWake{SchedWake::Step::wakeup, kReader, 1}});
  latency.add({15 * kUs, 1, SchedSwitch{kIdle, 'R', kReader}});
  latency.add({20 * kUs, 1, SchedStatRuntime{kReader, 5 * kUs, 0}});
  latency.add({20 * kUs, 1, SchedSwitch{kReader, 'R', kWriter}});
  latency.add({21 * kUs, 1, SchedSwitch{kWriter, 'S', kReader}});
  const std::string rule = " " + std::string(139, '-') + "\n";
  BOOST_TEST(
      latency.text() ==
      "\n" + rule +
          "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | Max delay start  "
          "         | Max delay end          |\n" +
          rule +
          "  reader:7              |      0.015 ms |        3 | avg:   0.001 ms | max:   0.003 ms | max start:     "
          "0.000012 s | max end:     0.000015 s\n"
          "  writer:8              |      0.000 ms |        1 | avg:   0.000 ms | max:   0.000 ms | max start:     "
          "0.000000 s | max end:     0.000000 s\n " +
          std::string(113, '-') + "\n  TOTAL:                |      0.015 ms |        4 |\n " + std::string(51, '-') +
          "\n\n");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_made_is_refused) {
  BOOST_CHECK_EXCEPTION(cli::TraceFile(folder / "none" / "trace.txt", "out/trace.txt"), base::ConfigError,
                        [](const base::ConfigError& error) {
                          return std::string(error.what()) == "out/trace.txt: cannot write: No such file or directory";
                        });
}
BOOST_AUTO_TEST_CASE(a_full_disk_is_said_while_the_run_goes_on) {
  cli::TraceFile file("/dev/full", "out/trace.txt");
  const auto write_megabytes = [&file] {
    for (int i = 0; i < 100; ++i) file.write(std::string(1 << 16, 'x'));
  };
  BOOST_CHECK_EXCEPTION(write_megabytes(), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "out/trace.txt: cannot write: No space left on device";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// The events of whole runs: of two processes on the shipped desktop, and of threads on two harts.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

using namespace kernel;
using platforms::CallRecord;
using platforms::TaskRecord;

namespace {

struct Events : platforms::TraceSink {
  unsigned cpus = 0;
  std::vector<TraceEvent> list;

  void begin(unsigned count) override { cpus = count; }
  void event(const TraceEvent& event) override { list.push_back(event); }

  template <class What>
  std::vector<const TraceEvent*> of() const {
    std::vector<const TraceEvent*> found;
    for (const TraceEvent& event : list)
      if (std::holds_alternative<What>(event.what)) found.push_back(&event);
    return found;
  }
};

/// The pipe test without a measured loop, so that counters cover the whole run.
constexpr const char* kPipeTest = R"(schema: 1
workload:
  channels: {there: {kind: pipe}, back: {kind: pipe}}
  programs:
    parent:
      steps: [{loop: {name: loops, count: 50, body: [{write: {channel: there, size: 4 B}}, {read: {channel: back, size: 4 B}}]}}]
    child:
      steps: [{loop: {forever: true, body: [{read: {channel: there, size: 4 B}}, {write: {channel: back, size: 4 B}}]}}]
  processes: [{program: parent, cpus: [0, 1]}, {program: child, cpus: [0, 1]}]
)";

/// Threads that sleep and compute, more than there are harts, with the first one unmapping in between.
const std::string kThreads = R"(schema: 1
workload:
  programs:
    worker: {steps: [{loop: {name: naps, count: 5, body: [{nanosleep: {time: 30 us}}, {compute: {instructions: 200000}}]}}]}
    main:
      steps:
        - mmap: {name: p, size: 16 KiB}
        - spawn: {program: worker, count: 4}
        - loop: {name: unmaps, count: 5, body: [{touch: {region: p, access: read, stride: 4 KiB}}, {madvise: {region: p, advice: pageout}}]}
        - join: {program: worker}
  processes: [{program: main}]
)";

struct TraceTest : PlatformTest {
  Events events;

  RunOutcome traced(const Files& files, const std::vector<std::string>& sets = {}) {
    const SimTest context;
    events = {};
    const RunOutcome outcome = simulate(*load(files, sets), {}, nullptr, &events);
    BOOST_TEST_REQUIRE(outcome.message == "");
    return outcome;
  }
  Files pipe_files() const {
    return {shipped("platforms/haswell-desktop.yaml"), shipped("policies/linux-4.17-x86.yaml"),
            write("pipe.yaml", kPipeTest)};
  }
  RunOutcome pipe_test() { return traced(pipe_files()); }
  RunOutcome threads() { return traced({write("machine.yaml", kMachine), write("workload.yaml", kThreads)}); }
};

const SchedSwitch& change(const TraceEvent& event) { return std::get<SchedSwitch>(event.what); }

/// Picoseconds that each task had a CPU, by pid; up to `end_ps` for those that still have one.
std::map<unsigned, std::uint64_t> running_ps(const Events& events, std::uint64_t end_ps) {
  std::map<unsigned, std::uint64_t> sums;
  std::map<unsigned, const TraceEvent*> last;  // by CPU
  for (const TraceEvent* event : events.of<SchedSwitch>()) {
    if (last.contains(event->cpu)) sums[change(*event).prev.pid] += event->time_ps - last[event->cpu]->time_ps;
    last[event->cpu] = event;
  }
  for (const auto& [cpu, event] : last) sums[change(*event).next.pid] += end_ps - event->time_ps;
  return sums;
}

/// What a task that sleeps has to go through before it runs again.
void check_wake_ups(const Events& events) {
  enum class Stage { running, asleep, waking, woken };
  std::map<unsigned, Stage> stages;
  std::map<unsigned, unsigned> targets;
  for (const TraceEvent& event : events.list) {
    if (const auto* wake = std::get_if<SchedWake>(&event.what)) {
      Stage& stage = stages[wake->task.pid];
      if (wake->step == SchedWake::Step::waking && stage == Stage::asleep) stage = Stage::waking;
      if (wake->step == SchedWake::Step::wakeup && stage == Stage::waking) stage = Stage::woken;
      if (wake->step != SchedWake::Step::waking) targets[wake->task.pid] = wake->target_cpu;
    } else if (const auto* migration = std::get_if<SchedMigrateTask>(&event.what)) {
      targets[migration->task.pid] = migration->dest_cpu;
    } else if (const auto* to = std::get_if<SchedSwitch>(&event.what)) {
      if (to->prev_state == 'S') stages[to->prev.pid] = Stage::asleep;
      if (to->next.pid == 0) continue;
      BOOST_TEST((stages[to->next.pid] == Stage::running || stages[to->next.pid] == Stage::woken),
                 to->next.comm() << " runs at " << event.time_ps << " ps although it sleeps");
      if (targets.contains(to->next.pid)) BOOST_TEST(event.cpu == targets[to->next.pid]);
      stages[to->next.pid] = Stage::running;
    }
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(trace_runs, TraceTest)

BOOST_AUTO_TEST_CASE(each_switch_appears_once) {
  const RunOutcome outcome = pipe_test();
  BOOST_TEST(events.of<SchedSwitch>().size() == stat(outcome, "kernel", "context_switches"));
  BOOST_TEST(events.of<SchedSwitch>().size() > 4 * 49u);  // a loop switches four times, but for the last one
  BOOST_TEST(events.cpus == 4u);
}
BOOST_AUTO_TEST_CASE(who_leaves_a_cpu_is_who_came_to_it) {
  for (const bool pipe : {true, false}) {
    pipe ? pipe_test() : threads();
    std::map<unsigned, TaskTag> running;
    for (const TraceEvent* event : events.of<SchedSwitch>()) {
      const auto& [prev, state, next] = change(*event);
      if (running.contains(event->cpu)) BOOST_TEST((running[event->cpu] == prev));
      running[event->cpu] = next;
    }
  }
}
BOOST_AUTO_TEST_CASE(a_task_has_one_cpu_at_a_time) {
  threads();
  std::map<unsigned, unsigned> cpu_of;
  for (const TraceEvent* event : events.of<SchedSwitch>()) {
    if (change(*event).prev.pid != 0) cpu_of.erase(change(*event).prev.pid);
    if (change(*event).next.pid != 0) BOOST_TEST(cpu_of.emplace(change(*event).next.pid, event->cpu).second);
  }
}
BOOST_AUTO_TEST_CASE(events_come_in_the_order_of_times_and_cpus) {
  for (const bool pipe : {true, false}) {
    pipe ? pipe_test() : threads();
    BOOST_TEST(std::is_sorted(events.list.begin(), events.list.end(), [](const TraceEvent& a, const TraceEvent& b) {
      return std::tie(a.time_ps, a.cpu) < std::tie(b.time_ps, b.cpu);
    }));
  }
}
BOOST_AUTO_TEST_CASE(a_sleeper_is_woken_before_it_runs_and_runs_where_it_was_queued) {
  pipe_test();
  check_wake_ups(events);
  threads();
  check_wake_ups(events);
}
// A switch counts for the task that leaves, in the trace for the one that comes; a pipe reader does as many of one as
// of the other, and they take as long to within a few percent of its time.
BOOST_AUTO_TEST_CASE(the_times_on_cpus_are_those_of_the_tasks) {
  const RunOutcome outcome = pipe_test();
  const auto sums = running_ps(events, static_cast<std::uint64_t>(outcome.simulated_s * 1e12));
  std::map<unsigned, std::uint64_t> accounted;
  for (const TraceEvent* event : events.of<SchedStatRuntime>()) {
    const auto& [task, runtime_ps, vruntime_ps] = std::get<SchedStatRuntime>(event->what);
    accounted[task.pid] += runtime_ps;
  }
  for (const TaskRecord& task : outcome.tasks) {
    if (task.idle) continue;
    std::uint64_t cycles = 0;
    for (const CallRecord& call : task.calls)
      for (const std::uint64_t n : call.cycles) cycles += n;
    const double seconds = static_cast<double>(cycles) / static_cast<double>(outcome.cpu_hz);
    BOOST_TEST(static_cast<double>(sums.at(task.id)) * 1e-12 == seconds, boost::test_tools::tolerance(0.05));
    BOOST_TEST(accounted.at(task.id) <= sums.at(task.id));
    BOOST_TEST(static_cast<double>(accounted.at(task.id)) > 0.8 * static_cast<double>(sums.at(task.id)));
  }
}
BOOST_AUTO_TEST_CASE(tasks_have_their_names_pids_and_processes) {
  pipe_test();
  std::set<std::tuple<std::string, unsigned, unsigned>> tasks;
  std::set<unsigned> cpus;
  for (const TraceEvent* event : events.of<SchedSwitch>()) {
    const TaskTag& task = change(*event).next;
    tasks.emplace(task.comm(), task.pid, task.tgid);
    cpus.insert(event->cpu);
  }
  const decltype(tasks) expected{{"parent", 4, 4}, {"child", 5, 5}, {"swapper/0", 0, 0}, {"swapper/1", 0, 0}};
  BOOST_TEST((tasks == expected));
  BOOST_TEST((cpus == std::set<unsigned>{0, 1}));
}
BOOST_AUTO_TEST_CASE(names_end_after_fifteen_characters) {
  BOOST_TEST(TaskTag("a_task_of_a_long_name", 1, 1).comm() == "a_task_of_a_lon");
  BOOST_TEST(TaskTag("", 1, 1).comm() == "");
}

BOOST_AUTO_TEST_CASE(a_new_thread_is_forked_woken_and_then_runs) {
  threads();
  std::map<unsigned, int> stages;
  for (const TraceEvent& event : events.list) {
    if (const auto* fork = std::get_if<SchedProcessFork>(&event.what)) {
      BOOST_TEST(fork->parent.comm() == "main");
      BOOST_TEST(fork->child.comm() == "worker");
      BOOST_TEST(fork->child.tgid == fork->parent.pid);
      stages[fork->child.pid] = 1;
    } else if (const auto* wake = std::get_if<SchedWake>(&event.what)) {
      if (wake->step == SchedWake::Step::wakeup_new) BOOST_TEST(std::exchange(stages[wake->task.pid], 2) == 1);
    } else if (const auto* to = std::get_if<SchedSwitch>(&event.what)) {
      if (to->next.comm() == "worker") BOOST_TEST(stages[to->next.pid] == 2);
    }
  }
  BOOST_TEST(stages.size() == 4u);
}
BOOST_AUTO_TEST_CASE(each_task_ends_once_and_leaves_its_cpu_dead) {
  threads();
  std::map<unsigned, int> ends;
  for (const TraceEvent* event : events.of<SchedProcessExit>())
    ++ends[std::get<SchedProcessExit>(event->what).task.pid];
  BOOST_TEST(ends.size() == 5u);
  for (const auto& [pid, count] : ends) BOOST_TEST(count == 1);
  for (const TraceEvent* event : events.of<SchedSwitch>()) {
    if (change(*event).prev_state != 'X') continue;
    BOOST_TEST(ends.erase(change(*event).prev.pid) == 1u);
  }
  BOOST_TEST(ends.size() <= 1u);  // the run is over when the last one ends
}
BOOST_AUTO_TEST_CASE(each_migration_appears_once) {
  const RunOutcome outcome = threads();
  BOOST_TEST(events.of<SchedMigrateTask>().size() == stat(outcome, "kernel", "migrations"));
  BOOST_TEST(!events.of<SchedMigrateTask>().empty());
  for (const TraceEvent* event : events.of<SchedMigrateTask>()) {
    const auto& [task, orig, dest] = std::get<SchedMigrateTask>(event->what);
    BOOST_TEST(orig != dest);
  }
}
BOOST_AUTO_TEST_CASE(an_interrupt_is_taken_after_it_was_raised_and_ends) {
  threads();
  std::map<std::pair<unsigned, IpiReason>, int> raised, open;
  for (const TraceEvent& event : events.list) {
    if (const auto* raise = std::get_if<IpiRaise>(&event.what)) {
      raise->targets.for_each([&](unsigned target) { ++raised[{target, raise->reason}]; });
    } else if (const auto* handler = std::get_if<IpiHandler>(&event.what)) {
      const std::pair key{event.cpu, handler->reason};
      BOOST_TEST(raised[key] > 0);
      open[key] += handler->entry ? 1 : -1;
      BOOST_TEST((open[key] == 0 || open[key] == 1));
    }
  }
  BOOST_TEST(!events.of<IpiHandler>().empty());
  for (const auto& [key, depth] : open) BOOST_TEST(depth == 0);
}

// With PCIDs both address spaces stay in the TLBs: only the first switch to each on a CPU flushes.
BOOST_AUTO_TEST_CASE(switches_of_address_spaces_say_whether_they_flush) {
  pipe_test();
  std::array<int, 2> switches{};  // [flushes everything]
  for (const TraceEvent* event : events.of<TlbFlushDone>()) {
    const auto& [reason, pages] = std::get<TlbFlushDone>(event->what);
    BOOST_TEST((reason == TlbFlushReason::task_switch));
    ++switches[pages == TlbFlushDone::kAllPages];
  }
  BOOST_TEST(switches[true] <= 4);
  traced(pipe_files(), {"kernel.params.switch_mm.pcid=false"});
  for (const TraceEvent* event : events.of<TlbFlushDone>())
    BOOST_TEST(std::get<TlbFlushDone>(event->what).pages == TlbFlushDone::kAllPages);
  BOOST_TEST(!events.of<TlbFlushDone>().empty());
}

BOOST_AUTO_TEST_CASE(a_run_is_the_same_with_and_without_a_trace) {
  const RunOutcome with = pipe_test();
  const RunOutcome without = run(pipe_files());
  BOOST_TEST(with.simulated_s == without.simulated_s);
  BOOST_TEST_REQUIRE(with.stats.size() == without.stats.size());
  for (std::size_t i = 0; i < with.stats.size(); ++i) BOOST_TEST(with.stats[i].value == without.stats[i].value);
  for (std::size_t i = 0; i < with.tasks.size(); ++i)
    for (std::size_t c = 0; c < with.tasks[i].calls.size(); ++c)
      BOOST_TEST((with.tasks[i].calls[c].cycles == without.tasks[i].calls[c].cycles));
}
// However far CPUs run ahead of each other.
BOOST_AUTO_TEST_CASE(the_order_holds_for_any_quantum) {
  for (const char* quantum : {"quantum=0 ns", "quantum=1 ms"}) {
    traced(pipe_files(), {quantum});
    check_wake_ups(events);
    BOOST_TEST(std::is_sorted(events.list.begin(), events.list.end(), [](const TraceEvent& a, const TraceEvent& b) {
      return std::tie(a.time_ps, a.cpu) < std::tie(b.time_ps, b.cpu);
    }));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

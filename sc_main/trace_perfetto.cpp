// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_perfetto.h"

#include "sc_main/trace_text.h"

namespace switchyard::cli {
namespace {

using namespace kernel;
namespace protos = perfetto::protos;

constexpr int kBundle = 256;           // events that are kept for each CPU
constexpr unsigned kSequence = 1;      // one writer, one sequence
constexpr std::int64_t kSleeping = 1;  // TASK_INTERRUPTIBLE
constexpr std::int64_t kDead = 16;     // EXIT_DEAD, as sched_switch shows it since Linux v4.14

std::int32_t number(unsigned value) { return static_cast<std::int32_t>(value); }

std::int64_t state_bits(char letter) {
  if (letter == 'X') return kDead;
  return letter == 'S' ? kSleeping : 0;
}

void fill(protos::FtraceEvent& to, const SchedSwitch& from) {
  protos::SchedSwitchFtraceEvent& event = *to.mutable_sched_switch();
  event.set_prev_comm(std::string(from.prev.comm()));
  event.set_prev_pid(number(from.prev.pid));
  event.set_prev_prio(kPriority);
  event.set_prev_state(state_bits(from.prev_state));
  event.set_next_comm(std::string(from.next.comm()));
  event.set_next_pid(number(from.next.pid));
  event.set_next_prio(kPriority);
}

void fill(protos::FtraceEvent& to, const SchedWake& from) {
  protos::SchedWakeupFtraceEvent& event = *(from.step == SchedWake::Step::waking   ? to.mutable_sched_waking()
                                            : from.step == SchedWake::Step::wakeup ? to.mutable_sched_wakeup()
                                                                                   : to.mutable_sched_wakeup_new());
  event.set_comm(std::string(from.task.comm()));
  event.set_pid(number(from.task.pid));
  event.set_prio(kPriority);
  event.set_success(1);
  event.set_target_cpu(number(from.target_cpu));
}

void fill(protos::FtraceEvent& to, const SchedProcessFork& from) {
  protos::SchedProcessForkFtraceEvent& event = *to.mutable_sched_process_fork();
  event.set_parent_comm(std::string(from.parent.comm()));
  event.set_parent_pid(number(from.parent.pid));
  event.set_child_comm(std::string(from.child.comm()));
  event.set_child_pid(number(from.child.pid));
}

void fill(protos::FtraceEvent& to, const SchedProcessExit& from) {
  protos::SchedProcessExitFtraceEvent& event = *to.mutable_sched_process_exit();
  event.set_comm(std::string(from.task.comm()));
  event.set_pid(number(from.task.pid));
  event.set_tgid(number(from.task.tgid));
  event.set_prio(kPriority);
}

// The format has room for 32 CPUs.
void fill(protos::FtraceEvent& to, const IpiRaise& from) {
  to.mutable_ipi_raise()->set_target_cpus(static_cast<std::uint32_t>(from.targets.word(0)));
  to.mutable_ipi_raise()->set_reason(std::string(reason_text(from.reason)));
}

void fill(protos::FtraceEvent& to, const IpiHandler& from) {
  const std::string reason(reason_text(from.reason));
  if (from.entry)
    to.mutable_ipi_entry()->set_reason(reason);
  else
    to.mutable_ipi_exit()->set_reason(reason);
}

template <class What>
concept HasMessage = requires(protos::FtraceEvent& to, const What& from) {
  fill(to, from);
};

}  // namespace

PerfettoWriter::PerfettoWriter(TraceFile& file, unsigned cpus) : file_(file), bundles_(cpus) {
  for (unsigned cpu = 0; cpu < cpus; ++cpu) bundles_[cpu].set_cpu(cpu);
}

void PerfettoWriter::write(const TraceEvent& event, const TaskTag& running) {
  const std::uint64_t time_ns = event.time_ps / 1000;
  name(running, time_ns);
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.task; }) name(what.task, time_ns);
        if constexpr (requires { what.next; }) name(what.next, time_ns);
        if constexpr (requires { what.child; }) name(what.child, time_ns);
        if constexpr (HasMessage<std::decay_t<decltype(what)>>) {
          protos::FtraceEvent& added = *bundles_[event.cpu].add_event();
          added.set_timestamp(time_ns);
          added.set_pid(running.pid);
          fill(added, what);
        }
      },
      event.what);
  if (bundles_[event.cpu].event_size() >= kBundle) write_bundle(event.cpu);
}

void PerfettoWriter::finish() {
  for (unsigned cpu = 0; cpu < bundles_.size(); ++cpu) write_bundle(cpu);
  file_.close();
}

/// Says what a task is called when it is seen for the first time. Idle tasks have no process.
void PerfettoWriter::name(const TaskTag& task, std::uint64_t time_ns) {
  if (task.pid == 0 || !named_.insert(task.pid).second) return;
  protos::TracePacket& packet = *trace_.add_packet();
  packet.set_timestamp(time_ns);
  if (task.tgid == task.pid) {
    protos::ProcessTree::Process& process = *packet.mutable_process_tree()->add_processes();
    process.set_pid(number(task.pid));
    process.add_cmdline(std::string(task.comm()));
  }
  protos::ProcessTree::Thread& thread = *packet.mutable_process_tree()->add_threads();
  thread.set_tid(number(task.pid));
  thread.set_tgid(number(task.tgid));
  thread.set_name(std::string(task.comm()));
  write_packet();
}

void PerfettoWriter::write_bundle(unsigned cpu) {
  protos::FtraceEventBundle& bundle = bundles_[cpu];
  if (bundle.event_size() == 0) return;
  trace_.add_packet()->mutable_ftrace_events()->Swap(&bundle);
  write_packet();
  bundle.Clear();
  bundle.set_cpu(cpu);
}

void PerfettoWriter::write_packet() {
  trace_.mutable_packet(0)->set_trusted_packet_sequence_id(kSequence);
  trace_.SerializeToString(&bytes_);
  file_.write(bytes_);
  trace_.Clear();
}

}  // namespace switchyard::cli

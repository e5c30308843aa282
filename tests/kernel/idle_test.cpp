// SPDX-License-Identifier: Apache-2.0
#include "kernel/idle.h"

#include "kernel/parisc_bench.h"
#include "kernel/timers.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::IdleKind;
using kernel::kNeedResched;
using kernel::kPollingNrflag;
using kernel::RunQueue;
using kernel::TickStop;

namespace {

constexpr std::uint64_t kUs = 1'000'000, kMs = 1000 * kUs;

struct SilentTimer : kernel::TimerDevice {
  void set_timer(cpu::CpuOps&, std::uint64_t) override {}
};
/// Gives up an address space by a barrier, which can be seen in the trace.
struct MarkedSwitch : kernel::MmSwitch {
  void switch_mm(cpu::CpuOps&, const kernel::AddressSpace&, const kernel::AddressSpace&) override {}
  void leave_mm(cpu::CpuOps& cpu) override { cpu.barrier(); }
};

/// The idle loop of one recording CPU.
struct IdleTest {
  cpu::FunctionTable functions;
  FakeMemory memory;
  FakeCpu cpu{memory, 0};
  kernel::KernelCosts costs;
  kernel::KernelStats stats;
  kernel::TicketLocks locks;
  kernel::NativeAtomics atomics;
  kernel::Layout layout{{}, kernel::kVirtualMap, 0x80000000, 64 << 20, 1, 1};
  kernel::KernelServices services{layout, functions, costs, locks, atomics, stats};
  SilentTimer device;
  kernel::Timers timers{250, device, services};
  MarkedSwitch mm_switch;
  kernel::IdleParams params;
  kernel::Task task, sleeper;
  RunQueue rq;
  bool polls = true;
  unsigned announced = 0;

  IdleTest() {
    functions.add("idle", cpu::Domain::idle);
    cpu.set_functions(&functions);
    task.task_struct = layout.add_slab("swapper", kernel::Thread::kBytes, 64);
    task.context.cpu = &cpu;
    rq.cpu = &cpu;
    rq.timer_base = layout.add_data("timers", 128, 64);
  }
  Address flags() const { return task.flags(); }
  void state(IdleKind kind, std::uint64_t residency_ps = 0, bool flushes_tlb = false) {
    if (params.states.size() == 1 && params.states[0].name == "halt") params.states.clear();
    params.states.emplace_back();
    params.states.back().name = "C" + std::to_string(params.states.size());
    params.states.back().kind = kind;
    params.states.back().target_residency.ps = residency_ps;
    params.states.back().flushes_tlb = flushes_tlb;
  }
  void wake() { memory.poke(flags(), memory.peek(flags()) | kNeedResched); }
  /// One stay in the idle loop, until the first wait is over.
  Trace idle() {
    memory.poke(flags(), 0);
    cpu.clear_trace();
    cpu.on_wfi([this](FakeCpu&) { wake(); });
    cpu.on_spin([this](FakeCpu&) { wake(); });
    return idle_once();
  }
  Trace idle_once() {
    kernel::IdleLoop loop(params, polls, {&cpu}, services, timers, mm_switch,
                          [this](cpu::CpuOps&, kernel::RunQueue&) { ++announced; });
    loop.do_idle(task, rq);
    return cpu.trace();
  }
  TraceEntry set() const { return atomic(AtomicOp::bit_or, flags()); }
  TraceEntry clear() const { return atomic(AtomicOp::bit_and, flags()); }
  TraceEntry test() const { return load(flags()); }
  std::size_t waits(TraceEntry::Kind kind) { return (idle(), cpu.trace(kind).size()); }
};

constexpr auto kHalted = TraceEntry::Kind::wfi, kWatched = TraceEntry::Kind::spin;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(idle_loop, IdleTest)

BOOST_AUTO_TEST_CASE(a_cpu_that_watches_its_flags_shows_that_it_polls_except_around_the_choice) {
  state(IdleKind::mwait);
  BOOST_TEST(idle() == (Trace{set(), test(), clear(), test(), set(), test(), spin(flags()), test(), clear(), set(),
                              test(), clear()}));
  BOOST_TEST((memory.peek(flags()) & kPollingNrflag) == 0u);
}

BOOST_AUTO_TEST_CASE(a_cpu_that_halts_does_not_show_that_it_polls) {
  state(IdleKind::halt);
  cpu.on_wfi({});
  BOOST_TEST(idle() == (Trace{set(), test(), clear(), test(), wfi(), set(), test(), clear()}));
}

BOOST_AUTO_TEST_CASE(an_architecture_without_the_flag_writes_nothing) {
  polls = false;
  state(IdleKind::halt);
  BOOST_TEST(idle() == (Trace{test(), test(), wfi(), test()}));
}

BOOST_AUTO_TEST_CASE(who_is_woken_between_clear_and_wait_does_not_wait) {
  state(IdleKind::halt);
  unsigned accesses = 0;
  cpu.on_access(flags(), [&](FakeCpu&) {
    if (++accesses == 3) wake();  // after the flag has been cleared
  });
  BOOST_TEST(idle_once() == (Trace{set(), test(), clear(), test(), set(), test(), clear()}));
  BOOST_TEST(announced == 0u);
}

BOOST_AUTO_TEST_CASE(each_wait_is_announced) {
  state(IdleKind::halt);
  unsigned halts = 0;
  cpu.on_wfi([&](FakeCpu&) {
    BOOST_TEST(announced == ++halts);
    if (halts == 3) wake();
  });
  idle_once();
  BOOST_TEST(halts == 3u);
}

BOOST_AUTO_TEST_CASE(polling_lets_interrupts_in_and_monitoring_does_not) {
  for (const IdleKind kind : {IdleKind::poll, IdleKind::mwait}) {
    params.states.clear();
    state(kind);
    memory.poke(flags(), 0);
    cpu.on_spin([&](FakeCpu& c) {
      BOOST_TEST(c.interrupts_enabled() == (kind == IdleKind::poll));
      wake();
    });
    idle_once();
    BOOST_TEST(cpu.interrupts_enabled());
  }
}

BOOST_AUTO_TEST_CASE(an_interrupt_ends_a_monitored_wait_and_is_served_afterwards) {
  state(IdleKind::mwait);
  unsigned handled = 0, waits = 0;
  InterruptNote handler([&](std::uint32_t bits) {
    cpu.lower(bits);
    ++handled;
    wake();
  });
  cpu.set_supervisor_handler(&handler);
  cpu.on_spin([&](FakeCpu& c) {
    ++waits;
    BOOST_TEST(handled == 0u);
    c.raise(cpu::kSupervisorExternal);
  });
  idle_once();
  BOOST_TEST(waits == 1u);
  BOOST_TEST(handled == 1u);
}

BOOST_AUTO_TEST_CASE(a_wake_up_takes_the_time_of_the_state_and_no_wait_takes_none) {
  state(IdleKind::mwait);
  params.states[0].wake = base::cycles(500);
  idle();
  BOOST_TEST(cpu.cycles(cpu::Cause::idle) == 501u);  // and the one in which the store came
  unsigned accesses = 0;
  memory.poke(flags(), 0);
  cpu.on_access(flags(), [&](FakeCpu&) {
    if (++accesses == 5) wake();  // after the flag says that it polls again
  });
  idle_once();
  BOOST_TEST(cpu.cycles(cpu::Cause::idle) == 501u);
}

// Choice of a state
struct ChoiceTest : IdleTest {
  ChoiceTest() {
    state(IdleKind::halt);
    state(IdleKind::mwait, 10 * kUs);
  }
  void idled_for(std::uint64_t ps) {
    rq.idle_times_ps.fill(ps);
    rq.idle_trips = RunQueue::kIdleTimes;
  }
};
BOOST_FIXTURE_TEST_CASE(without_experience_the_deepest_state_is_chosen, ChoiceTest) {
  BOOST_TEST(waits(kWatched) == 1u);
  rq.idle_times_ps.fill(kUs);
  rq.idle_trips = RunQueue::kIdleTimes - 1;
  BOOST_TEST(waits(kWatched) == 1u);
}
BOOST_FIXTURE_TEST_CASE(the_mean_of_the_last_idle_times_chooses_and_reaching_the_residency_is_enough, ChoiceTest) {
  idled_for(10 * kUs - 1);
  BOOST_TEST(waits(kHalted) == 1u);
  idled_for(10 * kUs);
  BOOST_TEST(waits(kWatched) == 1u);
  idled_for(0);
  rq.idle_times_ps[3] = 80 * kUs;
  BOOST_TEST(waits(kWatched) == 1u);
}
BOOST_FIXTURE_TEST_CASE(a_timer_that_is_due_soon_forbids_the_deep_state, ChoiceTest) {
  timers.add(cpu, rq, cpu.now_ps() + 9 * kUs, sleeper);
  BOOST_TEST(waits(kHalted) == 1u);
}
BOOST_FIXTURE_TEST_CASE(each_stay_is_remembered, ChoiceTest) {
  rq.idle_trips = 9;
  idle();
  BOOST_TEST(rq.idle_trips == 10u);
  BOOST_TEST(rq.idle_times_ps[1] > 0u);
  BOOST_TEST(rq.idle_times_ps[0] == 0u);
}
BOOST_AUTO_TEST_CASE(a_state_that_loses_the_tlb_gives_up_the_address_space_first) {
  state(IdleKind::halt, 0, true);
  BOOST_TEST(idle() == (Trace{set(), test(), clear(), barrier(), test(), wfi(), set(), test(), clear()}));
}
BOOST_AUTO_TEST_CASE(states_out_of_order_or_none_are_refused) {
  state(IdleKind::poll, 2);
  state(IdleKind::halt, 1);
  BOOST_TEST(params.check() == "states must be in order of target_residency; 'C2' comes after 'C1'");
  params.states.clear();
  BOOST_TEST(params.check() == "states is empty: an idle CPU needs at least one");
}

// The tick
struct TickTest : ChoiceTest {
  /// Whether the tick still comes after an entry that expects to be idle for so long.
  bool ticks(TickStop stop, std::uint64_t expected_ps) {
    params.stop_tick = stop;
    idled_for(expected_ps);
    timers.set_tick(cpu, rq, true);
    idle();
    return rq.next_tick_ps != RunQueue::kNever;
  }
};
BOOST_FIXTURE_TEST_CASE(the_tick_stops_always_or_never_or_when_the_stay_will_be_longer_than_it, TickTest) {
  for (const std::uint64_t expected : {kUs, 4 * kMs}) {
    BOOST_TEST(!ticks(TickStop::always, expected));
    BOOST_TEST(ticks(TickStop::never, expected));
  }
  BOOST_TEST(ticks(TickStop::predicted, 4 * kMs - 1));
  BOOST_TEST(!ticks(TickStop::predicted, 4 * kMs));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

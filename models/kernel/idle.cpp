// SPDX-License-Identifier: Apache-2.0
#include "kernel/idle.h"

#include <algorithm>
#include <numeric>

#include "sim/clock.h"

namespace switchyard::kernel {

using cpu::Cause;
using cpu::CpuOps;

namespace {

constexpr std::uint64_t kPollingThresholdPs = 20'000'000;  // polling_threshold of menu_select: 20 us

std::uint64_t time_to_timer(const RunQueue& rq, std::uint64_t now_ps) {
  if (rq.timers.empty()) return RunQueue::kNever;
  const std::uint64_t due = rq.timers.begin()->first;
  return due > now_ps ? due - now_ps : 0;
}

}  // namespace

IdleLoop::IdleLoop(const IdleParams& params, bool has_polling_flag, const std::vector<cpu::LogicalCpu*>& cpus,
                   const KernelServices& services, Timers& timers, MmSwitch& mm_switch,
                   std::function<void(cpu::CpuOps&, RunQueue&)> about_to_wait)
    : stop_tick_(params.stop_tick),
      polls_(has_polling_flag),
      services_(services),
      timers_(timers),
      mm_switch_(mm_switch),
      about_to_wait_(std::move(about_to_wait)) {
  for (const cpu::LogicalCpu* cpu : cpus) {
    const sim::Clock clock(base::Frequency{cpu->clock_hz()});
    std::vector<State> states;
    for (const IdleStateParams& state : params.states) states.push_back({state, clock.cycles(state.wake)});
    states_.push_back(std::move(states));
  }
}

void IdleLoop::set_polling(CpuOps& cpu, const Task& task) {
  if (polls_) services_.atomics.fetch_or(cpu, task.flags(), kPollingNrflag);
}

void IdleLoop::clear_polling(CpuOps& cpu, const Task& task) {
  if (polls_) services_.atomics.fetch_and(cpu, task.flags(), ~std::uint64_t{kPollingNrflag});
}

void IdleLoop::do_idle(Task& task, RunQueue& rq) {
  CpuOps& cpu = task.cpu();
  set_polling(cpu, task);
  cpu.execute(services_.costs.idle_enter);
  const std::uint64_t start = cpu.now_ps();
  const std::uint64_t expected = expected_ps(rq, start);
  cpu.set_interrupts(false);
  stop_tick(cpu, rq, expected);
  cpu.set_interrupts(true);
  while (!need_resched(cpu, task)) {
    cpu.set_interrupts(false);
    clear_polling(cpu, task);
    const State& state = select(rq, expected, cpu.now_ps());
    if (state.params.flushes_tlb) mm_switch_.leave_mm(cpu);
    if (!need_resched(cpu, task)) {
      about_to_wait_(cpu, rq);
      wait(cpu, task, state);
    }
    set_polling(cpu, task);
    cpu.set_interrupts(true);
    cpu.execute(1);
  }
  rq.idle_times_ps[rq.idle_trips++ % RunQueue::kIdleTimes] = cpu.now_ps() - start;
  clear_polling(cpu, task);
  cpu.execute(services_.costs.idle_exit);
}

void IdleLoop::wait(CpuOps& cpu, Task& task, const State& state) {
  if (state.params.kind != IdleKind::halt) return wait_for_flag(cpu, task, state);
  cpu.wait_for_interrupt();
  cpu.spend(state.wake_cycles, Cause::idle);
}

// Interrupts end a monitored wait even while they are off; polling lets them in.
void IdleLoop::wait_for_flag(CpuOps& cpu, Task& task, const State& state) {
  bool waited = false;
  const auto done = [&] {
    const bool woken = need_resched(cpu, task) || cpu.pending_interrupts() != 0;
    waited = waited || !woken;
    return woken;
  };
  if (state.params.kind == IdleKind::poll) cpu.set_interrupts(true);
  set_polling(cpu, task);
  if (state.params.kind == IdleKind::poll)
    cpu.spin_until({task.flags()}, done, Cause::idle);
  else
    cpu.monitor_until({task.flags()}, done, Cause::idle);
  if (waited) cpu.spend(state.wake_cycles, Cause::idle);
  clear_polling(cpu, task);
  cpu.set_interrupts(false);
}

// menu_select: C1 is the default, whatever it expects; polling is for a timer that is due at once.
const IdleLoop::State& IdleLoop::select(const RunQueue& rq, std::uint64_t expected_ps, std::uint64_t now_ps) const {
  const std::vector<State>& states = states_[rq.cpu->id()];
  const bool has_default = states.size() > 1 && states.front().params.kind == IdleKind::poll;
  const auto first = states.begin() + (has_default && time_to_timer(rq, now_ps) > kPollingThresholdPs ? 1 : 0);
  const auto deeper = std::find_if(first + 1, states.end(),
                                   [&](const State& state) { return state.params.target_residency.ps > expected_ps; });
  return *(deeper - 1);
}

std::uint64_t IdleLoop::expected_ps(const RunQueue& rq, std::uint64_t now_ps) {
  const std::uint64_t timer = time_to_timer(rq, now_ps);
  if (rq.idle_trips < RunQueue::kIdleTimes) return timer;
  const std::uint64_t sum = std::accumulate(rq.idle_times_ps.begin(), rq.idle_times_ps.end(), std::uint64_t{0});
  return std::min(sum / RunQueue::kIdleTimes, timer);
}

void IdleLoop::stop_tick(CpuOps& cpu, RunQueue& rq, std::uint64_t expected_ps) {
  if (stop_tick_ == TickStop::never) return;
  if (stop_tick_ == TickStop::predicted && expected_ps < timers_.period_ps()) return;
  timers_.set_tick(cpu, rq, false);
}

}  // namespace switchyard::kernel

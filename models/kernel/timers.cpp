// SPDX-License-Identifier: Apache-2.0
#include "kernel/timers.h"

#include <algorithm>

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;

Timers::Timers(std::uint64_t hz, TimerDevice& device, const KernelServices& services)
    : period_ps_(1'000'000'000'000 / hz),
      device_(device),
      costs_(services.costs),
      start_(services.functions.add("hrtimer_start_range_ns", Domain::kernel)),
      interrupt_(services.functions.add("hrtimer_interrupt", Domain::kernel)),
      program_(services.functions.add("tick_program_event", Domain::kernel)) {}

void Timers::add(CpuOps& cpu, RunQueue& rq, std::uint64_t deadline_ps, Task& task) {
  const auto scope = cpu.function(start_);
  cpu.execute(costs_.timer);
  cpu.load(rq.timer_base);
  cpu.store(rq.timer_base + 64, deadline_ps);
  rq.timers.emplace(deadline_ps, &task);
  ++pending_;
  program(cpu, rq);
}

void Timers::remove(RunQueue& rq, Task& task) {
  const auto it = std::find_if(rq.timers.begin(), rq.timers.end(), [&](const auto& t) { return t.second == &task; });
  if (it == rq.timers.end()) return;
  rq.timers.erase(it);
  --pending_;
}

void Timers::set_tick(CpuOps& cpu, RunQueue& rq, bool busy) {
  if (busy == (rq.next_tick_ps != RunQueue::kNever)) return;
  rq.next_tick_ps = busy ? next_tick(rq, cpu.now_ps()) : RunQueue::kNever;
  program(cpu, rq);
}

void Timers::begin(CpuOps& cpu, RunQueue& rq) {
  const auto scope = cpu.function(interrupt_);
  cpu.execute(costs_.timer);
  cpu.load(rq.timer_base);
  rq.programmed_ps = 0;
}

Task* Timers::expire(CpuOps& cpu, RunQueue& rq) {
  if (rq.timers.empty() || rq.timers.begin()->first > cpu.now_ps()) return nullptr;
  Task* const task = rq.timers.begin()->second;
  rq.timers.erase(rq.timers.begin());
  --pending_;
  const auto scope = cpu.function(interrupt_);
  cpu.store(rq.timer_base + 64, 0);
  return task;
}

bool Timers::tick_due(const CpuOps& cpu, RunQueue& rq) {
  if (rq.next_tick_ps > cpu.now_ps()) return false;
  rq.next_tick_ps = next_tick(rq, cpu.now_ps());
  return true;
}

void Timers::program(CpuOps& cpu, RunQueue& rq) {
  const std::uint64_t first = rq.timers.empty() ? RunQueue::kNever : rq.timers.begin()->first;
  const std::uint64_t next = std::min(first, rq.next_tick_ps);
  if (next == rq.programmed_ps) return;
  const auto scope = cpu.function(program_);
  cpu.execute(costs_.call);
  rq.programmed_ps = next;
  device_.set_timer(cpu, next);
}

}  // namespace switchyard::kernel

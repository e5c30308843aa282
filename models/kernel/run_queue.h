// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <vector>

#include "cpu/logical_cpu.h"
#include "kernel/task.h"

namespace switchyard::kernel {

/// The run queue and the timers of a CPU: the parts of struct rq that the fair class uses, and of hrtimer_cpu_base. The
/// offsets are assumed.
struct RunQueue {
  static constexpr std::uint64_t kBytes = 256;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::size_t kIdleTimes = 8;

  Address base = 0;
  Address timer_base = 0;
  cpu::LogicalCpu* cpu = nullptr;
  Task* current = nullptr;
  Task* idle = nullptr;
  Task* next = nullptr;                 ///< chosen, while the switch to it is under way
  Task* previous = nullptr;             ///< left the CPU last; the next task releases it
  AddressSpace* previous_mm = nullptr;  ///< what that kernel thread had borrowed; the next task drops the reference
  std::vector<Task*> queue;             ///< runnable, without the current one
  std::uint64_t min_runtime_ps = 0;
  std::multimap<std::uint64_t, Task*> timers;  ///< by deadline; equal ones in order of arrival
  std::uint64_t tick_phase_ps = 0;             ///< ticks come this much after multiples of their period
  std::uint64_t next_tick_ps = kNever;
  std::uint64_t programmed_ps = kNever;
  std::deque<Task*> woken;                                ///< wake_list: tasks to be enqueued here
  std::array<std::uint64_t, kIdleTimes> idle_times_ps{};  ///< the last ones, in a ring
  std::uint64_t idle_trips = 0;
  std::uint64_t idle_since_ps = 0;                ///< idle_stamp; 0 while not idle
  std::uint64_t next_balance = 0;                 ///< jiffies
  std::uint64_t average_idle_ps = 1'000'000'000;  ///< avg_idle; starts at twice sysctl_sched_migration_cost

  Address lock() const { return base; }
  Address nr_running() const { return base + 4; }
  Address curr() const { return base + 64; }
  Address clock() const { return base + 72; }
  Address next_balance_field() const { return base + 80; }
  Address nohz_flags() const { return base + 88; }
  Address min_vruntime() const { return base + 128; }
  Address wake_list() const { return base + 192; }
  /// Runnable tasks, the idle task aside.
  std::uint64_t running() const {
    const Task* const on_cpu = next != nullptr ? next : current;
    return queue.size() + (on_cpu != nullptr && on_cpu != idle ? 1 : 0);
  }
};

}  // namespace switchyard::kernel

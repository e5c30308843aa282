// SPDX-License-Identifier: Apache-2.0
#pragma once

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

  Address base = 0;
  Address timer_base = 0;
  cpu::LogicalCpu* cpu = nullptr;
  Task* current = nullptr;
  Task* idle = nullptr;
  Task* previous = nullptr;  ///< left the CPU last; the next task releases it
  std::vector<Task*> queue;  ///< runnable, without the current one
  std::uint64_t min_runtime_ps = 0;
  std::multimap<std::uint64_t, Task*> timers;  ///< by deadline; equal ones in order of arrival
  std::uint64_t tick_phase_ps = 0;             ///< ticks come this much after multiples of their period
  std::uint64_t next_tick_ps = kNever;
  std::uint64_t programmed_ps = kNever;

  Address lock() const { return base; }
  Address nr_running() const { return base + 4; }
  Address curr() const { return base + 64; }
  Address clock() const { return base + 72; }
  Address min_vruntime() const { return base + 128; }
  std::uint64_t running() const { return queue.size() + (current != nullptr && current != idle ? 1 : 0); }
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/accounting.h"

namespace switchyard::platforms {

/// One function as it was called through one chain of callers: the cycles spent in itself, by cause.
struct CallRecord {
  std::string function;
  cpu::Domain domain = cpu::Domain::kernel;
  int parent = -1;  ///< index in the same list; -1 for the root of a task
  std::uint64_t calls = 0;
  std::array<std::uint64_t, cpu::kCauses> cycles{};
};

/// Where the cycles of one task went during the measurement. Records come parents first.
struct TaskRecord {
  std::string name;
  unsigned id = 0;
  bool idle = false;
  std::vector<CallRecord> calls;
};

struct StatRecord {
  std::string module;  ///< `modules` name, `firmware` or `kernel`
  std::string name, unit, text;
  std::uint64_t value = 0;
};

/// An interval comes from the means of this many batches of consecutive values; with fewer values there is none.
inline constexpr std::uint64_t kIntervalBatches = 10;

/// A mean with the half-width of its 95 % confidence interval.
struct Estimate {
  double mean = 0;
  double ci95 = 0;
};

/// CPU seconds of all processes: in user code, and in kernel and firmware.
struct CpuTime {
  double user_s = 0, sys_s = 0;
};

/// The measured loop of the workload. Times are those of the task that runs it.
struct LoopRecord {
  std::string name;
  std::uint64_t count = 0;            ///< iterations that the program asks for
  std::uint64_t warm_up = 0;          ///< iterations left out
  std::uint64_t iterations = 0;       ///< iterations measured
  bool converged = false;             ///< it ended as the configuration asked for, and not before
  Estimate iteration_s;               ///< simulated seconds of one iteration
  std::optional<CpuTime> cpu_ci95{};  ///< half-widths of the CPU time of one iteration, where it was followed
  std::uint64_t seeds = 1;            ///< runs with different seeds that this is the mean of
  std::uint64_t unsettled = 0;        ///< of the iterations measured, those that mser5() takes for warm-up
};

/// How a run ended.
enum class RunEnd : std::uint8_t {
  complete,
  check_failed,
  stuck,
  time_limit,
  input_error,  ///< what the configuration or its program asks for cannot be done, which only shows while it runs
  interrupted
};

/// Everything a run leaves. Statistics, tasks and causes cover the measured iterations, or the whole run without a
/// measured loop.
struct RunOutcome {
  RunEnd end = RunEnd::complete;
  std::string message;  ///< what failed; empty when complete
  double simulated_s = 0;
  double measured_s = 0;  ///< simulated time that statistics cover
  bool has_loop = false;
  LoopRecord loop;
  std::vector<TaskRecord> tasks;
  std::vector<StatRecord> stats;
  std::uint64_t cpu_hz = 0;  ///< clock of CPU 0; all cycle counts are in cycles of the CPU that spent them
  unsigned cpus = 0;
};

}  // namespace switchyard::platforms

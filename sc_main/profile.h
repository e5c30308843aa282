// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/run_outcome.h"

namespace switchyard::cli {

using CauseCycles = std::array<std::uint64_t, cpu::kCauses>;  // [Cause]

/// Sum over all causes except idle: a halted CPU spends no cycles that a profiler counts.
std::uint64_t busy_cycles(const CauseCycles& cycles);

/// The tasks with the cycles of firmware counted where a sampling profiler in supervisor mode sees them, which cannot
/// interrupt machine mode: in the function that called the firmware or was interrupted by it.
std::vector<platforms::TaskRecord> attribute_firmware(const std::vector<platforms::TaskRecord>& tasks);

/// Tasks of the measured processes: all but the idle tasks.
std::vector<platforms::TaskRecord> process_tasks(const std::vector<platforms::TaskRecord>& tasks);

/// Name under which reports add up tasks: threads that run one program have one name, idle tasks are `swapper`.
std::string task_group(const platforms::TaskRecord& task);

/// Busy cycles of one function in the tasks of one group.
struct FunctionCycles {
  std::string group;
  std::string function;
  cpu::Domain domain = cpu::Domain::kernel;
  std::uint64_t self = 0;
  std::uint64_t children = 0;  ///< with everything it calls; recursion counted once
};

struct Profile {
  std::uint64_t total = 0;
  std::vector<FunctionCycles> rows;  ///< most cycles with children first, then most self, then by name
};
Profile profile(const std::vector<platforms::TaskRecord>& tasks);

/// One line of a folded stack: the chain of functions under the name of its group, and busy cycles of the last one.
struct FoldedStack {
  std::string stack;
  std::uint64_t cycles = 0;
};
/// Equal stacks added up, in the order of their text. A chain starts at the user function where there is one: the
/// kernel functions that once started the thread are no callers of its user code.
std::vector<FoldedStack> fold_stacks(const std::vector<platforms::TaskRecord>& tasks);

/// Cycles by cause of the tasks of one group, idle ones included.
struct GroupCauses {
  std::string group;
  CauseCycles cycles{};
};
/// In the order in which groups first occur.
std::vector<GroupCauses> causes_by_group(const std::vector<platforms::TaskRecord>& tasks);

/// Busy cycles by domain.
struct DomainCycles {
  std::uint64_t user = 0;
  std::uint64_t kernel = 0;
  std::uint64_t firmware = 0;
  std::uint64_t total() const { return user + kernel + firmware; }
};
DomainCycles domain_cycles(const std::vector<platforms::TaskRecord>& tasks);

}  // namespace switchyard::cli

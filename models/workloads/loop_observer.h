// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernel/task.h"

namespace switchyard::workloads {

/// What a thread does next in a loop that several threads run together.
enum class SharedTurn : std::uint8_t {
  iterate,
  wait,  ///< for the others, and ask again
  wake,  ///< those that wait, and ask again
  end
};

/// Told about the iterations of loops that are marked `measure: true`.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  /// Called on the task that runs the loop, before iteration `done` (0 first) and once more after the last one.
  /// `count` is what the program asks for. False ends the loop here.
  virtual bool iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t count) = 0;
  /// The same for a loop that several threads run together and of which `run` iterations of each thread are measured in
  /// place of `count`. Asked again with the same `done` after a wait or a wake-up.
  virtual SharedTurn shared_iteration(kernel::Task& task, const std::string& loop, std::uint64_t done,
                                      std::uint64_t run, std::uint64_t count) = 0;
  /// What threads wait for: all have made theirs.
  virtual kernel::Completion& shared_end() = 0;
};

}  // namespace switchyard::workloads

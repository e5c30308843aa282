// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernel/task.h"

namespace switchyard::workloads {

/// Told about the iterations of loops that are marked `measure: true`.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  /// Called on the task that runs the loop, before iteration `done` (0 first) and once more after the last one.
  /// `count` is what the program asks for. False ends the loop here.
  virtual bool iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t count) = 0;
  /// The same for a loop that several threads run together and of which `run` iterations a thread are measured in place
  /// of `count`. False ends it for this thread.
  virtual bool shared_iteration(kernel::Task& task, const std::string& loop, std::uint64_t done, std::uint64_t run,
                                std::uint64_t count) = 0;
};

}  // namespace switchyard::workloads

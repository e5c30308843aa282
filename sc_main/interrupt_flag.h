// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace switchyard::cli {

/// While it lives, the first Ctrl-C (SIGINT) sets a flag instead of ending the program; a second one ends it. One at a
/// time: signal handlers belong to the process.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  struct sigaction before_ {};
};

}  // namespace switchyard::cli

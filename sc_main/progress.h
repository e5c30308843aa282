// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "platforms/simulation.h"

namespace switchyard::cli {

/// `12.345 ms simulated, 420 of 1000 iterations, 84.0/s, 7 s left`. `host_s` is how long the run takes so far.
std::string progress_text(const platforms::Progress& progress, double host_s);

/// One line on a terminal that shows how far a run is; nothing where standard error is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  ///< wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What simulate() calls; empty without a terminal.
  platforms::ProgressSink sink();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const platforms::Progress& progress);

  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  bool shown_ = false;
};

}  // namespace switchyard::cli

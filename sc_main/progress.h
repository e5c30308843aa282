// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "platforms/simulation.h"

namespace switchyard::cli {

/// `12.345 ms simulated, 420 of 1000 iterations, 84.0/s, 7 s left`. `host_s` is how long the run takes so far.
std::string progress_text(const platforms::Progress& progress, double host_s);

/// One line on standard error that is written over again and again; nothing where that is no terminal.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { wipe(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_terminal() const { return terminal_; }
  /// Five times a second at most; what comes sooner is not shown.
  void show(const std::string& text);
  /// Makes room for a line that stays.
  void wipe();
  /// Seconds since the line was made.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  bool shown_ = false;
};

/// How far one run is, on a terminal.
class ProgressLine {
 public:
  /// What simulate() calls; empty without a terminal.
  platforms::ProgressSink sink();

 private:
  TerminalLine line_;
};

}  // namespace switchyard::cli
